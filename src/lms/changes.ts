import type { Body } from './body.js'
import { decode } from './decode.js'
import { InvalidValue, readAll } from './errors.js'
import type { Field } from './spec/index.js'
import type { Cell, Cells, Store } from './store.js'

/** Per referenced table: its noun for messages, the lookup, and the error code for an unknown id. */
const REFERENCES: Readonly<Record<NonNullable<Field['refers']>, readonly [noun: string, sql: string, code: string]>> = {
  users: ['a user', 'SELECT 1 FROM users WHERE id = ?', 'rest_invalid_author'],
  groups: ['a group', 'SELECT 1 FROM groups WHERE id = ?', 'rest_post_invalid_id'],
  courses: ['a course', 'SELECT 1 FROM courses WHERE id = ?', 'rest_post_invalid_id'],
}

const IS_BELOW = `
  WITH RECURSIVE above (id) AS (VALUES (?1) UNION SELECT parent FROM groups JOIN above USING (id))
  SELECT 1 FROM above WHERE id = ?2`

const MISSING_TERMS = `
  SELECT value FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM terms WHERE id = value AND taxonomy = ?2) LIMIT 1`

/** Throws for ids of records that do not exist, terms of another taxonomy, and a parent that is the group itself or below it. */
function checkReference(store: Store, { name, kind, column, refers }: Field, cell: Cell, id: number): void {
  if (kind === 'terms') {
    const missing = store.row(MISSING_TERMS, cell, column)
    if (missing) throw new InvalidValue('rest_term_invalid', `${name}: there is no term ${missing[0]} in this taxonomy.`)
  }
  if (refers === undefined || (cell === 0 && refers !== 'users')) return
  const [noun, sql, code] = REFERENCES[refers]
  if (!store.row(sql, cell)) throw new InvalidValue(code, `${name} is not the ID of ${noun}.`)
  if (refers === 'groups' && store.row(IS_BELOW, cell, id))
    throw new InvalidValue(code, `${name} must not be the group itself or one below it.`)
}

/**
 * The cells that a body changes in the record `id`, by column (term fields: by taxonomy). Unknown and read-only names are ignored.
 * Throws one error that names all invalid values.
 */
export function changesOf(store: Store, fields: readonly Field[], body: Body, id: number): Cells {
  const changes: Record<string, Cell> = {}
  const given = new Map(fields.filter(({ name, readOnly }) => !readOnly && Object.hasOwn(body, name)).map((field) => [field.name, field]))
  readAll([...given.keys()], (name) => {
    const field = given.get(name)!
    const cell = decode(body[name], field)
    if (cell === undefined) return
    checkReference(store, field, cell, id)
    changes[field.column] = cell
  })
  return changes
}
