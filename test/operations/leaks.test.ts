import { describe, expect, it } from 'vitest'
import { type GatewayOptions, graphSchema } from '../../src/index.js'
import { merged } from '../support/merged.js'
import { callersWithCookies, callersWithKeys } from '../support/private-callers.js'
import { type Job, kindsOf, schedule } from '../support/private-operations.js'
import { Run } from '../support/private-run.js'
import { Selections } from '../support/private-selections.js'
import { PrivateSite } from '../support/private-site.js'
import { Random } from '../support/random.js'
import { serve } from '../support/served.js'
import { CANDID, SOAK } from '../support/world.js'

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 20_000 : 1_200))
/** Operations by callers with cookies, and operations for the sharing test. */
const OTHERS = SOAK ? 4_000 : 1_200
const SEED = Number(process.env.SEED ?? 20_261_121)
const CALLERS = 64
const AT_A_TIME = 128
/** REST calls at a time: fewer than callers, so that all of them share connections. */
const IN_FLIGHT = 16

/** Most milliseconds of a site that is slow. */
const SLOW = 200

const random = new Random(SEED)
const kinds = kindsOf(new Selections(graphSchema(), random))
const isData = (kind: string): boolean => kinds[kind]?.data === true

interface Done {
  readonly run: Run
  readonly site: PrivateSite
  readonly faults: readonly unknown[]
  /** Reads that shared a call. */
  readonly shared: number
}

/** Runs operations through a gateway of their own, in front of a site of their own. */
async function run(jobs: readonly Job[], options: Partial<GatewayOptions> = {}, latency?: number): Promise<Done> {
  const site = await PrivateSite.start(latency)
  const faults: unknown[] = []
  const gateway = await serve(
    merged(
      {
        site: { url: site.url, routes: ['users', 'media', 'terms'] },
        protection: { maxInFlight: IN_FLIGHT },
        on: { fault: (fault) => faults.push(fault) },
        observe: { metrics: true },
      },
      CANDID,
      options,
    ),
  )
  const run = new Run(gateway, kinds)
  const sharedSoFar = async (): Promise<number> =>
    Number(/^lms_rest_shared_reads_total (\d+)$/m.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1])
  let shared = -(await sharedSoFar())
  try {
    await run.all(jobs, AT_A_TIME)
    shared += await sharedSoFar()
  } finally {
    await gateway.close()
    await site.close()
  }
  return { run, site, faults, shared }
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

function report(title: string, { run, site }: Done): void {
  const held = [...run.tallies].map(([kind, { ran, answered, held, errors, problems }]) => {
    const data = isData(kind) ? `, ${percent(held, ran)} hold data` : answered < ran ? `, ${answered} answered` : ''
    return `${kind} ${ran}${data}${errors > 0 ? `, ${errors} with errors` : ''}${problems > 0 ? `, ${problems} with problems` : ''}`
  })
  console.log(
    [
      `${title}: ${run.total('ran')} operations, ${AT_A_TIME} at a time, seed ${SEED}; ${run.characters} characters of answers`,
      `${run.total('marks')} marks of their callers; ${run.foreign.length} answers and ${site.foreign.length} requests with marks of others`,
      `${site.arrived} REST calls, ${site.writes} of them writes, at most ${site.most} at a time; ${site.sharedConnections} connections served several callers`,
      `${site.alike} reads arrived while another caller's of the same path was open, ${site.twice} while the same caller's was`,
      `${percent(run.total('held', isData), run.total('ran', isData))} of the operations that ask for data got it`,
      ...held.sort().map((line) => `  ${line}`),
    ].join('\n'),
  )
}

/** What must not happen, and what must happen so that the test is meaningful. */
function expectPrivate({ run, site, faults }: Done, count: number): void {
  expect(run.foreign.slice(0, 3)).toEqual([])
  expect(site.foreign.slice(0, 3)).toEqual([])
  expect(run.undeserved.slice(0, 3)).toEqual([])
  expect(faults).toEqual([])
  expect(run.total('ran')).toBe(count)
  expect(run.total('marks')).toBeGreaterThan(count * 10)
  expect(site.most).toBeGreaterThan(IN_FLIGHT / 2)
  expect(site.most).toBeLessThanOrEqual(IN_FLIGHT)
  expect(site.sharedConnections).toBeGreaterThan(IN_FLIGHT / 2)
  expect(site.alike).toBeGreaterThan(count / 10)
  expect(run.total('held', isData) / run.total('ran', isData)).toBeGreaterThan(0.9)
  // Others may not do everything.
  for (const [kind, { byEditors, heldByEditors }] of run.tallies)
    if (kinds[kind]?.clean) expect([kind, heldByEditors]).toEqual([kind, byEditors])
  expect([...run.tallies.keys()].sort()).toEqual(Object.keys(kinds).sort())
}

describe('callers who send the same operations at the same time', { timeout: 1_800_000 }, () => {
  it('see only their own records, each with an `Authorization`', async () => {
    const done = await run(schedule(kinds, callersWithKeys(CALLERS), random, OPERATIONS))
    report('keys', done)
    expectPrivate(done, OPERATIONS)
  })

  it('see only their own records, each with cookies and a nonce', async () => {
    const jobs = schedule(kinds, callersWithCookies(CALLERS), random, OTHERS)
    const done = await run(jobs, { site: { forwardCookie: true } })
    report('cookies', done)
    expectPrivate(done, OTHERS)
  })

  // The tests above mean nothing unless reads are shared. With a slow site, reads overlap on a slow machine too.
  it('share calls between their own operations', async () => {
    const jobs = schedule(kinds, callersWithKeys(CALLERS), random, SOAK ? OTHERS / 2 : OTHERS / 4)
    const { run: done, site, shared } = await run(jobs, {}, SLOW)
    const all = site.arrived + shared
    console.log(`${jobs.length} operations: ${site.arrived} REST calls for ${all} reads; ${percent(shared, all)} were saved`)
    expect([...done.foreign, ...site.foreign]).toEqual([])
    expect(shared / all).toBeGreaterThan(0.05)
  })
})
