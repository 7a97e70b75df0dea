import { type DocumentNode, parse } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Client } from '../../src/upstream/client.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { type Part, partsOf } from '../front-ends/parts.js'
import { withParts } from '../golden/random-parts.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { callScope } from '../support/call-scope.js'
import { Coverage } from '../support/coverage.js'
import { FaultyUpstream } from '../support/faulty-upstream.js'
import { merged } from '../support/merged.js'
import { executorMode, gatewayMode, type Mode } from '../support/modes.js'
import { OWN_ROUTES } from '../support/profile.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { FAULTS, IDS } from '../support/random-site.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'
import { serve } from '../support/served.js'
import { LoaderCounts, WatchedLoaders } from '../support/watched-loaders.js'
import { authorizationOf, CANDID, type Login, SOAK } from '../support/world.js'

// Every read of the site is made by the batch function of a DataLoader: one for each batch of a plan, one for each type and list for resolvers.
// What the viewer is, is no record, and writes are not batched.

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 2_000 : 30))
const SEED = Number(process.env.SEED ?? 20_261_126)

const schema = graphSchema()

interface Asked {
  readonly document: DocumentNode
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Login | undefined
}

const EXAMPLES = SAVED_OPERATIONS.map(
  ({ query, variables, caller }): Asked => ({ document: parse(query), query, variables: variables ?? {}, caller }),
)

/** A way to run operations, and whether a plan prefetches all, a part, or nothing of what they need. */
interface Way {
  readonly mode: Pick<Mode, 'run' | 'close'>
  readonly prefetches: 'all' | 'some' | 'nothing'
}

/** The gateway, for a client that takes responses in parts. */
async function inParts(site: Site): Promise<Way['mode']> {
  const gateway = await serve(merged({ tuning: { site, limits: { maxErrors: 10_000 } }, limits: { maxCalls: 10_000 } }, CANDID))
  const random = new Random(SEED + 1)
  const accept = 'multipart/mixed; deferSpec=20220824, application/json'
  return {
    async run({ query, variables, caller }) {
      const asked = { query: query.includes('mutation') ? query : withParts(query, schema, random), variables }
      const parts: Part[] = []
      const response = await gateway.post(asked, { accept, ...(caller && { authorization: authorizationOf(caller) }) })
      for await (const part of partsOf(response)) parts.push(part)
      return { data: parts[0]?.data, errors: [] }
    },
    close: () => gateway.close(),
  }
}

const waysTo = async (site: Site): Promise<Readonly<Record<string, Way>>> => ({
  'JSON posts': { mode: await gatewayMode(site, { tuning: { shortPath: true } }), prefetches: 'all' },
  Yoga: { mode: await gatewayMode(site, { tuning: { shortPath: false } }), prefetches: 'all' },
  'Yoga without response writer': { mode: await gatewayMode(site, { tuning: { shortPath: false, compile: false } }), prefetches: 'all' },
  'answers in parts': { mode: await inParts(site), prefetches: 'all' },
  'a plan that lacks 40 % of its edges': {
    mode: executorMode(site, schema, { share: 0.4, random: new Random(SEED + 2) }),
    prefetches: 'some',
  },
  'no plan': { mode: executorMode(site, schema), prefetches: 'nothing' },
})

let lms: RunningLms
let proxy: AlteringProxy
let watched: WatchedLoaders
beforeAll(async () => {
  lms = await startLms()
  const upstream = new FaultyUpstream(FAULTS)
  proxy = await startAlteringProxy(lms.url, { answer: upstream.answer })
  watched = new WatchedLoaders()
})
afterAll(async () => {
  watched.restore()
  await proxy.close()
  await lms.close()
})
afterEach(() => void watched.take())

/** Checks what ran for one or several operations. */
function check(counts: LoaderCounts, { prefetches }: Way, what: string): void {
  expect(counts.outside, what).toEqual([])
  // A batch of a plan is dispatched once, with all loads that it was laid out for.
  expect([counts.repeated, counts.waiting.size], what).toEqual([0, 0])
  if (prefetches === 'nothing') expect(counts.batches.prefetch, what).toBe(0)
}

