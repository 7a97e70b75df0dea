import { isObject } from '../../maps.js'
import { parseBody } from '../../upstream/transport/responses.js'
import { check } from '../check.js'
import { counted, type Finding } from '../finding.js'
import type { Knock } from '../knock.js'
import type { Survey } from '../survey.js'

interface Reach {
  readonly given: string
  readonly knocks: readonly Knock[]
  /** Whether a REST interface answered at the URL of the survey. */
  readonly found: boolean
  /** Target of a redirect that was not followed. */
  readonly unfollowed: string | undefined
}

/** The URL of the REST root, with a field filter to keep the answer small. */
const rootOf = (url: string): string => (url.includes('rest_route=') ? `${url}/&${SMALL_ANSWER}` : `${url}/?${SMALL_ANSWER}`)
const SMALL_ANSWER = '_fields=namespaces,authentication,timezone_string,gmt_offset'

/** Possible URLs of the REST root. */
function candidatesFor(url: string): string[] {
  if (url.includes('rest_route=') || /\/wp-json$/.test(url)) return [url]
  return [url, `${url}/wp-json`, `${url}/?rest_route=`]
}

/** Largest number of URLs that are requested, redirects included. */
const MAX_REQUESTS = 10

/** The base URL of a redirected root. */
function baseOf({ origin, pathname, searchParams }: URL): string {
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  return searchParams.has('rest_route') ? `${origin}${path}/?rest_route=` : `${origin}${path}`
}

/** Whether a URL is on the same host, and not less secure. */
const isUpgrade = (from: URL, to: URL): boolean =>
  from.hostname === to.hostname && (from.protocol === to.protocol || to.protocol === 'https:')

async function probe(survey: Survey): Promise<Reach> {
  const given = survey.site.url
  const knocks: Knock[] = []
  /** URLs to request, each with its base URL. */
  const queue = candidatesFor(given).map((base) => ({ base, address: rootOf(base) }))
  const asked = new Set<string>()
  let unfollowed: string | undefined
  for (let next = queue.shift(); next !== undefined && knocks.length < MAX_REQUESTS; next = queue.shift()) {
    if (asked.has(next.address)) continue
    asked.add(next.address)
    const answer = await survey.prober.knock('the REST root', next.address)
    if (!answer) break
    knocks.push(answer)
    if (answer.failure !== null) {
      if (queue.length > 0 && knocks.length > 1) continue
      survey.stopped = 'the site cannot be reached'
      return { given, knocks, found: false, unfollowed: undefined }
    }
    if (isRedirect(answer)) {
      const target = new URL(answer.location, answer.url)
      if (!isUpgrade(new URL(answer.url), target)) {
        unfollowed ??= target.origin
        continue
      }
      const base = baseOf(target)
      // First the target, then possible roots below it.
      queue.unshift({ base, address: target.href }, ...candidatesFor(base).map((below) => ({ base: below, address: rootOf(below) })))
    } else if (isRest(parseBody(answer.body))) {
      survey.setUrl(next.base)
      survey.index = parseBody(answer.body)
      return { given, knocks, found: true, unfollowed: undefined }
    } else if (answer.restRoot !== null) {
      const root = new URL(answer.restRoot, answer.url)
      if (isUpgrade(new URL(answer.url), root)) queue.unshift({ base: baseOf(root), address: rootOf(baseOf(root)) })
    }
  }
  if (unfollowed !== undefined && knocks.every((answer) => isRedirect(answer))) survey.stopped = 'the site redirects to another host'
  return { given, knocks, found: false, unfollowed: survey.stopped === undefined ? undefined : unfollowed }
}

const isRedirect = (answer: Knock): answer is Knock & { location: string } =>
  answer.location !== null && answer.status >= 300 && answer.status < 400

/** Whether a body is an index or an error of the REST interface. */
const isRest = (body: unknown): boolean => isObject(body) && (Array.isArray(body.namespaces) || typeof body.code === 'string')

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND|^EAI_/, 'the host does not exist'],
  [/^ECONNREFUSED/, 'the connection was refused'],
  [/^ETIMEDOUT|TIMEOUT/, 'no answer in time'],
  [/^ECONNRESET|^EPIPE|HPE_/, 'the connection broke, or it is not a web server'],
  [/CERT|SIGNED|SIGNATURE|SSL|TLS/, 'its certificate is not trusted'],
]

