import type { MiddlewareHandler } from 'hono'
import { AccessRules, type Refusal } from '../access.js'
import { Attempts } from '../attempts.js'
import { mayEdit, type Viewer } from '../auth.js'
import { isForm, readFormBody } from '../body.js'
import { linkOf, renderContent } from '../encode.js'
import { RestError, type RestStatus, storageError } from '../errors.js'
import { documentOf, escapeHtml, type Page, pageHeaders, titleHtml } from '../html.js'
import { pathOf, searchOf } from '../params.js'
import type { Resource } from '../spec/index.js'
import type { Call, Connection, Lms, Variables } from './answer.js'

/** Bytes of a form with a password. */
const MAX_FORM_BYTES = 1024

/** Records of each kind on the start page. */
const ON_START_PAGE = 10

/** A record, as its page shows it. */
interface Post {
  readonly resource: Resource
  readonly id: number
  readonly title: string
  readonly content: string
  readonly password: string
}

/** Which page an address has: that of a record by its slug or its id, or the start of the site. */
type Address = { readonly resource: Resource; readonly column: 'id' | 'slug'; readonly key: string | number } | 'start'

type Headers = Record<string, string>

function sendPage(call: Call, { site }: Lms, page: Page, status: RestStatus | 405 | 429 = 200, headers: Headers = {}): Response {
  const text = documentOf(site, page)
  call.set('bytes', call.req.method === 'HEAD' ? 0 : Buffer.byteLength(text))
  return call.body(text, status, { ...pageHeaders(page), ...headers })
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`

/** Answers that an address has no page. */
export const sendNoPage = (call: Call, lms: Lms): Response =>
  sendPage(call, lms, { title: 'Page not found', body: paragraph('There is no page at this address.') }, 404)

function methodRefused(call: Call, lms: Lms, allow: string): Response {
  const body = paragraph(`This address answers ${allow} only.`)
  return sendPage(call, lms, { title: 'Method not allowed', body }, 405, { Allow: allow })
}

/** Why a form is shown instead of the texts of a record. */
const NOTICES = { wrong: 'The password is wrong.', limited: 'There were too many wrong passwords. Try again later.' } as const

const passwordForm = (title: string, notice?: keyof typeof NOTICES): Page => ({
  title,
  form: true,
  body: `${notice ? `<p role="alert">${NOTICES[notice]}</p>\n` : ''}<form method="post">
<p>This content is protected by a password.</p>
<p><label>Password <input type="password" name="post_password" autocomplete="off" required></label> <button>Open</button></p>
</form>`,
})

const isRead = (call: Call): boolean => call.req.method === 'GET' || call.req.method === 'HEAD'

/** Whether a browser asks for a page. */
export const wantsPage = (call: Call): boolean => isRead(call) && (call.req.header('accept') ?? '').includes('text/html')

const clientOf = (call: Call): string => (call.env as { readonly incoming?: Connection } | undefined)?.incoming?.socket.remoteAddress ?? ''

/** The kinds of records that have pages, with their headings on the start page. */
const kindsOf = ({ resources: { group, course, lesson, quiz, topic }, switches }: Lms): readonly (readonly [string, Resource])[] => [
  ['Groups', group],
  ['Courses', course],
  ['Lessons', lesson],
  ['Quizzes', quiz],
  ...(switches.topics ? ([['Topics', topic]] as const) : []),
]

/** Finds pages by the path and the query of a request. */
function addresses(lms: Lms): (call: Call) => Address | undefined {
  const resources = kindsOf(lms).map(([, resource]) => resource)
  const { namespace, routing } = lms.switches
  const restRoots = ['/wp-json/', '/wp/v2/', `/${namespace}/v1/`, `/${namespace}/v2/`]
  return (call) => {
    const requested = pathOf(call.req.url)
    // Most requests are for the REST interface: they need no parsed URL.
    if (restRoots.some((root) => requested.startsWith(root))) return undefined
    const { pathname, searchParams } = new URL(call.req.url)
    if (pathname === '/' || pathname === '/index.php') {
      if (routing !== 'paths' && searchParams.has('rest_route')) return undefined
      const resource = resources.find(({ type }) => type === searchParams.get('post_type'))
      if (resource && searchParams.has('p')) return { resource, column: 'id', key: Number(searchParams.get('p')) || 0 }
      return searchOf(call.req.url) === '' && wantsPage(call) ? 'start' : undefined
    }
    const [, path, slug, ...below] = pathname.replace(/\/$/, '').split('/')
    const resource = resources.find((each) => each.path === path)
    if (!resource || slug === undefined || below.length > 0) return undefined
    // The namespace can have the name of a path.
    if (path === namespace && (slug === 'v1' || slug === 'v2')) return undefined
    return { resource, column: 'slug', key: decoded(slug) }
  }
}

/** A path segment without its percent-encoding. Text that is not encoded correctly stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The record of an address, when the caller may read it: it is published, or the caller may edit. */
function findPost({ store }: Lms, viewer: Viewer, { resource, column, key }: Exclude<Address, 'start'>): Post | undefined {
  // An empty slug is no address: records without a slug have the address with their id.
  const row =
    key === '' ? undefined : store.row(`SELECT id, status, title, content, password FROM ${resource.table} t WHERE ${column} = ?`, key)
  if (!row || (row[1] !== 'publish' && !mayEdit(viewer))) return undefined
  const [id, , title, content, password] = row as [number, string, string, string, string]
  return { resource, id, title: titleHtml(title), content, password }
}

const FOR_LEARNERS = 'Only learners of the course can read this.'

/** The content of a record. Where most routes are for administrators, the content of quizzes is for those who may read their route. */
function contentFor({ rights }: Lms, viewer: Viewer, { resource, id, content }: Post): string {
  try {
    if (resource.table === 'quizzes') rights.checkItem(viewer, resource, id)
    return renderContent(content)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return paragraph(FOR_LEARNERS)
  }
}

/** Why the rules of access refuse a page. They apply where most routes are for administrators, to pages of courses and lessons. */
function refusalsOf({ rights }: Lms, rules: AccessRules, viewer: Viewer, { resource, id }: Post): readonly Refusal[] {
  if (!rights.adminOnly || mayEdit(viewer)) return []
  const user = viewer?.id ?? null
  if (resource.table === 'courses') return rules.ofCourse(user, id)
  return resource.table === 'lessons' ? rules.ofLesson(user, id) : []
}

/** Titles of records as HTML. Those that do not exist have their id. */
const titlesOf = ({ store }: Lms, table: 'courses' | 'lessons', ids: readonly number[]): string =>
  ids.map((id) => titleHtml(String(store.row(`SELECT title FROM ${table} WHERE id = ?`, id)?.[0] ?? id))).join(', ')

/** A refusal in words, as HTML. */
function sentenceOf(lms: Lms, refusal: Refusal): string {
  switch (refusal.kind) {
    case 'NotPublished':
      return 'This is not published.'
    case 'PasswordRequired':
      return 'This needs a password.'
    case 'CourseNotStarted':
      return `The course starts at ${refusal.availableAt}.`
    case 'CourseEnded':
      return `The course ended at ${refusal.since}.`
    case 'NotEnrolled':
      return FOR_LEARNERS
    case 'PrerequisitesMissing': {
      const titles = titlesOf(lms, 'courses', refusal.missingIds)
      return refusal.compare === 'ALL'
        ? `These courses must be completed first: ${titles}.`
        : `One of these courses must be completed first: ${titles}.`
    }
    case 'PointsMissing':
      return `The course needs ${refusal.pointsNeeded} points. You have ${refusal.points}.`
    case 'Expired':
      return `Access to the course expired at ${refusal.since}.`
    case 'NotYetReleased':
      return refusal.availableAt === null ? 'The lesson is not released yet.' : `The lesson is released at ${refusal.availableAt}.`
    case 'PreviousLessonIncomplete':
      return `This lesson must be completed first: ${titlesOf(lms, 'lessons', [refusal.lessonId])}.`
  }
}

/** A page that names the reasons of a refusal, in words and by their kind. */
const refusalPage = (lms: Lms, title: string, refusals: readonly Refusal[]): Page => ({
  title,
  body: refusals.map((refusal) => `<p data-reason="${refusal.kind}">${sentenceOf(lms, refusal)}</p>`).join('\n'),
})

function startPage({ store, site, ...lms }: Lms): Page {
  const sections = kindsOf({ store, site, ...lms }).map(([heading, resource]) => {
    const rows = store.rows(
      `SELECT id, slug, title FROM ${resource.table} t WHERE status = 'publish' ORDER BY date_gmt DESC, id DESC LIMIT ${ON_START_PAGE}`,
    )
    const items = rows.map(([id, slug, title]) => {
      const link = linkOf(resource, site, Number(id), String(slug))
      return `<li><a href="${escapeHtml(link)}">${titleHtml(String(title))}</a></li>`
    })
    return `<h2>${heading}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return { title: 'Home', body: sections.join('\n') }
}

