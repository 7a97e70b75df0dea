import { mayEdit, type Viewer } from '../auth.js'
import { missingParams } from '../errors.js'
import type { ListParams, RawQuery } from '../params.js'
import type { Scope } from '../query.js'
import type { Store } from '../store.js'
import type { Lms } from './answer.js'
import { checkExists, readable, unknownPost } from './readable.js'

/** What a list is limited to, and its parameters as the site takes them. */
export interface Selection {
  readonly params: ListParams
  readonly scope?: Scope
}

/** Decides what a list is limited to, and whether the caller may ask for it. */
export type Select = (lms: Lms, viewer: Viewer, params: ListParams, query: RawQuery) => Selection

/** Parameters without some of them. */
export const dropping = (params: ListParams, ...names: readonly string[]): ListParams =>
  Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name))) as unknown as ListParams

const LED = 'JOIN group_leaders l ON l.group_id = t.id AND l.user = ?'

/** Whether a list has any of the records that `include` names. */
function hasIncluded(store: Store, table: string, { join, cells }: Scope, include: readonly number[]): boolean {
  const sql = `SELECT 1 FROM ${table} t ${join} WHERE t.id IN (SELECT value FROM json_each(?)) LIMIT 1`
  return store.row(sql, ...cells, JSON.stringify(include)) !== undefined
}

/** Groups: all of them, or those the caller leads. */
export const groups: Select = ({ store, rights, switches, resources }, viewer, params) => {
  rights.checkList(viewer, resources.group)
  if (!rights.narrow || mayEdit(viewer)) return { params }
  const scope = { join: LED, cells: [viewer!.id] }
  const lost = switches.leaderIncludeFallback && params.include && !hasIncluded(store, 'groups', scope, params.include)
  return { params: lost ? dropping(params, 'include') : params, scope }
}

/** Courses: all of them. */
export const courses: Select = ({ rights, resources }, viewer, params) => {
  rights.checkList(viewer, resources.course)
  return { params }
}

/** The steps of a course, of one kind, in its order. */
function stepsOf(kind: 'lesson' | 'quiz', params: ListParams, course: number): Scope {
  let join = `JOIN course_steps s ON s.step = t.id AND s.course = ? AND s.kind = '${kind}'`
  const cells = [course]
  if (params.topic !== undefined) {
    join += ' AND s.topic = ?'
    cells.push(params.topic)
  }
  if (params.lesson !== undefined) {
    // Quizzes of a lesson's topics belong to the topic; only both filters together reach them.
    join += params.topic === undefined ? ' AND s.lesson = ? AND s.topic = 0' : ' AND s.lesson = ?'
    cells.push(params.lesson)
  }
  return { join, cells, order: 's.position' }
}

/** The page size of a course's lessons, where that is the site's to say. */
function sized(params: ListParams, size: number, asked: RawQuery[string] | undefined): ListParams {
  if (size === 0) return params
  const given = Number(asked)
  return { ...params, per_page: Number.isInteger(given) && given > 0 ? given : size }
}

/** Lessons: those of a course, which only editors may leave out. */
export const lessons: Select = ({ store, rights, switches, resources }, viewer, params, query) => {
  const { course } = params
  if (course === undefined) {
    if (mayEdit(viewer)) return { params }
    throw rights.narrow ? unknownPost(resources.course.label) : missingParams('course')
  }
  const dropped = switches.unknownCourseDropped && mayEdit(viewer) && !store.row('SELECT 1 FROM courses WHERE id = ?', course)
  if (dropped) return { params }
  if (rights.narrow) {
    checkExists(store, resources.course, course)
    rights.checkList(viewer, resources.lesson, course)
  }
  readable(store, viewer, resources.course, course)
  return { params: sized(params, switches.lessonsPerPage, query.posts_per_page), scope: stepsOf('lesson', params, course) }
}

const OF_NO_COURSE: Scope = {
  join: "JOIN (SELECT id FROM quizzes EXCEPT SELECT step FROM course_steps WHERE kind = 'quiz') o ON o.id = t.id",
  cells: [],
}
const ANY_OF_NO_COURSE = `SELECT 1 FROM quizzes t ${OF_NO_COURSE.join} LIMIT 1`

/** Quizzes: those of a course, which only editors may leave out. */
export const quizzes: Select = ({ store, rights, switches, resources }, viewer, params) => {
  const { course, include } = params
  rights.checkList(viewer, resources.quiz)
  if (course === undefined && (!mayEdit(viewer) || params.lesson !== undefined || params.topic !== undefined)) throw missingParams('course')
  if (course !== undefined) readable(store, viewer, resources.course, course)
  const scope = course === undefined ? undefined : stepsOf('quiz', params, course)
  if (!switches.quizIncludeFallback) return { params, ...(scope && { scope }) }
  const within = scope ?? OF_NO_COURSE
  // A filter that leaves nothing is no filter.
  const some = include ? hasIncluded(store, 'quizzes', within, include) : scope !== undefined || store.row(ANY_OF_NO_COURSE) !== undefined
  return some ? { params, scope: within } : { params: dropping(params, 'include') }
}
