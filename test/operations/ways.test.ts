import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { Coverage } from '../support/coverage.js'
import { FaultyUpstream } from '../support/faulty-upstream.js'
import { executorMode, gatewayMode, type Mode } from '../support/modes.js'
import { OWN_ROUTES } from '../support/profile.js'
import { Random } from '../support/random.js'
import { type RandomOperation, randomOperation } from '../support/random-operations.js'
import { FAULTS, IDS } from '../support/random-site.js'
import { SOAK } from '../support/world.js'

// The gateway as it is, without accelerators, and without prefetching: the same data and errors. Without accelerators the REST calls are the same,
// too; without prefetching there are others, of which the numbers are printed.

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 5_000 : 60))
const SEED = Number(process.env.SEED ?? 20_261_127)

const schema = graphSchema()
let lms: RunningLms
let proxy: AlteringProxy
let ways: Readonly<Record<'all' | 'unaccelerated' | 'unprefetched', Mode>>

beforeAll(async () => {
  lms = await startLms()
  const upstream = new FaultyUpstream(FAULTS)
  proxy = await startAlteringProxy(lms.url, { answer: upstream.answer })
  const site = defineSite(proxy.url, OWN_ROUTES)
  ways = {
    all: await gatewayMode(site, { tuning: { compile: true, shortPath: true } }),
    unaccelerated: await gatewayMode(site, { tuning: { compile: false, shortPath: false } }),
    unprefetched: executorMode(site, schema),
  }
})
afterAll(async () => {
  for (const way of Object.values(ways)) await way.close()
  await proxy.close()
  await lms.close()
})

const seen = { operations: 0, calls: { all: 0, unaccelerated: 0, unprefetched: 0 }, fewer: 0, equal: 0, more: 0, errors: 0, repeated: 0 }

const callsOf = ({ paths }: Mode): string =>
  paths
    .map((path) => decodeURIComponent(path).replace(/(?<=include=)[\d,]+/, (ids) => ids.split(',').sort().join(',')))
    .sort()
    .join('\n')

async function compare({ query, variables, caller }: RandomOperation): Promise<void> {
  const asked = { document: parse(query), query, variables, caller }
  const told = `as ${caller ?? 'anonymous'}\n${query}\n${JSON.stringify(variables)}`
  const { all, unaccelerated, unprefetched } = ways
  const answer = await all.run(asked)
  expect(await unaccelerated.run(asked), `without accelerators, ${told}`).toEqual(answer)
  expect(await unprefetched.run(asked), `without prefetching, ${told}`).toEqual(answer)
  const counts = [all, unaccelerated, unprefetched].map(({ paths }) => paths.length) as [number, number, number]
  // Which records a batch leaves for single reads can depend on the order of the answers, so that such runs are repeated.
  const [first, second] = [[callsOf(all)], [callsOf(unaccelerated)]]
  const isEqual = (): boolean => first.some((calls) => second.includes(calls))
  while (!isEqual() && first.length < 6) {
    await all.run(asked)
    await unaccelerated.run(asked)
    first.push(callsOf(all))
    second.push(callsOf(unaccelerated))
    seen.repeated++
  }
  if (!isEqual()) expect(second[0], told).toBe(first[0])
  seen.operations++
  seen.calls.all += counts[0]
  seen.calls.unaccelerated += counts[1]
  seen.calls.unprefetched += counts[2]
  seen[counts[2] < counts[0] ? 'fewer' : counts[2] > counts[0] ? 'more' : 'equal']++
  seen.errors += answer.errors.length
}

describe('random operations', () => {
  it('show the same without accelerators, with the same calls, and without prefetching', { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED)
    const steering = new Coverage(schema, random)
    while (seen.operations < OPERATIONS) await compare(randomOperation({ schema, random, ids: IDS, steering }))
    const { calls, fewer, equal, more, errors, repeated } = seen
    console.log(
      [
        `${OPERATIONS} operations (seed ${SEED}) with ${errors} errors; ${repeated} runs repeated`,
        `REST calls: ${calls.all} with all, ${calls.unaccelerated} without accelerators, ${calls.unprefetched} without prefetching`,
        `without prefetching: more calls in ${more} operations, as many in ${equal}, fewer in ${fewer}`,
      ].join('\n'),
    )
    expect(calls.all).toBeGreaterThan(OPERATIONS)
    expect(errors).toBeGreaterThan(OPERATIONS / 10)
    expect(repeated).toBeLessThanOrEqual(OPERATIONS / 10)
  })
})
