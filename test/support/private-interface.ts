import { markedNumber, markOf } from './marks.js'
import type { Caller } from './private-callers.js'
import {
  courseOfLesson,
  courseOfQuiz,
  coursesOfGroup,
  IDS,
  isDraft,
  lessonOfQuiz,
  PRICE_TYPES,
  type Row,
  rowOf,
  type Seen,
} from './private-records.js'

/** A parsed request. */
export interface Asked {
  readonly caller: Pick<Caller, 'number' | 'role'>
  readonly method: string
  /** Path below the REST root. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Row
}

/** A response. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or a text that is sent unchanged. */
  readonly body: unknown
  /** Closes the connection in the middle of the response. */
  readonly broken?: boolean
}

/** Ids of courses that are never listed, and the response to reading one of them. */
export const FAULTY = { unknown: 1_901, broken: 1_902, failing: 1_903, page: 1_904, moved: 1_905, busy: 1_906 } as const

/** Id of a group that members may not write, and that is missing for editors. */
export const GUARDED = 199

const FAULTS: Readonly<Record<number, (mark: string) => Reply>> = {
  [FAULTY.broken]: (mark) => ({ status: 200, body: { id: FAULTY.broken, slug: mark, title: { rendered: mark } }, broken: true }),
  [FAULTY.failing]: (mark) => error(500, `internal_error ${mark}`, `It broke ${mark}`),
  [FAULTY.page]: (mark) => ({ status: 200, body: `<html>${mark}</html>` }),
  [FAULTY.moved]: (mark) => ({ status: 302, headers: { location: `https://site.test/${mark}` }, body: { moved: mark } }),
  [FAULTY.busy]: (mark) => error(429, `too_many ${mark}`, `Slow down ${mark}`),
}

const error = (status: number, code: string, message: string, data: object = {}): Reply => ({
  status,
  body: { code, message, data: { status, ...data } },
})

const markIn = ({ caller }: Asked): string => markOf(caller.number)
const missing = (asked: Asked): Reply => error(404, `rest_invalid_id ${markIn(asked)}`, `There is none, ${markIn(asked)}.`)
const refused = (asked: Asked, what: string): Reply =>
  error(asked.caller.role === 'nobody' ? 401 : 403, `rest_forbidden ${markIn(asked)}`, `You may not ${what}, ${markIn(asked)}.`)

const listOf = (query: URLSearchParams, name: string): string[] | undefined => query.get(name)?.split(',')
const numberOf = (query: URLSearchParams, name: string): number | undefined => (query.has(name) ? Number(query.get(name)) : undefined)

const seenBy = ({ caller, query }: Asked): Seen => ({
  caller: caller.number,
  edit: query.get('context') === 'edit',
  filter: listOf(query, '_filter'),
})

/** One window of rows with its totals. */
function page(asked: Asked, ids: readonly number[], row: (id: number) => Row): Reply {
  const { query } = asked
  const size = numberOf(query, 'per_page') ?? 10
  const start = numberOf(query, 'offset') ?? ((numberOf(query, 'page') ?? 1) - 1) * size
  const headers = {
    'x-wp-total': String(ids.length),
    'x-wp-totalpages': String(Math.ceil(ids.length / size)),
    link: `<https://site.test/${markIn(asked)}>; rel="next"`,
  }
  return { status: 200, headers, body: ids.slice(start, start + size).map(row) }
}

interface Posts {
  readonly type: 'Group' | 'Course' | 'Lesson' | 'Quiz'
  /** Only editors may list it without a course. */
  readonly narrowed?: (id: number, course: number) => boolean
  /** Responses to creates have only a `Location`. */
  readonly silent?: boolean
}

const POSTS: Readonly<Record<string, Posts>> = {
  'v1/groups': { type: 'Group' },
  'v1/sfwd-courses': { type: 'Course' },
  'v2/sfwd-lessons': { type: 'Lesson', narrowed: (id, course) => courseOfLesson(id) === course, silent: true },
  'v1/sfwd-quiz': { type: 'Quiz', narrowed: (id, course) => courseOfQuiz(id) === course },
}

