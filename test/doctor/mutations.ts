import type { Finding } from '../../src/doctor/finding.js'
import type { ProxyOptions, Reply } from '../support/altering-proxy.js'

/** A defect of a site, and the finding that must report it. */
export interface Mutation extends Partial<ProxyOptions> {
  readonly name: string
  /** Required texts in the title and text of the finding. */
  readonly says: RegExp
}

type Json = Record<string, any>

/** Kinds of records, with their routes and their names in findings. */
export const KINDS = {
  'price types': /\/v2\/price-types/,
  groups: /\/v1\/groups(?!\/\d+\/)/,
  courses: /\/v1\/sfwd-courses/,
  'courses of a group': /\/v2\/groups\/\d+\/courses/,
  lessons: /\/v2\/sfwd-lessons/,
  quizzes: /\/v1\/sfwd-quiz/,
  questions: /\/v1\/sfwd-questions/,
  'course progress': /\/course-progress/,
} as const satisfies Record<string, RegExp>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Changes the records of some responses, except errors. */
const altering =
  (of: RegExp, change: (row: Json) => Json) =>
  (path: string, reply: Reply): Reply => {
    if (!of.test(path) || reply.status >= 300) return reply
    const body = Array.isArray(reply.body) ? reply.body.map(change) : isObject(reply.body) ? change(reply.body) : reply.body
    return { ...reply, body }
  }

/** A record with a changed member. A dot leads into an object, and `[]` into each item of a list. */
function changed(row: Json, [name, ...inner]: readonly string[], change: (value: unknown) => unknown): Json {
  const key = (name as string).replace('[]', '')
  if (!(key in row)) return row
  if (inner.length > 0) {
    const value = row[key]
    if (Array.isArray(value)) return { ...row, [key]: value.map((each) => (isObject(each) ? changed(each, inner, change) : each)) }
    return isObject(value) ? { ...row, [key]: changed(value, inner, change) } : row
  }
  const { [key]: before, ...rest } = row
  const after = change(before)
  return after === undefined ? rest : { ...rest, [key]: after }
}

/** Members without a field in the graph. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  'price types': ['_links', 'label'],
  questions: ['_links', '_questionPostId', '_previousId', '_online'],
  lessons: ['is_external', 'external_type', 'external_require_attendance'],
  quizzes: ['class_list'],
  'courses of a group': ['class_list'],
  'course progress': ['date_started_gmt', 'date_completed_gmt'],
}
const UNREAD_ANYWHERE = ['content.block_version', 'guid.raw']

/** Every member of some records the graph reads: of objects that stand for a text each of theirs, of lists of records each of theirs too. */
export function membersOf(kind: string, rows: readonly Json[]): string[] {
  const paths = rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, value]) => {
      if (['title', 'content', 'guid'].includes(name)) return Object.keys(value as Json).map((inner) => `${name}.${inner}`)
      if (name !== '_answerData') return [name]
      return [name, ...(value as Json[]).flatMap((each) => Object.keys(each).map((inner) => `${name}[].${inner}`))]
    }),
  )
  return [...new Set(paths)].filter((path) => ![...UNREAD_ANYWHERE, ...(UNREAD[kind] ?? [])].includes(path))
}

/** A value of a wrong type. */
const retyped = (value: unknown): unknown => {
  if (typeof value === 'number') return 'n/a'
  if (typeof value === 'boolean') return 'maybe'
  if (typeof value === 'string') return { raw: value }
  if (Array.isArray(value)) return 'none'
  return isObject(value) ? 'none' : { raw: null }
}

/** The expected finding for a member: its name, in a finding about its kind. */
const names = (kind: string, member: string): RegExp => new RegExp(`of ${kind}\\b.*(^|[ ,:])${quoted(member.replace('[].', ': '))}([ ,]|$)`)

/** Removes every member, and changes the type of every member. */
export const ofMembers = (kind: keyof typeof KINDS, members: readonly string[]): Mutation[] =>
  members.flatMap((member) => [
    {
      name: `${kind}: ${member} is gone`,
      says: names(kind, member),
      answer: altering(KINDS[kind], (row) => changed(row, member.split('.'), () => undefined)),
    },
    {
      name: `${kind}: ${member} has another type`,
      says: names(kind, member),
      answer: altering(KINDS[kind], (row) => changed(row, member.split('.'), retyped)),
    },
  ])

const error = (status: number, code: string): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { code, message: 'No.', data: { status } },
})
const PAGE = Buffer.from('<!doctype html><title>Just a moment</title>')
const page = (status: number): Reply => ({ status, headers: { 'content-type': 'text/html' }, body: PAGE })