/** Runs operations in every way, and prints how many batches, keys and calls each needs. */
async function runAll(title: string, site: Site, operations: readonly Asked[]): Promise<Readonly<Record<string, LoaderCounts>>> {
  const sums: Record<string, LoaderCounts> = {}
  for (const [name, way] of Object.entries(await waysTo(site))) {
    watched.take()
    const each: LoaderCounts[] = []
    for (const asked of operations) {
      await way.mode.run(asked)
      const counts = watched.take()
      check(counts, way, `${name}\n${asked.query}\n${JSON.stringify(asked.variables)}`)
      each.push(counts)
    }
    await way.mode.close()
    sums[name] = LoaderCounts.sum(each)
  }
  const rows = Object.entries(sums).map(([name, counts]) => `  ${name}: ${counts}`)
  console.log([`${title}, ${operations.length} operations (seed ${SEED}):`, ...rows].join('\n'))
  return sums
}

/** A plan needs few loads by resolvers, and none where it is complete. */
function checkSums(sums: Readonly<Record<string, LoaderCounts>>): void {
  for (const [name, { batches, keys, calls }] of Object.entries(sums)) {
    if (name === 'no plan') {
      expect([batches.prefetch, batches.resolvers > 0, calls.resolvers > 0], name).toEqual([0, true, true])
      continue
    }
    expect(batches.prefetch, name).toBeGreaterThan(0)
    expect(keys.prefetch, name).toBeGreaterThanOrEqual(batches.prefetch)
    expect(calls.prefetch, name).toBeGreaterThan(0)
  }
  expect(sums['JSON posts']?.calls.prefetch).toBeGreaterThan(5 * (sums['JSON posts']?.calls.resolvers as number))
}

describe('every read of the site is made by the batch function of a DataLoader', () => {
  it('in the examples', { timeout: 300_000 }, async () => {
    const sums = await runAll('examples', defineSite(lms.url), EXAMPLES)
    checkSums(sums)
    // A site that tells no viewer is asked whether it accepts the credentials.
    for (const [name, { writes, viewer }] of Object.entries(sums))
      expect([name, writes.length > 0, [...new Set(viewer)]]).toEqual([name, true, ['v1/groups']])
    // Their plans are complete.
    const byResolvers = Object.entries(sums).filter(([, { batches }]) => batches.resolvers > 0)
    expect(byResolvers.map(([name]) => name)).toEqual(['a plan that lacks 40 % of its edges', 'no plan'])
  })

  it.each<[string, Parameters<typeof defineSite>[1]]>([
    ['of a site whose records and lists fail', OWN_ROUTES],
    [
      'of a site that drops filters, refuses batches and sends small pages',
      {
        pageCap: 7,
        routes: ['users/me', 'users', 'media', 'terms'],
        droppedFilters: ['v2/sfwd-lessons course', 'v1/sfwd-quiz course', 'v1/groups include'],
        ignoredFilters: ['v2/groups/:id/courses include', 'v1/sfwd-courses include'],
        unbatched: ['Quiz'],
        missingColumns: ['Course.prerequisiteIds', 'GroupCourse.title', 'GroupCourse.priceTypeSlug', 'CourseProgress.status'],
      },
    ],
  ])('in random operations, %s', { timeout: 3_600_000 }, async (title, names) => {
    const random = new Random(SEED)
    const steering = new Coverage(schema, random)
    const operations = Array.from({ length: OPERATIONS }, (): Asked => {
      const { query, variables, caller } = randomOperation({ schema, random, ids: IDS, steering })
      return { document: parse(query), query, variables, caller }
    })
    const sums = await runAll(title, defineSite(proxy.url, names), operations)
    checkSums(sums)
    for (const [name, { writes }] of Object.entries(sums)) expect([name, writes]).toEqual([name, []])
  })

  it('and a read that is made elsewhere is noticed', async () => {
    const transport = new Transport({ origin: lms.url, maxInFlight: 8, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e6, share: false })
    const client = new Client(defineSite(lms.url), transport)
    await client.get({ path: 'v1/sfwd-courses/:id' }, { id: 10_001 }, { context: 'view' }, callScope())
    await client.list({ path: 'v1/groups', window: 'offset', filters: {}, orders: {} }, {}, { context: 'view' }, callScope())
    await transport.close()
    expect(watched.take().outside).toEqual(['get v1/sfwd-courses/:id', 'list v1/groups'])
  })
})
