import { readSwitchTexts } from '../../lms/profile/switches.js'
import type { Config } from '../../settings/config.js'
import { basic } from '../../upstream/session.js'
import type { EmbeddedSite } from './serving.js'

/** What the embedded LMS is started with. */
export const embeddedOf = ({ data, scale, profile, switch: switches, control }: Config) => ({
  profile,
  switches: readSwitchTexts(switches).value,
  control,
  ...(data === null ? {} : { data }),
  ...(scale === null ? {} : { scale }),
})

/** The embedded LMS in a thread of its own, so that its work never holds up the gateway. */
export async function startEmbedded(
  config: Config,
): Promise<EmbeddedSite & { readonly warnings: readonly string[]; close(): Promise<void> }> {
  // Not by way of `lms/index.js`: this thread need not load what the other one runs.
  const [{ startLmsThread }, { DEMO_USERS }] = await Promise.all([import('../../lms/thread.js'), import('../../lms/seed/people.js')])
  const lms = await startLmsThread(embeddedOf(config))
  const users = DEMO_USERS.map(({ login, name, role, password }) => ({ login, name, role, authorization: basic(login, password) }))
  return { url: lms.url, users, warnings: lms.warnings, close: () => lms.close() }
}
