import type { SiteOptions } from '../../src/index.js'
import type * as Lms from '../../src/lms.js'
import type * as Start from '../../src/start.js'
import { ALL_COLUMNS, ALL_COLUMNS_QUIRKS, COMPLETE, COMPLETE_QUIRKS } from '../profiles/differences.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { FaultyUpstream } from '../support/faulty-upstream.js'
import { FAULTS } from '../support/random-site.js'

/** The code that is recorded. */
export interface Entries {
  readonly start: typeof Start
  readonly lms: typeof Lms
}

/** A kind of site: how the embedded LMS behaves, and how the gateway is told to take it. */
interface Kind {
  readonly profile: NonNullable<Lms.LmsOptions['profile']>
  readonly switches?: Lms.LmsOptions['switches']
  readonly site: SiteOptions
  /** Whether some records and lists fail. */
  readonly fails?: true
  /** How many of a hundred random operations run in front of it. */
  readonly share: number
}

/** Every kind of site with random operations: all profiles of the embedded LMS, with and without faults and rare columns. */
export const KINDS = {
  lms: { profile: 'lms', site: { preset: 'lms' }, share: 26 },
  'lms, all columns at once': { profile: 'lms', site: { preset: 'lms', fieldFilter: null }, share: 6 },
  'lms with faults': { profile: 'lms', site: { preset: 'lms' }, fails: true, share: 12 },
  learndash: { profile: 'learndash', site: { preset: 'learndash' }, share: 18 },
  'learndash, every column': {
    profile: 'learndash',
    switches: ALL_COLUMNS,
    site: { preset: 'learndash', ...ALL_COLUMNS_QUIRKS },
    share: 8,
  },
  'learndash with faults': {
    profile: 'learndash',
    switches: COMPLETE,
    site: { preset: 'learndash', ...COMPLETE_QUIRKS },
    fails: true,
    share: 10,
  },
  'learndash-5': { profile: 'learndash-5', site: { preset: 'learndash' }, share: 20 },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/** A running site, with every request that reached it. */
export interface RunningSite {
  /** Options of a gateway in front of it. */
  readonly site: SiteOptions & { readonly url: string }
  /** Method, path and status of requests, in the order of their answers. */
  readonly sent: string[]
  /** Goes back to the records of the start. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** The address in links of records, whatever the port is. */
const ADDRESS = 'https://school.example'

export async function startSite({ lms }: Entries, name: KindName): Promise<RunningSite> {
  const { profile, switches, site, fails }: Kind = KINDS[name]
  const sent: string[] = []
  const note = (method: string, path: string, status: number): void => void sent.push(`${method} ${path} -> ${status}`)
  const running = await lms.startLms({
    profile,
    switches,
    site: ADDRESS,
    ...(!fails && { onCall: ({ method, url, status }) => note(method, url, status) }),
  })
  const faults = new FaultyUpstream(FAULTS)
  const proxy: AlteringProxy | undefined =
    fails &&
    (await startAlteringProxy(running.url, {
      answer: (path, reply) => {
        const answer = faults.answer(path.replace('/ldlms/', '/lms/'), reply)
        note('GET', path, answer.status)
        return answer
      },
    }))
  return {
    site: { ...site, url: (proxy ?? running).url },
    sent,
    reset: () => running.reset(),
    async close() {
      await proxy?.close()
      await running.close()
    },
  }
}
