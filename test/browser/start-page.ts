import { startGateway } from '../../src/index.js'
import { DEMO_USERS, startLms } from '../../src/lms/index.js'
import { authorizationOf } from '../support/world.js'

/** The users that the page offers. */
export const USERS = DEMO_USERS.map(({ login, name, role }) => ({ login, name, role, authorization: authorizationOf(login) }))

/** A gateway in front of the embedded LMS, with the built page. */
export async function startPage(): Promise<{ url: string; close: () => Promise<void> }> {
  const lms = await startLms()
  const gateway = await startGateway({ upstream: lms.url, port: 0, users: USERS })
  return {
    url: gateway.url,
    close: async () => {
      await gateway.close()
      await lms.close()
    },
  }
}