const reachable = (last: Knock): Finding => {
  const base = { id: 'reach.site', title: 'Site' }
  if (last.failure === null)
    return {
      ...base,
      state: 'ok',
      found: `answers ${last.status} in ${Math.round(last.duration)} ms`,
      meaning: 'The gateway can reach the site.',
    }
  const why = FAILURES.find(([code]) => code.test(last.failure as string))?.[1] ?? 'the connection failed'
  return {
    ...base,
    state: 'breaks',
    found: `${why} (${last.failure})`,
    meaning: 'Every query fails with UPSTREAM_UNAVAILABLE. No more calls were made.',
  }
}

const DAY = 86_400_000

function secured(survey: Survey, { url, protocol, expires }: Knock): Finding[] {
  const base = { id: 'reach.tls', title: 'Encryption' }
  if (url.startsWith('https:')) {
    if (expires === null) return []
    const days = Math.floor((expires.getTime() - Date.now()) / DAY)
    const found = `${protocol ?? 'TLS'}, certificate valid for ${counted(days, 'day')}`
    if (days >= 14) return [{ ...base, state: 'ok', found, meaning: 'Credentials are encrypted.' }]
    return [{ ...base, state: 'warning', found, meaning: 'When it expires, every query fails until it is renewed.' }]
  }
  const isLocal = /^http:\/\/(127\.|localhost[:/]|\[::1\])/.test(url)
  const meaning = isLocal ? 'The site is on this machine, so this is safe.' : 'Others on the network can read credentials and records.'
  return [{ ...base, state: isLocal ? 'ok' : survey.anonymous ? 'note' : 'warning', found: 'none: the URL is http', meaning }]
}

function redirected(survey: Survey, { knocks, unfollowed }: Reach): Finding[] {
  const base = { id: 'reach.redirect', title: 'Redirect' }
  if (unfollowed !== undefined) {
    const meaning =
      'The gateway does not follow redirects to another host, so every query fails with UPSTREAM_INVALID_RESPONSE. If that is your site, use its URL.'
    return [{ ...base, state: 'breaks', found: `leads to ${unfollowed}`, meaning }]
  }
  const from = knocks.find(isRedirect)
  if (!from) return []
  const target = new URL(from.location, from.url)
  const meaning = 'The written configuration has the URL of the interface, so that no call is redirected.'
  return [{ ...base, state: survey.isWritten ? 'note' : 'warning', found: `leads to ${baseOf(target)}`, meaning }]
}

function root(survey: Survey, { given, found }: Reach): Finding {
  const base = { id: 'reach.root', title: 'REST root' }
  const { url } = survey.site
  if (!found)
    return {
      ...base,
      state: 'note',
      found: 'not found at the usual URLs',
      meaning: `Routes were searched below ${given}.`,
    }
  if (url === given || url === `${given}/`) return { ...base, state: 'ok', found: url, meaning: 'Routes are below it.' }
  return { ...base, state: 'ok', found: url, meaning: 'It was found from the given URL. The written configuration has it.' }
}

/** Reports text around the JSON, which the gateway skips. */
function untidy({ knocks }: Reach): Finding[] {
  const last = knocks.at(-1) as Knock
  const text = last.body.toString('utf8')
  if (parseBody(last.body) === undefined || /^[ \t\r\n]*[[{"]/.test(text)) return []
  const found = text.startsWith('\uFEFF') ? 'a byte order mark before the JSON' : 'other text before the JSON, such as a PHP warning'
  const meaning = 'The gateway skips it. A theme or plugin of the site writes it, and other programs may fail.'
  return [{ id: 'reach.text', title: 'Answers', state: 'note', found, meaning }]
}

/** Checks whether the site can be reached, at which URL, and with which encryption and redirects. */
export const reach = check<Reach>({
  title: 'Connecting to the site',
  probe,
  judge(survey, evidence) {
    const last = evidence.knocks.at(-1)
    if (!last) return []
    if (last.failure !== null) return [reachable(last), ...redirected(survey, evidence)]
    return [
      reachable(last),
      ...redirected(survey, evidence),
      ...secured(survey, last),
      ...(evidence.unfollowed ? [] : [root(survey, evidence)]),
      ...untidy(evidence),
    ]
  },
})
