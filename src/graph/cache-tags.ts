import { ACCESS, EVERYTHING, type ReadTags, type SiteChange, type Tag, type Tagging, USERS } from '../upstream/cache/tags.js'
import { reference } from '../upstream/codec/kinds.js'
import { getOrMake } from '../upstream/maps.js'
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
  'block',
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

/** Types of posts that have posts below them: the access to these, and their addresses, depend on the ones above. */
const GUARDS: readonly string[] = ['group', 'course', 'lesson', 'topic', 'quiz']

/**
 * Columns that show nothing but the record itself: a change of them changes neither who may see what, nor the address of another record. Plugins
 * keep in `meta` who may see a course or group, so that it is such a column of the others only.
 */
const HARMLESS = [
  ...['title', 'content', 'excerpt', 'materials', 'course_materials', 'quiz_materials', 'featured_media', 'template'],
  ...['comment_status', 'ping_status', 'custom_button_label', 'custom_button_url'],
]
const isHarmlessIn = (type: string, column: string): boolean =>
  HARMLESS.includes(column) || (column === 'meta' && type !== 'course' && type !== 'group')

/** Columns that show the slugs of terms, and the content of blocks. */
const SHOWING = { terms: ['class_list'], blocks: ['content', 'content.rendered', 'materials', 'course_materials', 'quiz_materials'] }
const ALL = Object.values(SHOWING).flat()
const shownIn = new WeakMap<readonly unknown[], readonly Tag[]>()

/** The tags of what columns show of terms and blocks. Many reads have the same list of columns. */
const tagsOf = (columns: unknown, list = Array.isArray(columns) ? columns : ALL): readonly Tag[] =>
  getOrMake(shownIn, list, () => Object.entries(SHOWING).flatMap(([tag, all]) => (all.some((each) => list.includes(each)) ? tag : [])))

const PROGRESS = [
  'v2/users/:user/course-progress',
  'v2/users/:user/course-progress/:course',
  'v2/users/:user/course-progress/:course/steps',
]

const UNKNOWN: ReadTags = { type: undefined, tags: [EVERYTHING, ANY, ACCESS] }

function tagsOfRead({ path }: Pick<Route, 'path'>, params: Params, query: Readonly<Record<string, unknown>>, filter = ''): ReadTags {
  if (PROGRESS.includes(path))
    return {
      type: 'CourseProgress',
      tags: [EVERYTHING, ACCESS, 'progress', `progress:${params.user}`, 'courses', 'lessons', 'topics', 'quizzes'],
    }
  const shown = tagsOf(query[filter])
  if (path === 'v2/groups/:id/courses')
    return {
      type: 'Course',
      tags: [EVERYTHING, ACCESS, 'group', `group:${params.id}`, `courses:of:group:${params.id}`, 'course', 'courses', ...shown],
    }
  const [, segment = '', key, ...rest] = path.split('/')
  const known = Object.hasOwn(SEGMENTS, segment) ? SEGMENTS[segment] : undefined
  if (!known || rest.length > 0) return UNKNOWN
  const { type, change, lists } = known
  const tags: Tag[] = GUARDS.includes(change) ? [EVERYTHING, change, ...shown] : [EVERYTHING, change]
  if (!OPEN.includes(type)) tags.push(ACCESS)
  if (key !== undefined) {
    tags.push(`${change}:${Object.values(params)[0]}`)
    return { type, tags }
  }
  const { include } = query
  if (Array.isArray(include) && include.length > 0) {
    for (const id of include) tags.push(`${change}:${id}`)
    return { type, tags, whenIncomplete: lists, requested: include.length }
  }
  tags.push(lists)
  // Some sites keep the order of lessons, and the place of quizzes, with the course.
  if (type === 'Quiz') tags.push('lessons', 'topics')
  return { type, tags }
}

function tagsOfChange({ type, id, kind, columns }: SiteChange): readonly Tag[] {
  switch (type) {
    case 'site':
      return [EVERYTHING]
    case 'term':
      return kind === 'deleted' ? [EVERYTHING] : kind === 'created' ? [ANY] : [ANY, 'terms']
    case 'block':
      return [ANY, 'blocks']
    case 'progress':
      return id === undefined ? [ANY, 'progress', ACCESS] : [ANY, `progress:${id}`, `user:${id}`, USERS]
    case 'user':
      return id === undefined
        ? [ANY, 'progress', ACCESS]
        : [ANY, `progress:${id}`, `user:${id}`, USERS, ...(kind === 'updated' || kind === 'created' ? [] : [ACCESS])]
  }
  const lists = LISTS[type] ?? type
  const isHarmless = kind === 'updated' && (columns?.every((name) => isHarmlessIn(type, name)) ?? !GUARDS.includes(type))
  // Price types have no numbers. The addresses of groups have those of their parents.
  const record = id === undefined || type === 'priceType' || (type === 'group' && !isHarmless) ? type : `${type}:${id}`
  if (type === 'group' && kind === 'members') return [ANY, ACCESS, id === undefined ? 'group' : `courses:of:group:${id}`]
  const changed = kind === 'created' && id === undefined ? [lists] : [record, lists]
  return isHarmless ? [ANY, ...changed] : [ANY, ACCESS, ...changed]
}

function widerThan(tag: Tag): Tag {
  const [type = '', id] = tag.split(':')
  if (id === undefined) return tag
  return type === 'progress' ? USERS : (LISTS[type] ?? ACCESS)
}

function changeOfWrite(method: 'POST' | 'DELETE', { path }: Pick<Route, 'path'>, params: Params, body?: object, id?: number): SiteChange {
  if (path === 'v2/groups/:id/courses') return { type: 'group', id: numberIn(params.id), kind: 'members' }
  const [, segment = '', key, ...rest] = path.split('/')
  const known = Object.hasOwn(SEGMENTS, segment) ? SEGMENTS[segment] : undefined
  if (!known || rest.length > 0) return { type: 'site', kind: 'updated' }
  const { change: type } = known
  if (method === 'DELETE') return { type, id: numberIn(params.id), kind: 'deleted' }
  return key === undefined
    ? { type, id, kind: 'created' }
    : { type, id: numberIn(params.id), kind: 'updated', columns: body && Object.keys(body) }
}

const numberIn = (value: string | number | undefined): number | undefined => {
  const id = value === undefined ? undefined : reference(value)
  return typeof id === 'number' ? id : undefined
}

/** What the reads and writes of the specification depend on and change. Answers of other routes are dropped by each change. */
export const TAGGING: Tagging = { ofRead: tagsOfRead, ofChange: tagsOfChange, changeOf: changeOfWrite, widerThan }
