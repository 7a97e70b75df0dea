import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { basic, signIn } from './sign-in.js'

const LASTS = 8 * 60 * 60_000
const COOKIE = 'HttpOnly; Secure; SameSite=Strict; Path=/'

/** Signs in and out, and passes operations to the gateway with the credentials of the session. */
export function backEnd(gateway: string): Server {
  const sessions = new Map<string, { readonly authorization: string; readonly until: number }>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, socket, url } = request
    // The server in front of it writes the address of the browser last.
    const addresses = String(headers['x-forwarded-for'] ?? socket.remoteAddress).split(',')
    const client = (addresses.at(-1) ?? '').trim()
    const id = /(?:^|;\s*)session=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? ''
    const found = sessions.get(id)
    const session = found && found.until > Date.now() ? found : undefined
    const signOut = (): void => {
      sessions.delete(id)
      response.setHeader('set-cookie', `session=; Max-Age=0; ${COOKIE}`)
    }
    // Forms of other sites cannot send JSON.
    if (method !== 'POST' || !headers['content-type']?.startsWith('application/json')) {
      response.writeHead(415).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    if (url === '/sign-in') {
      const { login, password } = (await json(request)) as { login: string; password: string }
      const authorization = basic(login, password)
      const result = await signIn(gateway, authorization, client)
      if (result.state === 'accepted') {
        for (const [old, { until }] of sessions) if (until <= Date.now()) sessions.delete(old)
        const made = randomBytes(32).toString('base64url')
        sessions.set(made, { authorization, until: Date.now() + LASTS })
        response.setHeader('set-cookie', `session=${made}; ${COOKIE}`)
      }
      response.end(JSON.stringify(result))
    } else if (url === '/sign-out') {
      signOut()
      response.end('{}')
    } else {
      const passed = await fetch(`${gateway}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': client,
          ...(session && { authorization: session.authorization }),
        },
        body: await text(request),
      })
      const result = await passed.text()
      // The password may have been changed: then the page shows its form again.
      if (session && result.includes('"UNAUTHENTICATED"')) {
        const { state } = await signIn(gateway, session.authorization, client)
        if (state === 'rejected') signOut()
      }
      response.writeHead(passed.status).end(result)
    }
  }

  return createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(502).end())
  })
}
