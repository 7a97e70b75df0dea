import { type GraphQLSchema, isObjectType } from 'graphql'
import type { FieldMark } from '../../../src/model/marks.js'
import type { Answer, Login } from '../world.js'

/** Callers by role: a demo user of the embedded LMS, or nobody. */
export const ROLES = {
  anonymous: null,
  subscriber: 'newcomer',
  enrolled: 'learner',
  leader: 'leader',
  admin: 'admin',
} as const satisfies Record<string, Login | null>
export type RoleName = keyof typeof ROLES
export const ROLE_NAMES = Object.keys(ROLES) as RoleName[]

/** An operation, and the part of its response that is checked. */
export interface Case {
  /** `Type.field` it is about. */
  readonly about: string
  /** Its variant, unique within the field. */
  readonly name: string
  readonly query: string
  /** Response keys of the checked part, with points between; `*` means every item of a list. */
  readonly at: string
}

/** A case that only reads. */
export const read = (about: string, name: string, query: string, at: string): Case => ({ about, name, query: `{ ${query} }`, at })

/** The outcome of a role: one word for each checked value, the values, and the codes of errors elsewhere. */
export interface Outcome {
  readonly words: readonly string[]
  readonly values: readonly unknown[]
  readonly beside: readonly string[]
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Walks a response down a path, and collects errors on the way. */
class Look {
  readonly words: string[] = []
  readonly values: unknown[] = []
  readonly met = new Set<Answer['errors'][number]>()

  constructor(private readonly errors: Answer['errors']) {}

  walk(value: unknown, [key, ...further]: readonly string[], path: readonly (string | number)[]): void {
    if (value === null || value === undefined) this.nothing(path)
    else if (isRecord(value) && String(value.__typename).endsWith('Error')) this.note(String(value.code))
    else if (Array.isArray(value) && value.length === 0) this.note('[]')
    else if (key === '*') for (const [index, item] of (value as unknown[]).entries()) this.walk(item, further, [...path, index])
    else if (key !== undefined) this.walk((value as Record<string, unknown>)[key], further, [...path, key])
    else this.note(value === '' ? '""' : 'data', value)
  }

  /** The codes of the errors at this path or below; a null without one is no error. */
  private nothing(path: readonly (string | number)[]): void {
    const here = this.errors.filter((error) => path.every((key, place) => error.path?.[place] === key))
    for (const error of here) this.met.add(error)
    const codes = new Set(here.map(({ extensions }) => String(extensions.code)))
    this.note(codes.size > 0 ? [...codes].join(' and ') : 'null')
  }

  private note(word: string, value?: unknown): void {
    this.words.push(word)
    this.values.push(value)
  }
}

/** The outcome of a response at the path of a case. */
export function outcomeOf({ data, errors }: Answer, { at }: Case): Outcome {
  const look = new Look(errors)
  look.walk(data, at.split('.'), [])
  const elsewhere = errors.filter((error) => !look.met.has(error)).map(({ extensions }) => String(extensions.code))
  return { words: look.words, values: look.values, beside: [...new Set(elsewhere)] }
}

/** A cell of the table: one word if all are equal. Data that an administrator does not get is marked. */
export function cellOf({ words, values, beside }: Outcome, admin: Outcome): string {
  const isSame = (place: number) =>
    JSON.stringify(values[place]) === JSON.stringify(admin.values[place]) && values.length === admin.values.length
  const shown = words.map((word, place) => (word === 'data' && !isSame(place) ? 'other data' : word))
  const items = new Set(shown).size === 1 ? shown.slice(0, 1) : shown
  return [...items, ...beside.map((code) => `beside ${code}`)].join(', ')
}

/** Cells by case, in the order of roles. */
export type Matrix = readonly (readonly [Case, readonly string[]])[]

/** The matrix as a table, sorted by type and field. */
export function tableOf(matrix: Matrix): string {
  const sorted = [...matrix].sort(([a], [b]) => (a.about < b.about ? -1 : a.about > b.about ? 1 : 0))
  const rows = [['Field', 'Case', ...ROLE_NAMES], ...sorted.map(([{ about, name }, cells]) => [`\`${about}\``, name, ...cells])]
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n')
}

/** Names of the fields of a type among names like `Type.field`. */
export const fieldsOf = (type: string, names: readonly string[]): string[] =>
  names.filter((name) => name.startsWith(`${type}.`)).map((name) => name.slice(type.length + 1))

/** What must have a case, by kind: `Type.field`. */
export function subjectsOf(schema: GraphQLSchema): Record<'root fields' | 'relations' | 'mutations' | 'edit-only fields', string[]> {
  const fields = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type: type.name, field })) : []))
  const named = (wanted: (type: string, field: (typeof fields)[number]['field']) => boolean) =>
    fields.filter(({ type, field }) => wanted(type, field)).map(({ type, field }) => `${type}.${field.name}`)
  const isEdge = ({ extensions }: (typeof fields)[number]['field']) => (extensions.lms as FieldMark | undefined)?.edge !== undefined
  return {
    'root fields': named((type) => type === 'Query'),
    relations: named((type, field) => type !== 'Query' && isEdge(field)),
    mutations: named((type) => type === 'Mutation'),
    'edit-only fields': named((_, { description }) => description?.includes('Only editors may read it') === true),
  }
}
