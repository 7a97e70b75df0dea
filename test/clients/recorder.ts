import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a client and a gateway that records requests. */
export interface Recorder {
  readonly url: string
  readonly bodies: any[]
  close(): Promise<void>
}

export async function record(target: string): Promise<Recorder> {
  const bodies: any[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(JSON.parse(body))
    const { authorization = '', accept = '*/*' } = request.headers
    const answer = await fetch(target, { method: 'POST', headers: { authorization, accept, 'content-type': 'application/json' }, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
