import { mayEdit, type Viewer } from '../auth.js'
import { missingParams } from '../errors.js'
import type { ListParams, RawQuery } from '../params.js'
import type { Scope } from '../query.js'
import { checkExists, checkReadable, unknownPost } from '../rights.js'
import type { Store } from '../store.js'
import type { Call, Lms } from './answer.js'

/** The limit of a list, and its parameters as the site interprets them. */
export interface Selection {
  readonly params: ListParams
  readonly scope?: Scope
}

/** Throws when the caller may not read a list. Returns its limit. */
export type Select = (lms: Lms, viewer: Viewer, params: ListParams, call: Call) => Selection

/** The parameters without some of them. */
export function withoutParams(params: ListParams, ...names: readonly ('include' | 'exclude' | 'status')[]): ListParams {
  return { ...params, ...Object.fromEntries(names.map((name) => [name, undefined])) }
}

const LED = 'JOIN group_leaders l ON l.group_id = t.id AND l.user = ?'

/** Whether a list has any record in `include`. */
function hasIncluded(store: Store, table: string, { join, cells }: Scope, include: readonly number[]): boolean {
  const sql = `SELECT 1 FROM ${table} t ${join} WHERE t.id IN (SELECT value FROM json_each(?)) LIMIT 1`
  return store.row(sql, ...cells, JSON.stringify(include)) !== undefined
}

/** Returns all groups, or the groups that the caller leads. */
export const groups: Select = ({ store, rights, switches, resources }, viewer, params) => {
  rights.checkList(viewer, resources.group)
  if (!rights.adminOnly || mayEdit(viewer)) return { params }
  const scope = { join: LED, cells: [viewer!.id] }
  const ignored = switches.leaderIncludeFallback && params.include && !hasIncluded(store, 'groups', scope, params.include)
  return { params: ignored ? withoutParams(params, 'include') : params, scope }
}

/** All courses. */
export const courses: Select = ({ rights, resources }, viewer, params) => {
  rights.checkList(viewer, resources.course)
  return { params }
}

/** The steps of one kind in a course, in the order of the course. */
function stepsOf(kind: 'lesson' | 'topic' | 'quiz', params: ListParams, course: number): Scope {
  let join = `JOIN course_steps s ON s.step = t.id AND s.course = ? AND s.kind = '${kind}'`
  const cells = [course]
  if (params.topic !== undefined) {
    join += ' AND s.topic = ?'
    cells.push(params.topic)
  }
  if (params.lesson !== undefined) {
    // Quizzes of a topic are not quizzes of its lesson: only both filters together find them.
    join += params.topic === undefined ? ' AND s.lesson = ? AND s.topic = 0' : ' AND s.lesson = ?'
    cells.push(params.lesson)
  }
  return { join, cells, order: 's.position' }
}

/** The parameters with the page size of the site. `posts_per_page` overrides it. */
function withPageSize(params: ListParams, size: number, asked: RawQuery[string] | undefined): ListParams {
  if (size === 0) return params
  const given = Number(asked)
  return { ...params, per_page: Number.isInteger(given) && given > 0 ? given : size }
}

/** The lessons of a course. Only administrators may omit the course. */
export const lessons: Select = ({ store, rights, switches, resources }, viewer, params, call) => {
  const { course } = params
  if (course === undefined) {
    if (mayEdit(viewer)) return { params }
    throw rights.adminOnly ? unknownPost(resources.course.label) : missingParams('course')
  }
  const dropped = switches.unknownCourseDropped && mayEdit(viewer) && !store.row('SELECT 1 FROM courses WHERE id = ?', course)
  if (dropped) return { params }
  if (rights.adminOnly) {
    checkExists(store, resources.course, course)
    rights.checkList(viewer, resources.lesson, course)
  }
  checkReadable(store, viewer, resources.course, course)
  return {
    params: withPageSize(params, switches.lessonsPerPage, call.get('query').posts_per_page),
    scope: stepsOf('lesson', params, course),
  }
}

/** The topics of a course, a lesson or both. Only administrators may omit the course. */
export const topics: Select = ({ store, rights, resources }, viewer, params) => {
  const { course, lesson } = params
  rights.checkList(viewer, resources.topic, course)
  if (course !== undefined) {
    checkReadable(store, viewer, resources.course, course)
    return { params, scope: stepsOf('topic', params, course) }
  }
  if (!mayEdit(viewer)) throw missingParams('course')
  return lesson === undefined ? { params } : { params, scope: { join: 'JOIN (SELECT ? AS id) s ON s.id = t.lesson', cells: [lesson] } }
}

const WITHOUT_COURSE: Scope = {
  join: "JOIN (SELECT id FROM quizzes EXCEPT SELECT step FROM course_steps WHERE kind = 'quiz') o ON o.id = t.id",
  cells: [],
}
const ANY_WITHOUT_COURSE = `SELECT 1 FROM quizzes t ${WITHOUT_COURSE.join} LIMIT 1`

/** The quizzes of a course. Only administrators may omit the course. */
export const quizzes: Select = ({ store, rights, switches, resources }, viewer, params) => {
  const { course, include } = params
  rights.checkList(viewer, resources.quiz)
  if (course === undefined && (!mayEdit(viewer) || params.lesson !== undefined || params.topic !== undefined)) throw missingParams('course')
  if (course !== undefined) checkReadable(store, viewer, resources.course, course)
  const scope = course === undefined ? undefined : stepsOf('quiz', params, course)
  if (!switches.quizIncludeFallback) return { params, ...(scope && { scope }) }
  const within = scope ?? WITHOUT_COURSE
  // With `quizIncludeFallback`, a filter that matches nothing is ignored.
  const some = include ? hasIncluded(store, 'quizzes', within, include) : scope !== undefined || store.row(ANY_WITHOUT_COURSE) !== undefined
  return some ? { params, scope: within } : { params: withoutParams(params, 'include') }
}
