import type { IncomingMessage } from 'node:http'
import { addressOf } from './protocol.js'
import { badRequest, type PlainAnswer } from './responses.js'

/** Headers that may occur only once: a proxy in front of the gateway may read another one of them. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'authorization', 'x-api-key', 'content-type', 'content-encoding'])

/** Their lengths. Most other names differ in length, so that they need no conversion to lower case. */
const LENGTHS: ReadonlySet<number> = new Set(Array.from(SINGLE, ({ length }) => length))

const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Refuses requests with a wrong first line or wrong headers, which later checks do not cover. */
export class HeadCheck {
  /** The last valid host: most requests have the same. */
  private host = ''

  /** Returns the refusal. A whole address in the first line, as proxies send it, is cut to its path. */
  refusal(request: IncomingMessage): PlainAnswer | undefined {
    const { host } = request.headers
    if (host === undefined ? request.httpVersion !== '1.0' : !this.isHost(host)) return WRONG_HOST
    return refusedHeaders(request) ?? refusedAddress(request)
  }

  private isHost(text: string): boolean {
    if (text === this.host) return true
    if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false
    this.host = text
    return true
  }
}

const WRONG_HOST = badRequest(400, '`Host` must be one host, with or without a port.')

function refusedHeaders({ rawHeaders, headers: { expect }, httpVersion }: IncomingMessage): PlainAnswer | undefined {
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string
    if (!LENGTHS.has(given.length)) continue
    const name = given.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.includes(name)) return badRequest(400, `\`${name}\` must occur only once.`)
    seen.push(name)
  }
  if (expect !== undefined && httpVersion !== '1.0' && !CONTINUE.test(expect)) return badRequest(400, '`Expect` must be `100-continue`.')
  return undefined
}

function refusedAddress(request: IncomingMessage): PlainAnswer | undefined {
  const address = addressOf(request)
  const path = pathOf(address)
  if (path === undefined) return WRONG_ADDRESS
  if (path === address) return undefined
  request.url = path
  // Frameworks keep the address in a property of their own, which is not cut.
  return addressOf(request) === path ? undefined : WRONG_ADDRESS
}

const WRONG_ADDRESS = badRequest(400, 'The address must be a path. It must not have dot segments, backslashes or a fragment.')

/** The pattern of Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** Paths that URL parsers do not change. */
const PLAIN = /^(?:\/[\w-]+)+$/
const ORIGIN = /^https?:\/\/[\w.:[\]-]+(?=\/)/i

/**
 * The path and query of an address. Undefined for other than paths and web addresses, and for paths that URL parsers change: a proxy that compares
 * the path as it is sent would pass `/graphql/../metrics`. Slashes and backslashes count even if encoded, because some proxies decode them.
 */
function pathOf(url: string): string | undefined {
  if (PLAIN.test(url)) return url
  const origin = url.startsWith('/') ? '' : ORIGIN.exec(url)?.[0]
  if (origin === undefined || (origin !== '' && !URL.canParse(url))) return undefined
  const target = url.slice(origin.length)
  const [path = ''] = target.split('?', 1)
  if (PLAIN.test(path)) return target
  const decoded = path.replace(/%2f|%5c/gi, decodeURIComponent)
  return path.startsWith('//') || new URL(`http://localhost${decoded}`).pathname !== decoded ? undefined : target
}