/**
 * Answers the addresses in `link` and `guid` of records with plain pages, and `/` with the start page when a browser asks. Other requests go
 * on to the REST interface.
 */
export function pages(lms: Lms, viewerOf: (call: Call) => Viewer): MiddlewareHandler<{ Variables: Variables }> {
  const addressOf = addresses(lms)
  const attempts = new Attempts()
  const rules = new AccessRules(lms.store, lms.switches)

  /** Answers a form with a password. */
  async function unlock(call: Call, post: Post): Promise<Response> {
    const given = isForm(call) ? (await readFormBody(call, MAX_FORM_BYTES)).post_password : undefined
    const client = clientOf(call)
    const seconds = attempts.secondsLeft(client)
    if (seconds > 0) return sendPage(call, lms, passwordForm(post.title, 'limited'), 429, { 'Retry-After': String(seconds) })
    if (given === post.password) return sendPage(call, lms, { title: post.title, body: contentFor(lms, call.get('viewer'), post) })
    attempts.add(client)
    return sendPage(call, lms, passwordForm(post.title, 'wrong'), 403)
  }

  async function answer(call: Call, address: Address): Promise<Response> {
    const viewer = viewerOf(call)
    call.set('viewer', viewer)
    if (address === 'start') return sendPage(call, lms, startPage(lms), 200, { Vary: 'Accept' })
    const post = findPost(lms, viewer, address)
    if (!post) return sendNoPage(call, lms)
    const isProtected = post.password !== ''
    const refusals = isRead(call) || (isProtected && call.req.method === 'POST') ? refusalsOf(lms, rules, viewer, post) : []
    if (refusals.length > 0) return sendPage(call, lms, refusalPage(lms, post.title, refusals), 403)
    if (isProtected && call.req.method === 'POST') return unlock(call, post)
    if (!isRead(call)) return methodRefused(call, lms, isProtected ? 'GET, HEAD, POST' : 'GET, HEAD')
    return sendPage(call, lms, isProtected ? passwordForm(post.title) : { title: post.title, body: contentFor(lms, viewer, post) })
  }

  return async (call, next) => {
    const address = addressOf(call)
    if (!address) return next()
    try {
      return await answer(call, address)
    } catch (error) {
      const known = error instanceof RestError ? error : storageError(error)
      if (!known) throw error
      return sendPage(call, lms, { title: 'Error', body: paragraph(known.message) }, known.status)
    }
  }
}
