import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { FAULTS } from '../profile/faults.js'
import type { Call } from '../routes/answer.js'

/** What is other in an answer on its way out. */
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

/** Sends half of what the headers say there is, and ends the connection. */
function cutOff(call: Call, text: string, headers: Headers): Response {
  const { outgoing } = call.env as { outgoing: ServerResponse }
  const body = Buffer.from(text)
  outgoing.writeHead(call.res.status, { ...Object.fromEntries(headers), 'content-length': body.length })
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
  return RESPONSE_ALREADY_SENT
}

/** Faults of true answers. */
export const ALTERED: readonly string[] = [...Object.keys(CHANGES), 'cutOff']

/** Changes the answer of a call by all of some faults. */
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
  // Else the headers of the answer before are taken over.
  call.res = undefined
  call.res = altered
}
