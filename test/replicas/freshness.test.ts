import { afterEach, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { Random } from '../support/random.js'
import { SOAK } from '../support/world.js'
import { MixedLoad } from './mixed-load.js'
import { VersionedSite } from './versioned-site.js'

// Several gateways that know nothing of each other, in front of one site: no answer is older than a write that was acknowledged before.

const OPERATIONS = SOAK ? 60_000 : 6_000
const REPLICAS = 6

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Starts gateways, and returns their addresses. */
async function startReplicas(site: VersionedSite, flags: readonly string[]): Promise<readonly string[]> {
  const urls: string[] = []
  // One after the other: each of them looks for a free port.
  for (let replica = 0; replica < REPLICAS; replica++) {
    const command = new Command([...['--upstream', site.url, '--port', '0', '--max-in-flight', '64', '--log-level', 'error'], ...flags])
    closing.push(() => command.stop('SIGKILL'))
    urls.push(await command.address())
  }
  return urls
}

async function mixed(flags: readonly string[]) {
  const site = await VersionedSite.start(20, 2, 30)
  closing.push(() => site.close())
  const load = new MixedLoad(site, await startReplicas(site, flags), new Random(20_261_124))
  closing.push(() => load.close())
  const seen = await load.run({ operations: OPERATIONS, lanes: 160, writes: 0.2, signedIn: 0.1 })
  const { reads, writes, compared, written, stale } = seen
  console.log(
    `${REPLICAS} replicas, ${flags.join(' ') || 'the defaults'}: ${reads} reads, ${writes} writes, ${compared} records (${written} written before), ${stale.length} older than an acknowledged write`,
  )
  return seen
}

it('without a cache, no answer is older than an acknowledged write of any replica', async () => {
  const { stale, foreign, failed, refused, written } = await mixed([])
  expect({ stale: stale.slice(0, 5), foreign: foreign.slice(0, 5), failed: failed.slice(0, 5), refused }).toEqual({
    stale: [],
    foreign: [],
    failed: [],
    refused: {},
  })
  expect(written).toBeGreaterThan(OPERATIONS / 2)
})

it('a cache of each replica shows older answers, which these operations detect', async () => {
  const { stale, foreign } = await mixed(['--cache', '60'])
  expect(stale.length).toBeGreaterThan(0)
  expect(foreign).toEqual([])
})
