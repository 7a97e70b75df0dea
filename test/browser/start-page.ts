import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEMO_USERS, startLms } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { create, serve } from '../support/served.js'
import { authorizationOf } from '../support/world.js'

/** The users that the page offers. */
export const USERS = DEMO_USERS.map(({ login, name, role }) => ({ login, name, role, authorization: authorizationOf(login) }))

/** The path of the second gateway. */
const PATH = '/school/api/lms'

/** What frameworks such as Express do with a handler that is mounted at a path: they shorten `url`, and pass path and whole address beside it. */
const mounted =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    const { url = '/' } = request
    Object.assign(request, { baseUrl: PATH, originalUrl: url, url: url.slice(PATH.length).replace(/^(?!\/)/, '/') })
    handle(request, response)
  }

/** The addresses of the page of a gateway in front of the embedded LMS, and of one that is mounted at another path. */
export async function startPage(): Promise<{ page: string; mounted: string; close: () => Promise<void> }> {
  const lms = await startLms()
  // As a gateway that starts the embedded LMS itself.
  const { routes } = PRESETS.learndash
  const options = { site: { url: lms.url, routes }, tuning: { users: USERS } }
  const gateway = await serve(options)
  const other = create(options)
  const server = createServer(mounted(other.handle))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    page: `${gateway.url}/graphql`,
    mounted: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await other.close()
      await gateway.close()
      await lms.close()
    },
  }
}
