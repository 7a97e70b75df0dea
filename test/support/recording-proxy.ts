import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A REST call that passed, with the text of its answer. */
export interface PassedCall {
  readonly method: string
  readonly path: string
  readonly text: string
  /** The credentials that were sent. */
  readonly authorization: string | undefined
}

/** An HTTP server that forwards requests to a site and keeps what the site answered. */
export interface RecordingProxy {
  readonly url: string
  readonly calls: PassedCall[]
  close(): Promise<void>
}

const PASSED = ['content-type', 'x-wp-total', 'x-wp-totalpages', 'location']

/** Forwards requests to `origin`. `rewritten` returns the path that the site is asked instead of the one that is recorded. */
export async function startRecordingProxy(origin: string, rewritten = (path: string): string => path): Promise<RecordingProxy> {
  const calls: PassedCall[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request
    const { authorization, 'content-type': type } = request.headers
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${origin}${rewritten(path)}`, {
      method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    calls.push({ method, path, text, authorization })
    const headers = PASSED.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name) as string] as const] : []))
    response.writeHead(answer.status, Object.fromEntries(headers)).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