/** Ids that pass the filters of a list. */
function filtered({ query }: Asked, { type, narrowed }: Posts, drafts: boolean): number[] {
  const [include, exclude] = [listOf(query, 'include')?.map(Number), listOf(query, 'exclude')?.map(Number)]
  const [course, lesson] = [numberOf(query, 'course'), numberOf(query, 'lesson')]
  const ids = IDS[type].filter(
    (id) =>
      (include?.includes(id) ?? true) &&
      !exclude?.includes(id) &&
      (drafts || !isDraft(type, id)) &&
      (course === undefined || narrowed === undefined || narrowed(id, course)) &&
      (lesson === undefined || type !== 'Quiz' || lessonOfQuiz(id) === lesson),
  )
  return query.get('order') === 'desc' ? ids.reverse() : ids
}

function listPosts(asked: Asked, posts: Posts): Reply {
  const { caller, query } = asked
  const editor = caller.role === 'editor'
  const status = query.get('status')
  if (status !== null && status !== 'publish' && !editor) {
    const message = `Status ${status} is not for ${markIn(asked)}.`
    const details = { status: { code: 'rest_forbidden_status', message, data: null } }
    return error(400, `rest_invalid_param ${markIn(asked)}`, message, { params: { status: message }, details })
  }
  if (query.get('context') === 'edit' && !editor) return refused(asked, 'edit these')
  if (posts.narrowed && !query.has('course') && !editor) return refused(asked, 'list all')
  return page(asked, filtered(asked, posts, status === 'any'), (id) => rowOf(posts.type, id, seenBy(asked)))
}

function getPost(asked: Asked, { type }: Posts, id: number): Reply {
  const { caller, query } = asked
  const fault = FAULTS[id]
  if (fault) return fault(markIn(asked))
  if (!(IDS[type] as readonly number[]).includes(id)) return missing(asked)
  if (caller.role !== 'editor' && (isDraft(type, id) || query.get('context') === 'edit')) return refused(asked, `see ${id} like that`)
  const password = query.get('password')
  if (password?.startsWith('wrong')) return error(403, `rest_post_incorrect_password ${markIn(asked)}`, `Wrong, ${markIn(asked)}.`)
  const row = rowOf(type, id, seenBy(asked))
  return { status: 200, body: password && row.content ? { ...row, content: { ...row.content, rendered: `opened by ${password}` } } : row }
}

/** The response has the values that were sent; the site never changes. */
function written(asked: Asked, { type }: Posts, id: number): Row {
  const row = rowOf(type, id, { caller: asked.caller.number, edit: true })
  for (const [name, value] of Object.entries(asked.body))
    row[name] = ['title', 'content'].includes(name) ? { ...row[name], raw: value, rendered: value } : value
  return row
}

function writePost(asked: Asked, posts: Posts, id: number | undefined): Reply {
  const { caller, method, query, body } = asked
  const mark = markIn(asked)
  if (caller.role === 'nobody' || (caller.role === 'member' && id === GUARDED)) return refused(asked, 'write')
  if (id !== undefined && !(IDS[posts.type] as readonly number[]).includes(id)) return missing(asked)
  if (method === 'DELETE' && id === IDS.Group[0]) return error(410, 'rest_already_trashed', `It lies there, ${mark}.`)
  if (method === 'DELETE' && query.get('force') === 'true')
    return { status: 200, body: { deleted: true, previous: written(asked, posts, id as number) } }
  if (String(body.title).startsWith('refused'))
    return error(400, `rest_invalid_param ${mark}`, `No ${mark}`, { params: { title: `Not for ${mark}.` } })
  if (id !== undefined) return { status: 200, body: written(asked, posts, id) }
  const made = IDS[posts.type][1] as number
  const headers = { location: `https://site.test/${mark}/${made}` }
  return { status: 201, headers, body: posts.silent ? { note: mark } : written(asked, posts, made) }
}

function answerPosts(asked: Asked, posts: Posts, id: string | undefined): Reply {
  if (asked.method !== 'GET') return writePost(asked, posts, id === undefined ? undefined : Number(id))
  return id === undefined ? listPosts(asked, posts) : getPost(asked, posts, Number(id))
}

