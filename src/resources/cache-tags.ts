import { ACCESS, EVERYTHING, type ReadTags, type SiteChange, type Tag, type Tagging, USERS } from '../upstream/cache/tags.js'
import { reference } from '../upstream/codec/kinds.js'
import type { Params, Route } from '../upstream/routes.js'

/** The kinds of records that a change can name. */
export const CHANGE_TYPES = [
  'group',
  'course',
  'lesson',
  'topic',
  'quiz',
  'question',
  'priceType',
  'progress',
  'user',
  'term',
  'site',
] as const

type ChangeType = (typeof CHANGE_TYPES)[number]

/** Raised by each change. Answers with unknown dependencies carry it. */
const ANY = 'any'
/** The record types by the segment of their routes: their name in the graph, in changes, and that of their lists. */
const SEGMENTS: Readonly<Record<string, { readonly type: string; readonly change: ChangeType; readonly lists: string }>> = {
  groups: { type: 'Group', change: 'group', lists: 'groups' },
  'sfwd-courses': { type: 'Course', change: 'course', lists: 'courses' },
  'sfwd-lessons': { type: 'Lesson', change: 'lesson', lists: 'lessons' },
  'sfwd-topic': { type: 'Topic', change: 'topic', lists: 'topics' },
  'sfwd-quiz': { type: 'Quiz', change: 'quiz', lists: 'quizzes' },
  'sfwd-questions': { type: 'Question', change: 'question', lists: 'questions' },
  'price-types': { type: 'PriceType', change: 'priceType', lists: 'priceTypes' },
}

const LISTS: Readonly<Record<string, string>> = Object.fromEntries(Object.values(SEGMENTS).map(({ change, lists }) => [change, lists]))

/** Types whose records the site shows to all callers alike, apart from drafts. What it shows of others depends on the access to courses. */
const OPEN: readonly string[] = ['Group', 'Course', 'PriceType']

const PROGRESS = [
  'v2/users/:user/course-progress',
  'v2/users/:user/course-progress/:course',
  'v2/users/:user/course-progress/:course/steps',
]

const UNKNOWN: ReadTags = { type: undefined, tags: [EVERYTHING, ANY, ACCESS] }

function tagsOfRead({ path }: Pick<Route, 'path'>, params: Params, { include }: Readonly<Record<string, unknown>>): ReadTags {
  if (PROGRESS.includes(path))
    return {
      type: 'CourseProgress',
      tags: [EVERYTHING, ACCESS, 'progress', `progress:${params.user}`, 'courses', 'lessons', 'topics', 'quizzes'],
    }
  if (path === 'v2/groups/:id/courses')
    return {
      type: 'Course',
      tags: [EVERYTHING, ACCESS, 'group', `group:${params.id}`, `courses:of:group:${params.id}`, 'course', 'courses'],
    }
  const [, segment = '', key, ...rest] = path.split('/')
  const known = Object.hasOwn(SEGMENTS, segment) ? SEGMENTS[segment] : undefined
  if (!known || rest.length > 0) return UNKNOWN
  const { type, change, lists } = known
  const tags: Tag[] = OPEN.includes(type) ? [EVERYTHING, change] : [EVERYTHING, change, ACCESS]
  if (key !== undefined) {
    tags.push(`${change}:${Object.values(params)[0]}`)
    return { type, tags }
  }
  if (Array.isArray(include) && include.length > 0) {
    for (const id of include) tags.push(`${change}:${id}`)
    return { type, tags, whenIncomplete: lists, requested: include.length }
  }
  tags.push(lists)
  // Some sites keep the order of lessons, and the place of quizzes, with the course.
  if (type === 'Quiz') tags.push('lessons', 'topics')
  return { type, tags }
}

function tagsOfChange({ type, id, kind }: SiteChange): readonly Tag[] {
  switch (type) {
    case 'site':
      return [EVERYTHING]
    case 'term':
      return kind === 'deleted' ? [EVERYTHING] : [ANY]
    case 'progress':
      return id === undefined ? [ANY, 'progress', ACCESS] : [ANY, `progress:${id}`, `user:${id}`, USERS]
    case 'user':
      return id === undefined
        ? [ANY, 'progress', ACCESS]
        : [ANY, `progress:${id}`, `user:${id}`, USERS, ...(kind === 'updated' || kind === 'created' ? [] : [ACCESS])]
  }
  const lists = LISTS[type] ?? type
  // Price types have no numbers.
  const record = id === undefined || type === 'priceType' ? type : `${type}:${id}`
  if (type === 'group' && kind === 'members') return [ANY, ACCESS, id === undefined ? 'group' : `courses:of:group:${id}`]
  const changed = kind === 'created' && id === undefined ? [lists] : [record, lists]
  return type === 'course' || type === 'group' || kind !== 'updated' ? [ANY, ACCESS, ...changed] : [ANY, ...changed]
}

function widerThan(tag: Tag): Tag {
  const [type = '', id] = tag.split(':')
  if (id === undefined) return tag
  return type === 'progress' ? USERS : (LISTS[type] ?? ACCESS)
}

function changeOfWrite(method: 'POST' | 'DELETE', { path }: Pick<Route, 'path'>, params: Params, id?: number): SiteChange {
  if (path === 'v2/groups/:id/courses') return { type: 'group', id: numberIn(params.id), kind: 'members' }
  const [, segment = '', key, ...rest] = path.split('/')
  const known = Object.hasOwn(SEGMENTS, segment) ? SEGMENTS[segment] : undefined
  if (!known || rest.length > 0) return { type: 'site', kind: 'updated' }
  const { change: type } = known
  if (method === 'DELETE') return { type, id: numberIn(params.id), kind: 'deleted' }
  return key === undefined ? { type, id, kind: 'created' } : { type, id: numberIn(params.id), kind: 'updated' }
}

const numberIn = (value: string | number | undefined): number | undefined => {
  const id = value === undefined ? undefined : reference(value)
  return typeof id === 'number' ? id : undefined
}

/** What the reads and writes of the specification depend on and change. Answers of other routes are dropped by each change. */
export const TAGGING: Tagging = { ofRead: tagsOfRead, ofChange: tagsOfChange, changeOf: changeOfWrite, widerThan }
