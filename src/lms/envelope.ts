import type { Context, Next } from 'hono'
import type { Variables } from './routes/answer.js'

/** Headers that an envelope tells. */
const TOLD = ['X-WP-Total', 'X-WP-TotalPages', 'Link', 'Location', 'Retry-After']

/** Puts status and headers of an answer beside its body, where `_envelope` asks for that. */
export async function envelope(call: Context<{ Variables: Variables }>, next: Next): Promise<void> {
  await next()
  if (call.req.method === 'HEAD' || call.get('query')?._envelope === undefined) return
  const { res } = call
  const headers = Object.fromEntries(TOLD.flatMap((name) => (res.headers.has(name) ? [[name, res.headers.get(name)]] : [])))
  const text = `{"body":${await res.text()},"status":${res.status},"headers":${JSON.stringify(headers)}}`
  call.set('bytes', Buffer.byteLength(text))
  const kept = ['content-type', 'x-content-type-options', 'cache-control'].flatMap((name) => {
    const value = res.headers.get(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  call.res = undefined
  call.res = new Response(text, { status: 200, headers: kept })
}
