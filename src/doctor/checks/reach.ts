import { isObject } from '../../rest/errors.js'
import { parseBody } from '../../rest/json.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import type { Knock } from '../knock.js'
import type { Survey } from '../survey.js'

interface Reach {
  readonly given: string
  readonly knocks: readonly Knock[]
  /** Whether an answer of a REST interface came, from the address the survey now has. */
  readonly found: boolean
  /** Where a redirect led that was not followed. */
  readonly astray: string | undefined
}

/** The REST root of an address, asked for as little of it as sites can be asked for. */
const rootOf = (url: string): string => (url.includes('rest_route=') ? `${url}/&${FEW}` : `${url}/?${FEW}`)
const FEW = '_fields=namespaces,authentication'

/** Addresses the REST root may have, where it is not the given one. */
function candidatesFor(url: string): string[] {
  if (url.includes('rest_route=') || /\/wp-json$/.test(url)) return [url]
  return [url, `${url}/wp-json`, `${url}/?rest_route=`]
}

/** The base address a redirected root belongs to. */
function baseOf({ origin, pathname, searchParams }: URL): string {
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  return searchParams.has('rest_route') ? `${origin}${path}/?rest_route=` : `${origin}${path}`
}

const isUpgrade = (from: URL, to: URL): boolean =>
  from.hostname === to.hostname && (from.protocol === to.protocol || to.protocol === 'https:')

async function probe(survey: Survey): Promise<Reach> {
  const given = survey.site.url
  const knocks: Knock[] = []
  const queue = candidatesFor(given)
  let redirects = 0
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const seen = await survey.prober.knock('the REST root', rootOf(url))
    if (!seen) break
    knocks.push(seen)
    if (seen.failure !== null) {
      survey.stopped = 'the site can’t be reached'
      return { given, knocks, found: false, astray: undefined }
    }
    if (seen.location !== null && seen.status >= 300 && seen.status < 400) {
      const target = new URL(seen.location, seen.url)
      if (redirects++ > 0 || !isUpgrade(new URL(seen.url), target)) {
        survey.stopped = 'the site sends its callers elsewhere'
        return { given, knocks, found: false, astray: target.origin }
      }
      queue.unshift(baseOf(target))
    } else if (isRest(parseBody(seen.body))) {
      survey.at(url)
      survey.index = parseBody(seen.body)
      return { given, knocks, found: true, astray: undefined }
    }
  }
  return { given, knocks, found: false, astray: undefined }
}

/** An index, or an error of the REST interface. */
const isRest = (body: unknown): boolean => isObject(body) && (Array.isArray(body.namespaces) || typeof body.code === 'string')

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND|^EAI_/, 'there is no host of this name'],
  [/^ECONNREFUSED/, 'nothing listens there'],
  [/^ETIMEDOUT|TIMEOUT/, 'no answer came in time'],
  [/^ECONNRESET|^EPIPE|HPE_/, 'the connection broke off, or it is no web server'],
  [/CERT|SIGNED|SIGNATURE|SSL|TLS/, 'its certificate is not trusted'],
]

const reachable = (last: Knock): Finding => {
  const base = { id: 'reach.site', title: 'Site' }
  if (last.failure === null)
    return {
      ...base,
      state: 'ok',
      found: `answers ${last.status} in ${Math.round(last.duration)} ms`,
      meaning: 'The gateway can reach it.',
    }
  const why = FAILURES.find(([code]) => code.test(last.failure as string))?.[1] ?? 'the connection failed'
  return {
    ...base,
    state: 'breaks',
    found: `${why} (${last.failure})`,
    meaning: 'Every query fails with UPSTREAM_UNAVAILABLE. Nothing more was asked.',
  }
}

const DAY = 86_400_000

function secured(survey: Survey, { url, protocol, expires }: Knock): Finding[] {
  const base = { id: 'reach.tls', title: 'Encryption' }
  if (url.startsWith('https:')) {
    if (expires === null) return []
    const days = Math.floor((expires.getTime() - Date.now()) / DAY)
    const found = `${protocol ?? 'TLS'}, certificate good for ${days} days`
    if (days >= 14) return [{ ...base, state: 'ok', found, meaning: 'Credentials are safe on their way.' }]
    return [{ ...base, state: 'warning', found, meaning: 'When it ends, every query fails until it is renewed.' }]
  }
  const near = /^http:\/\/(127\.|localhost[:/]|\[::1\])/.test(url)
  const meaning = near ? 'It is this machine, so that is well.' : 'Credentials and records can be read on their way.'
  return [{ ...base, state: near ? 'ok' : survey.anonymous ? 'note' : 'warning', found: 'none: the address is http', meaning }]
}

function redirected({ knocks, astray }: Reach): Finding[] {
  const base = { id: 'reach.redirect', title: 'Redirect' }
  if (astray !== undefined) {
    const meaning =
      'The gateway follows no redirects, so every query fails with UPSTREAM_INVALID_RESPONSE. If that is your site, give its address.'
    return [{ ...base, state: 'breaks', found: `leads to ${astray}`, meaning }]
  }
  const [from] = knocks.filter(({ status, location }) => status >= 300 && status < 400 && location !== null)
  if (!from) return []
  const target = new URL(from.location as string, from.url)
  const meaning = 'The gateway follows no redirects. The written configuration has the address it leads to.'
  return [{ ...base, state: 'warning', found: `leads to ${baseOf(target)}`, meaning }]
}

function root(survey: Survey, { given, found }: Reach): Finding {
  const base = { id: 'reach.root', title: 'REST root' }
  const { url } = survey.site
  if (!found)
    return {
      ...base,
      state: 'note',
      found: 'shows itself at none of the usual addresses',
      meaning: `The routes were looked for below ${given}.`,
    }
  if (url === given || url === `${given}/`) return { ...base, state: 'ok', found: url, meaning: 'Routes are looked for below it.' }
  return { ...base, state: 'warning', found: url, meaning: 'It is not the address that was given. The written configuration has it.' }
}

/** Text around the JSON, which the gateway looks past. */
function untidy({ knocks }: Reach): Finding[] {
  const last = knocks.at(-1) as Knock
  const text = last.body.toString('utf8')
  if (parseBody(last.body) === undefined || /^[ \t\r\n]*[[{"]/.test(text)) return []
  const found = text.startsWith('\uFEFF')
    ? 'a byte order mark stands before the JSON'
    : 'other text, such as a warning of PHP, stands before the JSON'
  const meaning = 'The gateway looks past it. A theme or plugin of the site puts it there, and other programs may stumble.'
  return [{ id: 'reach.text', title: 'Answers', state: 'note', found, meaning }]
}

/** Whether the site is there, by which address, and what stands between it and the gateway. */
export const reach = check<Reach>({
  title: 'Looking for the site',
  probe,
  judge(survey, evidence) {
    const last = evidence.knocks.at(-1)
    if (!last) return []
    if (last.failure !== null) return [reachable(last), ...redirected(evidence)]
    return [
      reachable(last),
      ...redirected(evidence),
      ...secured(survey, last),
      ...(evidence.astray ? [] : [root(survey, evidence)]),
      ...untidy(evidence),
    ]
  },
})