/** Every route: the pattern of its paths, and its name in reports. */
const ROUTES: readonly (readonly [RegExp, string])[] = [
  [/\/v2\/price-types(\?|$)/, '/v2/price-types'],
  [/\/v2\/price-types\/\w/, '/v2/price-types/<slug>'],
  [/\/v1\/groups(\?|$)/, '/v1/groups'],
  [/\/v1\/groups\/\d+/, '/v1/groups/<id>'],
  [/\/v1\/sfwd-courses(\?|$)/, '/v1/sfwd-courses'],
  [/\/v1\/sfwd-courses\/\d+/, '/v1/sfwd-courses/<id>'],
  [/\/v2\/groups\/\d+\/courses/, '/v2/groups/<id>/courses'],
  [/\/v2\/sfwd-lessons(\?|$)/, '/v2/sfwd-lessons'],
  [/\/v2\/sfwd-lessons\/\d+/, '/v2/sfwd-lessons/<id>'],
  [/\/v1\/sfwd-quiz(\?|$)/, '/v1/sfwd-quiz'],
  [/\/v1\/sfwd-quiz\/\d+/, '/v1/sfwd-quiz/<id>'],
  [/\/v1\/sfwd-questions/, '/v1/sfwd-questions/<id>'],
  [/\/course-progress(\?|$)/, '/v2/users/<user>/course-progress'],
  [/\/course-progress\/\d+/, '/v2/users/<user>/course-progress/<course>'],
]

/** Removes every route, and replaces every route by a page, a redirect and a fault. */
export const ofRoutes = (): Mutation[] =>
  ROUTES.flatMap(([of, spelled]) => {
    const instead = (what: string, says: string, reply: Reply): Mutation => ({
      name: `${spelled} ${what}`,
      says: new RegExp(`^Route of .*/\\w+${quoted(spelled)} .*${says}`),
      answer: (path, honest) => (of.test(path) ? reply : honest),
    })
    return [
      instead('is gone', 'does not exist', error(404, 'rest_no_route')),
      instead('answers a page', 'not JSON', page(200)),
      instead('redirects', 'redirects \\(301\\)', { ...page(301), headers: { location: 'https://elsewhere.test/' } }),
      instead('fails', 'fails \\(500\\)', error(500, 'internal_server_error')),
    ]
  })

/** A path without some query parameters. */
const without = (path: string, ...parameters: string[]): string => {
  const [route, query = ''] = path.split('?')
  const left = query.split('&').filter((each) => !parameters.includes(each.split('=')[0] as string))
  return left.length > 0 ? `${route}?${left.join('&')}` : (route as string)
}

const LISTS = ['groups', 'courses', 'lessons', 'quizzes', 'course progress'] as const
const sizeIn = (path: string): number => Number(/[?&]per_page=(\d+)/.exec(path)?.[1] ?? 10)

/** Filters that a site may ignore, by their names in findings. */
const IGNORABLE = (['groups', 'courses', 'lessons', 'courses of a group', 'quizzes'] as const).flatMap((kind) =>
  (
    [
      ['author', 'author'],
      ['author_exclude', 'author'],
      ['exclude', 'id'],
      ['slug', 'slug'],
      ['status', 'status'],
      ['search', 'search'],
      ['after', 'publishedAfter'],
      ['before', 'publishedBefore'],
    ] as const
  ).map(([param, spelled]) => [kind, param, spelled] as const),
)

