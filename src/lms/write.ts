import type { Body } from './body.js'
import { changesOf } from './changes.js'
import { RestError } from './errors.js'
import type { Resource } from './spec/index.js'
import { resolveRow, trashedSlug } from './state.js'
import type { Cells, Store } from './store.js'
import { gmtText, siteText } from './time.js'

const IS_LESSON_OR_BELOW = 'course = ?1 AND (step = ?2 OR lesson = ?2)'
const REMOVE_STEPS = `DELETE FROM course_steps WHERE ${IS_LESSON_OR_BELOW}`

/** Appends a step to those of its kind. A step that is in the course already stays. */
const APPEND_STEP = `
  INSERT OR IGNORE INTO course_steps (course, position, step, kind, lesson, topic)
  SELECT ?1, coalesce(max(position), 0) + 1, ?2, ?3, ?4, ?5 FROM course_steps WHERE course = ?1 AND kind = ?3`

/** Moves a lesson, with its topics and quizzes, from one course to the end of another. 0 is no course. */
function moveLesson(store: Store, lesson: number, from: number, to: number): void {
  if (from === to) return
  const below = store.rows(
    `SELECT step, kind, lesson, topic FROM course_steps WHERE ${IS_LESSON_OR_BELOW} AND lesson <> 0 ORDER BY position`,
    from,
    lesson,
  )
  store.run(REMOVE_STEPS, from, lesson)
  if (to === 0) return
  for (const step of [[lesson, 'lesson', 0, 0], ...below]) store.run(APPEND_STEP, to, ...step)
}

/** Columns that every write sets, besides those of writable fields. */
const COMMON_COLUMNS = ['id', 'revisions', 'modified', 'modified_gmt']

const columnsOf = ({ fields }: Resource): string[] => [
  ...COMMON_COLUMNS,
  ...fields.filter(({ readOnly, kind }) => !readOnly && kind !== 'terms').map(({ column }) => column),
]

/** The next id. Ids are unique over all kinds of records, because terms and steps refer to ids only, and are never reused. */
const NEXT_ID = "SELECT max(seq) + 1 FROM sqlite_sequence WHERE name <> 'users'"

/** A new record with its defaults. */
function blank(resource: Resource, id: number, author: number): Cells {
  const defaults = resource.fields.map(({ column, default: fallback }) => [column, fallback ?? null] as const)
  return { ...Object.fromEntries(defaults), id, author, revisions: 0 }
}

/** The stored columns of an existing record. */
function stored(store: Store, resource: Resource, id: number): Cells {
  const columns = columnsOf(resource)
  const row = store.row(`SELECT ${columns.join(', ')} FROM ${resource.table} WHERE id = ?`, id)!
  return Object.fromEntries(columns.map((column, index) => [column, row[index]!]))
}

function save(store: Store, resource: Resource, row: Cells): void {
  store.save(resource.table, Object.fromEntries(columnsOf(resource).map((column) => [column, row[column] ?? null])))
}

const DELETE_TERMS = 'DELETE FROM post_terms WHERE post = ? AND taxonomy = ?'
const INSERT_TERMS = 'INSERT INTO post_terms (post, taxonomy, term) SELECT ?, ?, value FROM json_each(?)'

/** Saves a record with its changes. */
function applyChanges(store: Store, resource: Resource, before: Cells, changes: Cells): void {
  const id = Number(before.id)
  const row = resolveRow(store, resource, before, changes)
  save(store, resource, row)
  for (const { taxonomy } of resource.taxonomies) {
    const terms = changes[taxonomy]
    if (terms === undefined) continue
    store.run(DELETE_TERMS, id, taxonomy)
    store.run(INSERT_TERMS, id, taxonomy, terms)
  }
  if (resource.table === 'lessons') moveLesson(store, id, Number(before.course), Number(row.course))
}

/** Creates a record from a body. Returns its id. */
export function createPost(store: Store, resource: Resource, body: Body, author: number): number {
  const id = Number(store.row(NEXT_ID)![0])
  applyChanges(store, resource, blank(resource, id, author), changesOf(store, resource.fields, body, id))
  return id
}

/** Changes the fields that a body has, and no others. */
export function updatePost(store: Store, resource: Resource, id: number, body: Body): void {
  const before = stored(store, resource, id)
  // The current status is always allowed, also `trash`, which is not a valid value otherwise.
  const { status, ...others } = body
  const changes = changesOf(store, resource.fields, status === undefined || status === before.status ? others : body, id)
  applyChanges(store, resource, { ...before, revisions: Number(before.revisions) + 1 }, changes)
}

/** Moves a record to the trash. Throws when it is there already. */
export function trashPost(store: Store, resource: Resource, id: number): void {
  const before = stored(store, resource, id)
  if (before.status === 'trash') throw new RestError(410, 'rest_already_trashed', 'The post has already been deleted.')
  const now = Date.now()
  const slug = trashedSlug(store, resource, before)
  save(store, resource, { ...before, slug, status: 'trash', modified: siteText(now), modified_gmt: gmtText(now) })
}

/** By table: the statements that remove or change dependent rows when a record is deleted. */
const DEPENDENT_CHANGES: Readonly<Record<string, readonly string[]>> = {
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

/** Deletes a record and its dependent rows. The groups below a group move up to its parent. */
export function deletePost(store: Store, { table }: Resource, id: number): void {
  const common = [
    'DELETE FROM post_terms WHERE post = ?1',
    'UPDATE media SET parent = 0 WHERE parent = ?1',
    `DELETE FROM ${table} WHERE id = ?1`,
  ]
  for (const sql of [...DEPENDENT_CHANGES[table]!, ...common]) store.run(sql, id)
}
