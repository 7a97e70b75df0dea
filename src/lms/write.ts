import type { Body } from './body.js'
import { changesOf } from './changes.js'
import { RestError } from './errors.js'
import type { Resource } from './spec/index.js'
import { settle, trashedSlug } from './state.js'
import { moveLesson } from './steps.js'
import type { Cell, Cells, Store } from './store.js'
import { gmtText, siteText } from './time.js'

/** Columns that every write keeps beside those of the fields. */
const KEPT = ['id', 'revisions', 'modified', 'modified_gmt']

const columnsOf = ({ fields }: Resource): string[] => [
  ...KEPT,
  ...fields.filter(({ readOnly, kind }) => !readOnly && kind !== 'terms').map(({ column }) => column),
]

/** Ids count on over all kinds of records, as terms and steps are kept by id alone; one that was in use never comes again. */
const NEXT_ID = "SELECT max(seq) + 1 FROM sqlite_sequence WHERE name <> 'users'"

/** A record before anything is given. */
function blank(resource: Resource, id: number, author: number): Cells {
  const defaults = resource.fields.map(({ column, default: fallback }) => [column, fallback ?? null] as const)
  return { ...Object.fromEntries(defaults), id, author, revisions: 0 }
}

/** What is stored of a record that exists. */
function stored(store: Store, resource: Resource, id: number): Cells {
  const columns = columnsOf(resource)
  const row = store.row(`SELECT ${columns.join(', ')} FROM ${resource.table} WHERE id = ?`, id)!
  return Object.fromEntries(columns.map((column, index) => [column, row[index]!]))
}

function save(store: Store, resource: Resource, row: Cells): void {
  store.save(resource.table, Object.fromEntries(columnsOf(resource).map((column) => [column, row[column] as Cell])))
}

const LOSE_TERMS = 'DELETE FROM post_terms WHERE post = ? AND taxonomy = ?'
const GIVE_TERMS = 'INSERT INTO post_terms (post, taxonomy, term) SELECT ?, ?, value FROM json_each(?)'

/** Brings a record to what it was and what is given make together. */
function apply(store: Store, resource: Resource, before: Cells, changes: Cells): void {
  const id = Number(before.id)
  const row = settle(store, resource, before, changes)
  save(store, resource, row)
  for (const { taxonomy } of resource.taxonomies) {
    const terms = changes[taxonomy]
    if (terms === undefined) continue
    store.run(LOSE_TERMS, id, taxonomy)
    store.run(GIVE_TERMS, id, taxonomy, terms)
  }
  if (resource.table === 'lessons') moveLesson(store, id, Number(before.course), Number(row.course))
}

/** Makes a record of what a body gives; its id. */
export function createPost(store: Store, resource: Resource, body: Body, author: number): number {
  const id = Number(store.row(NEXT_ID)![0])
  apply(store, resource, blank(resource, id, author), changesOf(store, resource.fields, body, id))
  return id
}

/** Changes what a body gives and nothing else. */
export function updatePost(store: Store, resource: Resource, id: number, body: Body): void {
  const before = stored(store, resource, id)
  // The status a record has is always allowed: also that of the trash, which nobody can give.
  const { status, ...others } = body
  const changes = changesOf(store, resource.fields, status === undefined || status === before.status ? others : body, id)
  apply(store, resource, { ...before, revisions: Number(before.revisions) + 1 }, changes)
}

/** Moves a record to the trash; one that is there already is an error. */
export function trashPost(store: Store, resource: Resource, id: number): void {
  const before = stored(store, resource, id)
  if (before.status === 'trash') throw new RestError(410, 'rest_already_trashed', 'The post has already been deleted.')
  const now = Date.now()
  const slug = trashedSlug(store, resource, before)
  save(store, resource, { ...before, slug, status: 'trash', modified: siteText(now), modified_gmt: gmtText(now) })
}

/** What goes or changes with a record of each table. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  groups: [
    'UPDATE groups SET parent = (SELECT parent FROM groups WHERE id = ?1) WHERE parent = ?1',
    'DELETE FROM group_courses WHERE group_id = ?1',
    'DELETE FROM group_users WHERE group_id = ?1',
    'DELETE FROM group_leaders WHERE group_id = ?1',
  ],
  courses: [
    'UPDATE lessons SET course = 0 WHERE course = ?1',
    'DELETE FROM course_steps WHERE course = ?1',
    'DELETE FROM group_courses WHERE course = ?1',
    'DELETE FROM progress WHERE course = ?1',
  ],
  lessons: ['DELETE FROM course_steps WHERE step = ?1 OR lesson = ?1'],
  quizzes: ['DELETE FROM course_steps WHERE step = ?1', 'DELETE FROM questions WHERE quiz = ?1'],
}

/** Removes a record for ever, with all that hangs on it; the groups below a group move up to its parent. */
export function deletePost(store: Store, { table }: Resource, id: number): void {
  for (const sql of [...WITH[table]!, 'DELETE FROM post_terms WHERE post = ?1', `DELETE FROM ${table} WHERE id = ?1`]) store.run(sql, id)
}