/** Defects in the handling of parameters and headers. */
export const ofManners = (): Mutation[] => [
  { name: 'the field filter is ignored', says: /^Field filter.*ignored/, ask: (path) => without(path, '_filter', '_fields') },
  ...LISTS.map((kind) => ({
    name: `${kind}: ids are ignored`,
    says: new RegExp(`^Batches of ${kind}.*ignores`),
    ask: (path: string) => (KINDS[kind].test(path) ? without(path, 'include') : path),
  })),
  ...LISTS.map((kind) => ({
    name: `${kind}: batches are cut`,
    says: new RegExp(`^Batches of ${kind}.*omits`),
    answer: (path: string, reply: Reply) =>
      KINDS[kind].test(path) && path.includes('include=') && Array.isArray(reply.body) ? { ...reply, body: reply.body.slice(1) } : reply,
  })),
  ...(['include', 'exclude'] as const).map((filter) => ({
    name: `courses of a group: ${filter} is ignored`,
    says: new RegExp(`^Ignored filters.*courses of a group by ${filter === 'include' ? 'id(?!\\.notIn)' : 'id\\.notIn'}`),
    ask: (path: string) => (KINDS['courses of a group'].test(path) ? without(path, filter) : path),
  })),
  ...IGNORABLE.map(([kind, param, spelled]) => ({
    name: `${kind}: ${param} is ignored`,
    says: new RegExp(`^Ignored filters.*${kind} by (?:[^;.]|\\.(?! ))*\\b${spelled}\\b`),
    ask: (path: string) => (KINDS[kind].test(path.split('?')[0] as string) ? without(path, param) : path),
  })),
  ...(['lessons', 'quizzes'] as const).map((kind) => ({
    name: `${kind}: a course there is not is dropped`,
    says: new RegExp(`^Filters dropped.*${kind === 'lessons' ? 'v2/sfwd-lessons' : 'v1/sfwd-quiz'} course`),
    ask: (path: string) => (KINDS[kind].test(path) && /course=2147\d+/.test(path) ? without(path, 'course') : path),
  })),
  ...[...LISTS, 'courses of a group' as const].map((kind) => ({
    name: `${kind}: totals are missing`,
    says: new RegExp(`^Totals.*\\b${kind}\\b`),
    answer: (path: string, reply: Reply) =>
      KINDS[kind].test(path) ? { ...reply, headers: { 'content-type': 'application/json' } } : reply,
  })),
  {
    name: 'pages of more than 50 are refused, and it says so',
    says: /^Page size.*\b50 rows/,
    answer: (path, reply) =>
      sizeIn(path) > 50
        ? {
            ...error(400, 'rest_invalid_param'),
            body: {
              code: 'rest_invalid_param',
              message: 'No.',
              data: { status: 400, params: { per_page: 'per_page must be between 1 (inclusive) and 50 (inclusive)' } },
            },
          }
        : reply,
  },
  {
    name: 'pages of more than 50 are refused without a word',
    says: /^Page size.*\b50 rows/,
    answer: (path, reply) => (sizeIn(path) > 50 ? error(400, 'rest_invalid_param') : reply),
  },
  {
    name: 'pages are cut at 50',
    says: /^Page size.*\b50 rows/,
    answer: (_, reply) => (Array.isArray(reply.body) && reply.body.length > 50 ? { ...reply, body: reply.body.slice(0, 50) } : reply),
  },
  {
    name: 'lessons of a course keep to a size of their own',
    says: /^Page size parameters.*posts_per_page/,
    ask: (path) =>
      /sfwd-lessons\?.*course=/.test(path) && !path.includes('posts_per_page') ? path.replace(/per_page=\d+/, 'per_page=20') : path,
  },
  {
    name: 'price types answer nothing for the field filter',
    says: /^Field filter.*except for v2\/price-types/,
    answer: (path, reply) => (/price-types\?.*_f/.test(path) ? { ...reply, body: [] } : reply),
  },
  {
    name: 'a word no enumeration knows',
    says: /^Unknown values.*CourseProgress\.status resting/,
    answer: altering(KINDS['course progress'], (row) => ({ ...row, progress_status: 'resting' })),
  },
  {
    name: 'a field the graph does not know',
    says: /^More about quizzes.*quiz_seats/,
    answer: altering(KINDS.quizzes, (row) => ({ ...row, quiz_seats: 5 })),
  },
  {
    name: 'taxonomies with another prefix',
    says: /^Taxonomies.*start with ld_/,
    ask: (path) => path.replaceAll('ld_', 'lms_'),
    answer: (_, reply) => ({ ...reply, body: JSON.parse(JSON.stringify(reply.body).replaceAll('"lms_', '"ld_')) as unknown }),
  },
]

/** Defects that LearnDash sites have anyway, by name. */
export const OF_PLUGIN: readonly string[] = [
  'courses of a group: status is ignored',
  'quizzes: ids are ignored',
  'quizzes: batches are cut',
  'courses of a group: include is ignored',
  'courses of a group: exclude is ignored',
  'lessons: a course there is not is dropped',
  'lessons of a course keep to a size of their own',
  'price types answer nothing for the field filter',
  'taxonomies with another prefix',
]

/** Defects of the whole site. */
export const ofAll = (): Mutation[] => {
  const all = (name: string, says: RegExp, answer: ProxyOptions['answer']): Mutation => ({ name, says, answer })
  return [
    all('everything is a page', /^REST root.*none|^Route/, () => page(200)),
    all('everything is a page of a firewall', /^REST root.*none|^Route/, () => page(403)),
    all('everything is a page that is not found', /^Namespaces.*none/, () => page(404)),
    all('everything has a byte order mark', /^Answers.*byte order mark/, (_, reply) => ({
      ...reply,
      body: Buffer.from(`\uFEFF${JSON.stringify(reply.body)}`),
    })),
    all('everything has a warning before it', /^Answers.*PHP warning/, (_, reply) => ({
      ...reply,
      body: Buffer.from(`<br />\n<b>Warning</b>: x\n${JSON.stringify(reply.body)}`),
    })),
    all('everything redirects elsewhere', /^Redirect.*https:\/\/elsewhere\.test/, () => ({
      ...page(301),
      headers: { location: 'https://elsewhere.test/wp-json/' },
    })),
    all('everything wants credentials', /^Credential.*refused: rest_login_required/, () => error(401, 'rest_login_required')),
    all('everything is forbidden', /^Visible lists.*nothing/, () => error(403, 'rest_cannot_access')),
    all('everything fails', /^Route of courses.*fails \(500\)/, () => error(500, 'internal_server_error')),
    all('too many requests', /^Route of .*too many requests/, () => error(429, 'too_many_requests')),
    all('no namespace', /^Namespaces.*none/, () => error(404, 'rest_no_route')),
  ]
}

/** Whether a finding names a mutation. */
export const namedBy = ({ says }: Mutation, { title, found }: Finding): boolean => says.test(`${title}: ${found}`)
