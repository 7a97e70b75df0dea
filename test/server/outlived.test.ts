import { EventEmitter } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { parse } from 'graphql'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Estimator } from '../../src/cost/estimate.js'
import { graphSchema } from '../../src/graph/schema.js'
import { entitiesIn } from '../../src/model/marks.js'
import { executeWhole } from '../../src/plan/graphql-js.js'
import { Planner } from '../../src/plan/planner.js'
import { PreparedOperations } from '../../src/plan/prepared-operations.js'
import { Operation, type Upstream } from '../../src/prefetch/operation.js'
import { Drain } from '../../src/server/http/drain.js'
import { listen } from '../../src/server/http/listen.js'
import { ServerConnections } from '../../src/server/http/server-connections.js'
import { Client } from '../../src/upstream/client.js'
import { Projections } from '../../src/upstream/codec/records.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { ViewerCache } from '../../src/upstream/site/viewers.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { FakeSite, json } from '../support/site.js'
import { collectAll, collectYoung, oldMegabytes } from '../support/young.js'

// What has ended must be nothing to the next full collection: tables that live as long as the process must not keep it alive until then.

const TIMES = 3_000
const AT_ONCE = 16
const LIMITS = { maxConnections: 10_000, trustedProxies: [], requestTimeout: 20_000, drainTimeout: 10_000 }
/** Forty kilobytes. */
const weight = (): number[] => new Array(5_000).fill(1)

let site: FakeSite
beforeAll(async () => {
  site = await FakeSite.start((_, response) => json(response, []))
})
afterAll(() => site.close())

/** Most megabytes at a time that have outlived runs of something that each hold a weight, a few at once. */
async function outliving(run: (i: number) => Promise<void>): Promise<number> {
  let next = 0
  let most = 0
  const lane = async (): Promise<void> => {
    while (next < TIMES) {
      const i = next++
      if (i % 200 === 0) {
        collectYoung()
        most = Math.max(most, oldMegabytes())
      }
      await run(i)
    }
  }
  const lanes = (): Promise<unknown> => Promise.all(Array.from({ length: AT_ONCE }, lane))
  await lanes()
  collectAll()
  const before = oldMegabytes()
  next = 0
  most = 0
  await lanes()
  const grown = most - before
  console.log(`${TIMES} runs, each with 40 KB, ${AT_ONCE} at a time: ${grown.toFixed(1)} MB outlived them`)
  return grown
}

it('is nothing of reads in flight', { timeout: 60_000 }, async () => {
  const { url: origin } = site
  const transport = new Transport({ origin, maxInFlight: 256, timeout: 5_000, connectTimeout: 1_000, maxBytes: 10_000, share: true })
  const read = async (i: number): Promise<void> => {
    await transport.get('v1/list', `/list?page=${i}`, callScope({ operation: weight() }))
  }
  expect(await outliving(read)).toBeLessThan(35)
  await transport.close()
})

it('is nothing of operations whose records are read through the DataLoaders of their types', { timeout: 60_000 }, async () => {
  const schema = graphSchema()
  const settings = { maxInFlight: 256, timeout: 5_000, connectTimeout: 1_000, maxBytes: 10_000, share: true }
  const client = new Client(defineSite(site.url), new Transport({ origin: site.url, ...settings }))
  const projections = new Projections(client.site)
  const limits = { rows: 1_000, unpaged: 100 }
  const upstream: Upstream = {
    client,
    projections,
    capabilities: new CapabilityCache(),
    viewers: new ViewerCache(),
    limits,
    entities: entitiesIn(schema),
    estimator: new Estimator(),
    maxCalls: 10,
  }
  const prepared = new PreparedOperations(new Planner(schema))
  const document = parse('{ course(id: 1) { title } }')
  const run = async (): Promise<void> => {
    const operation = new Operation(upstream, callScope())
    await executeWhole({ schema, document, contextValue: { operation, prepared, weight: weight() } })
  }
  expect(await outliving(run)).toBeLessThan(35)
})

it('is nothing of answers', { timeout: 60_000 }, async () => {
  const answer = (response: ServerResponse): void => {
    Object.assign(response, { weight: weight() })
    setTimeout(() => response.end('ok'), 2)
  }
  const server = await listen((_, response) => answer(response), { ...LIMITS, host: '127.0.0.1', port: 0 })
  const pool = new Pool(server.url, { connections: AT_ONCE, pipelining: 1 })
  const ask = async (): Promise<void> => {
    await (await pool.request({ path: '/', method: 'GET' })).body.dump()
  }
  expect(await outliving(ask)).toBeLessThan(35)
  await pool.destroy()
  await server.close()
})

// Without a network: what Node itself keeps of sockets differs.
it('is nothing of connections', { timeout: 60_000 }, async () => {
  const server = new EventEmitter()
  new Drain(new ServerConnections(server as Server, LIMITS), LIMITS)
  const connect = async (): Promise<void> => {
    const socket = Object.assign(new EventEmitter(), { weight: weight() })
    server.emit('connection', socket)
    await new Promise((resolve) => setImmediate(resolve))
    socket.emit('close')
  }
  expect(await outliving(connect)).toBeLessThan(35)
})
