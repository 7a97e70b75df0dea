import type { StatusCode } from 'hono/utils/http-status'
import type { Fault } from '../profile/fault.js'
import type { FAULTS } from '../profile/faults.js'
import type { Call } from '../routes/answer.js'

const JSON_TYPE = 'application/json; charset=UTF-8'
const HTML_TYPE = 'text/html; charset=UTF-8'

/** Seconds a site under maintenance asks for. */
const MAINTENANCE = 600

const CRITICAL = 'There has been a critical error on this website.'

const page = (title: string, text: string): string =>
  `<!DOCTYPE html>\n<html lang="en-US">\n<head><title>${title}</title></head>\n<body><p>${text}</p></body>\n</html>\n`

const error = (code: string, message: string, status: number): string => JSON.stringify({ code, message, data: { status } })

function reply(call: Call, status: number, type: string, body: string, headers: Record<string, string> = {}): Response {
  call.set('bytes', Buffer.byteLength(body))
  return call.body(body, status as StatusCode & 200, { 'Content-Type': type, ...headers })
}

const retryAfter = (seconds: number | undefined): Record<string, string> => (seconds ? { 'Retry-After': String(seconds) } : {})

const wantsJson = (call: Call): boolean => /\bjson\b/.test(call.req.header('accept') ?? '')

/** Another name for the machine of a site. */
const otherHost = (host: string): string => (/^127\.|^\[/.test(host) ? host.replace(/^(\[.*\]|[\d.]+)/, 'localhost') : `www.${host}`)

/** An answer in place of the true one; undefined leaves that. */
type Replace = (call: Call, fault: Fault) => Response | undefined

function redirect(call: Call, change: (url: URL) => void): Response | undefined {
  const url = new URL(call.req.url)
  change(url)
  if (url.href === new URL(call.req.url).href) return undefined
  return reply(call, 301, HTML_TYPE, page('301 Moved Permanently', 'The document has moved.'), { Location: url.href })
}

/** Answers of what stands before PHP: they need no worker. */
export const IN_FRONT: { readonly [Name in keyof typeof FAULTS]?: Replace } = {
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

/** Answers of a PHP that does not come to the true one. */
export const BY_PHP: { readonly [Name in keyof typeof FAULTS]?: Replace } = {
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
