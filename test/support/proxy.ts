import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A response in place of the real one. */
export interface Substitute {
  readonly status: number
  readonly body: string
  readonly type?: string
}

export interface RunningProxy {
  readonly url: string
  close(): Promise<void>
}

/** An HTTP server that forwards requests to `target`, except paths (with query) for which `intercept` returns a response. */
export function startProxy(
  target: string,
  intercept: (path: string, headers: IncomingHttpHeaders) => Substitute | undefined,
): Promise<RunningProxy> {
  const server = createServer((request, response) => {
    const substitute = intercept(request.url as string, request.headers)
    if (substitute) {
      response.writeHead(substitute.status, { 'content-type': substitute.type ?? 'application/json' })
      response.end(substitute.body)
      return
    }
    const onward = send(`${target}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          }),
      })
    })
  })
}
