import { isObject } from '../../upstream/errors.js'
import { parseBody } from '../../upstream/transport/responses.js'
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

/** Most addresses that are asked for, redirects included. */
const MOST_KNOCKS = 10

/** The base address a redirected root belongs to. */
function baseOf({ origin, pathname, searchParams }: URL): string {
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  return searchParams.has('rest_route') ? `${origin}${path}/?rest_route=` : `${origin}${path}`
}

/** Whether an address is on the same host, and no less secure. */
const isUpgrade = (from: URL, to: URL): boolean =>
  from.hostname === to.hostname && (from.protocol === to.protocol || to.protocol === 'https:')

async function probe(survey: Survey): Promise<Reach> {
  const given = survey.site.url
  const knocks: Knock[] = []
  /** Addresses to ask for, each with the base address that it stands for. */
  const queue = candidatesFor(given).map((base) => ({ base, address: rootOf(base) }))
  const asked = new Set<string>()
  let astray: string | undefined
  for (let next = queue.shift(); next !== undefined && knocks.length < MOST_KNOCKS; next = queue.shift()) {
    if (asked.has(next.address)) continue
    asked.add(next.address)
    const seen = await survey.prober.knock('the REST root', next.address)
    if (!seen) break
    knocks.push(seen)
    if (seen.failure !== null) {
      if (queue.length > 0 && knocks.length > 1) continue
      survey.stopped = 'the site can’t be reached'
      return { given, knocks, found: false, astray: undefined }
    }
    if (isRedirect(seen)) {
      const target = new URL(seen.location, seen.url)
      if (!isUpgrade(new URL(seen.url), target)) {
        astray ??= target.origin
        continue
      }
      const base = baseOf(target)
      // The place it leads to, and then what may be below it.
      queue.unshift({ base, address: target.href }, ...candidatesFor(base).map((below) => ({ base: below, address: rootOf(below) })))
    } else if (isRest(parseBody(seen.body))) {
      survey.at(next.base)
      survey.index = parseBody(seen.body)
      return { given, knocks, found: true, astray: undefined }
    } else if (seen.restRoot !== null) {
      const root = new URL(seen.restRoot, seen.url)
      if (isUpgrade(new URL(seen.url), root)) queue.unshift({ base: baseOf(root), address: rootOf(baseOf(root)) })
    }
  }
  if (astray !== undefined && knocks.every((seen) => isRedirect(seen))) survey.stopped = 'the site sends its callers elsewhere'
  return { given, knocks, found: false, astray: survey.stopped === undefined ? undefined : astray }
}

const isRedirect = (seen: Knock): seen is Knock & { location: string } => seen.location !== null && seen.status >= 300 && seen.status < 400

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
      'The gateway does not follow redirects to another host, so every query fails with UPSTREAM_INVALID_RESPONSE. If that is your site, give its address.'
    return [{ ...base, state: 'breaks', found: `leads to ${astray}`, meaning }]
  }
  const from = knocks.find(isRedirect)
  if (!from) return []
  const target = new URL(from.location, from.url)
  const meaning = 'The written configuration has the address at which the interface was found, so that no call is redirected.'
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