function answerGroupCourses(asked: Asked, group: number): Reply {
  const { caller, method, body } = asked
  const mark = markIn(asked)
  if (!(IDS.Group as readonly number[]).includes(group)) return missing(asked)
  if (method === 'GET') return page(asked, coursesOfGroup(group), (id) => rowOf('GroupCourse', id, seenBy(asked)))
  if (caller.role === 'nobody') return refused(asked, 'add courses')
  const added = (body.course_ids as number[]).map((id) => ({ course_id: id, status: 'success', code: `added ${mark}`, message: mark }))
  return { status: 200, body: added }
}

function answerProgress(asked: Asked, user: number, course: string | undefined): Reply {
  if (asked.caller.role !== 'editor' && user === IDS.User.length) return refused(asked, 'look at others')
  const row = (id: number): Row => ({ ...rowOf('CourseProgress', user * 10_000 + id, seenBy(asked)), id: undefined, course: id })
  const taken = IDS.Course.filter((id) => (id + user) % 4 !== 0)
  if (course !== undefined) return taken.includes(Number(course)) ? { status: 200, body: row(Number(course)) } : missing(asked)
  const include = listOf(asked.query, 'include')?.map(Number)
  return page(asked, include ? taken.filter((id) => include.includes(id)) : taken, row)
}

function answerPriceTypes(asked: Asked, slug: string | undefined): Reply {
  const row = (each: string): Row => ({ ...rowOf('PriceType', PRICE_TYPES.indexOf(each), seenBy(asked)), id: undefined, slug: each })
  if (slug === undefined) return { status: 200, body: PRICE_TYPES.map(row) }
  return PRICE_TYPES.includes(slug) ? { status: 200, body: row(slug) } : missing(asked)
}

function answerQuestion(asked: Asked, id: number): Reply {
  if (asked.caller.role === 'nobody') return refused(asked, 'see questions')
  if (!(IDS.Question as readonly number[]).includes(id)) return missing(asked)
  return { status: 200, body: { ...rowOf('Question', id, seenBy(asked)), _id: markedNumber(asked.caller.number, id) } }
}

/** Records of WordPress itself: their rows carry the marks of the caller too. */
function answerOwn(asked: Asked, type: 'User' | 'FeaturedImage' | 'LmsTerm', id: string | undefined): Reply {
  const { caller, query } = asked
  if (query.get('context') === 'edit' && caller.role !== 'editor') return refused(asked, 'edit these')
  const ids = IDS[type] as readonly number[]
  if (id !== undefined) return ids.includes(Number(id)) ? { status: 200, body: rowOf(type, Number(id), seenBy(asked)) } : missing(asked)
  const include = listOf(query, 'include')?.map(Number)
  return page(asked, include ? ids.filter((each) => include.includes(each)) : ids, (each) => rowOf(type, each, seenBy(asked)))
}

const OWN = { users: 'User', media: 'FeaturedImage' } as const

type Answer = (asked: Asked, ...segments: (string | undefined)[]) => Reply

const ROUTES: readonly [RegExp, Answer][] = [
  ...Object.entries(POSTS).map(([path, posts]): [RegExp, Answer] => [
    new RegExp(`^/lms/${path}(?:/(\\d+))?$`),
    (asked, id) => answerPosts(asked, posts, id),
  ]),
  [/^\/lms\/v2\/groups\/(\d+)\/courses$/, (asked, id) => answerGroupCourses(asked, Number(id))],
  [/^\/lms\/v2\/users\/(\d+)\/course-progress(?:\/(\d+))?$/, (asked, user, course) => answerProgress(asked, Number(user), course)],
  [/^\/lms\/v2\/price-types(?:\/([\w-]+))?$/, (asked, slug) => answerPriceTypes(asked, slug)],
  [/^\/lms\/v1\/sfwd-questions\/(\d+)$/, (asked, id) => answerQuestion(asked, Number(id))],
  [
    /^\/wp\/v2\/(users|media|categories|tags|lms_\w+)(?:\/(\d+))?$/,
    (asked, name, id) => answerOwn(asked, OWN[name as keyof typeof OWN] ?? 'LmsTerm', id),
  ],
]

/** The response of the site to a caller: the same records for all, with the marks of the caller. */
export function answerOf(asked: Asked): Reply {
  for (const [pattern, answer] of ROUTES) {
    const [, ...segments] = pattern.exec(asked.path) ?? []
    if (pattern.test(asked.path)) return answer(asked, ...segments)
  }
  return error(404, 'rest_no_route', `No such route, ${markIn(asked)}.`)
}
