import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { FAULTS, Fault } from '../profile/faults.js'
import type { Call } from '../routes/answer.js'

const JSON_TYPE = 'application/json; charset=UTF-8'
const HTML_TYPE = 'text/html; charset=UTF-8'

/** Default of `Retry-After` under maintenance, in seconds. */
const MAINTENANCE = 600

const CRITICAL = 'There has been a critical error on this website.'

const page = (title: string, text: string): string =>
  `<!DOCTYPE html>\n<html lang="en-US">\n<head><title>${title}</title></head>\n<body><p>${text}</p></body>\n</html>\n`

const error = (code: string, message: string, status: number): string => JSON.stringify({ code, message, data: { status } })

function reply(call: Call, status: ContentfulStatusCode, type: string, body: string, headers: Record<string, string> = {}): Response {
  call.set('bytes', Buffer.byteLength(body))
  return call.body(body, status, { 'Content-Type': type, ...headers })
}

const retryAfter = (seconds: number | undefined): Record<string, string> => (seconds ? { 'Retry-After': String(seconds) } : {})

const wantsJson = (call: Call): boolean => /\bjson\b/.test(call.req.header('accept') ?? '')

/** Another host name of the same site. */
const otherHost = (host: string): string => (/^127\.|^\[/.test(host) ? host.replace(/^(\[.*\]|[\d.]+)/, 'localhost') : `www.${host}`)

/** Makes the response of a fault; undefined keeps the regular response. */
type Replacement = (call: Call, fault: Fault) => Response | undefined

function redirect(call: Call, change: (url: URL) => void): Response | undefined {
  const url = new URL(call.req.url)
  change(url)
  if (url.href === new URL(call.req.url).href) return undefined
  return reply(call, 301, HTML_TYPE, page('301 Moved Permanently', 'The document has moved.'), { Location: url.href })
}

/** Faults of the web server in front of PHP. They need no worker. */
export const BEFORE_PHP: { readonly [Name in keyof typeof FAULTS]?: Replacement } = {
  redirectHttps: (call) =>
    redirect(call, (url) => {
      url.protocol = 'https:'
    }),
  redirectHost: (call) =>
    redirect(call, (url) => {
      url.host = otherHost(url.host)
    }),
  redirectSlash: (call) =>
    redirect(call, (url) => {
      url.pathname = url.pathname.replace(/\/?$/, '/')
    }),
  rateLimited: (call, fault) =>
    reply(call, 429, HTML_TYPE, page('429 Too Many Requests', 'Too many requests.'), retryAfter(fault.retryAfter)),
}

/** Faults of PHP that replace the response. */
export const BY_PHP: { readonly [Name in keyof typeof FAULTS]?: Replacement } = {
  maintenance(call, fault) {
    const text = 'Briefly unavailable for scheduled maintenance. Check back in a minute.'
    const headers = retryAfter(fault.retryAfter ?? MAINTENANCE)
    if (wantsJson(call)) return reply(call, 503, JSON_TYPE, error('wp_die', text, 503), headers)
    return reply(call, 503, HTML_TYPE, page('Maintenance', text), headers)
  },
  fatalHtml: (call) => reply(call, 500, HTML_TYPE, page('Error', CRITICAL)),
  fatalJson: (call) =>
    reply(call, 500, JSON_TYPE, error('internal_server_error', `<p>${CRITICAL}</p><p><a href="#">Learn more</a></p>`, 500)),
  errorUnder200: (call) => reply(call, 200, JSON_TYPE, error('internal_server_error', CRITICAL, 500)),
  empty200: (call) => reply(call, 200, JSON_TYPE, ''),
}

/** How a fault changes a response. */
interface Change {
  readonly before?: string
  readonly headers?: Readonly<Record<string, string>>
}

const WARNING = `<br />
<b>Warning</b>:  Undefined array key "course_id" in <b>/var/www/html/wp-content/plugins/sample/sample.php</b> on line <b>71</b><br />
`

const CHANGES: { readonly [Name in keyof typeof FAULTS]?: Change } = {
  phpWarning: { before: WARNING },
  bom: { before: '\uFEFF' },
  wrongContentType: { headers: { 'content-type': 'text/html; charset=UTF-8' } },
  invalidGzip: { headers: { 'content-encoding': 'gzip' } },
}

/** Sends the headers and half of the body, then closes the connection. */
function cutOff(call: Call, text: string, headers: Headers): Response {
  const { outgoing } = call.env as { outgoing: ServerResponse }
  const body = Buffer.from(text)
  outgoing.writeHead(call.res.status, { ...Object.fromEntries(headers), 'content-length': body.length })
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
  return RESPONSE_ALREADY_SENT
}

/** Faults that change the regular response. */
export const ALTERING: readonly string[] = [...Object.keys(CHANGES), 'cutOff']

/** Applies faults to the response of a call. */
export async function alter(call: Call, faults: readonly (keyof typeof FAULTS)[]): Promise<void> {
  if (!faults.length) return
  const changes = faults.flatMap((name) => CHANGES[name] ?? [])
  const text = changes.map(({ before = '' }) => before).join('') + (await call.res.text())
  const headers = new Headers(call.res.headers)
  headers.delete('content-length')
  for (const change of changes) for (const [name, value] of Object.entries(change.headers ?? {})) headers.set(name, value)
  const { status } = call.res
  call.set('bytes', Buffer.byteLength(text))
  const altered = faults.includes('cutOff') ? cutOff(call, text, headers) : new Response(text, { status, headers })
  // Without this, Hono copies the headers of the former response.
  call.res = undefined
  call.res = altered
}
