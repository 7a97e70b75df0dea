import { EventEmitter } from 'node:events'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { RedisOptions } from '../../src/index.js'
import { readProgram } from '../../src/options/program.js'
import { connectRedis, type RedisConnection, type RedisEvents } from '../../src/server/redis/connection.js'
import type { Script } from '../../src/upstream/cache/redis-versions.js'
import { CuttablePath, RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'

// The connection to a real Redis that is away, silent, read-only or a cluster. No command waits longer than its timeout, and none is sent twice.

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startRedis(...flags: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...flags)
  closing.push(() => server.close())
  return server
}

async function pathTo(server: RedisServer): Promise<CuttablePath> {
  const path = await CuttablePath.to(server.port)
  closing.push(() => path.close())
  return path
}

function connect(given: RedisOptions & { readonly timeout?: number }) {
  const { timeout, ...redis } = given
  const { options } = readProgram({ site: { url: 'http://127.0.0.1:9' }, redis }, { others: [], isServer: false })
  const lines: { readonly level: string; readonly message: string; readonly reason?: string }[] = []
  const seen = { lines, failures: 0 }
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields })
  const log = { isLevelEnabled: () => true, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const connection = connectRedis(
    { ...options.redis, timeout },
    log,
    new EventEmitter<RedisEvents>().on('redisCommandFailed', () => seen.failures++),
  )
  closing.push(() => connection.close())
  return { connection, seen }
}

const becomes = (connection: RedisConnection, ready: boolean): Promise<unknown> =>
  expect.poll(() => connection.isReady, { timeout: 15_000, interval: 10 }).toBe(ready)

/** The answer as text, or the message of the error, with the milliseconds until then. */
async function outcome(promise: Promise<unknown>): Promise<{ readonly answer?: string; readonly error?: string; readonly after: number }> {
  const start = performance.now()
  try {
    return { answer: String(await promise), after: performance.now() - start }
  } catch (error) {
    return { error: (error as Error).message, after: performance.now() - start }
  }
}

const LOST = { level: 'warn', message: 'Redis cannot be reached' }
const BACK = { level: 'info', message: 'Redis answers again' }
const COUNT: Script = { name: 'count', lua: `return tostring(redis.call('INCR', KEYS[1]))` }

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('the connection to Redis', () => {
  it('rejects commands at once while Redis is away, tells of it once, and opens when Redis is there', async () => {
    const server = await startRedis()
    await server.kill()
    const { connection, seen } = connect({ url: server.url })
    const first = await outcome(connection.command('PING'))
    await expect.poll(() => seen.lines.length).toBe(1)
    await sleep(500)
    for (const each of [first, await outcome(connection.command('PING')), await outcome(connection.run(COUNT, ['n'], []))]) {
      expect(each).toMatchObject({ error: 'Redis is not connected.' })
      expect(each.after).toBeLessThan(50)
    }
    expect(seen).toEqual({ lines: [{ ...LOST, reason: `connect ECONNREFUSED 127.0.0.1:${server.port}` }], failures: 3 })
    await server.begin()
    await becomes(connection, true)
    expect(await outcome(connection.command('PING'))).toMatchObject({ answer: 'PONG' })
    expect(seen.lines.slice(1)).toEqual([BACK])
  })

  it('rejects a command without an answer after the timeout, and opens again after three of them', async () => {
    const server = await startRedis()
    const { connection, seen } = connect({ url: server.url, timeout: 100 })
    await becomes(connection, true)
    server.cli('CLIENT', 'PAUSE', '1500', 'ALL')
    for (let times = 0; times < 3; times++) {
      const { error, after } = await outcome(connection.command('INCR', 'n'))
      expect(error).toBe('Command timed out')
      expect(after).toBeGreaterThan(90)
      expect(after).toBeLessThan(400)
    }
    expect(connection.isReady).toBe(false)
    expect((await outcome(connection.command('INCR', 'n'))).after).toBeLessThan(50)
    await becomes(connection, true)
    expect(await outcome(connection.command('PING'))).toMatchObject({ answer: 'PONG' })
    expect(seen).toEqual({ lines: [{ ...LOST, reason: 'no answers' }, BACK], failures: 4 })
  })

  it('rejects a command in flight when the connection breaks, and does not send it again', async () => {
    const server = await startRedis()
    const path = await pathTo(server)
    const { connection } = connect({ url: path.url, timeout: 5_000 })
    await becomes(connection, true)
    server.cli('CLIENT', 'PAUSE', '500', 'ALL')
    const sent = outcome(connection.command('INCR', 'n'))
    await sleep(50)
    path.cut()
    const { error, after } = await sent
    expect(error).toBeDefined()
    expect(after).toBeLessThan(1_000)
    path.mend()
    await becomes(connection, true)
    await sleep(600)
    expect(server.cli('GET', 'n')).toBe('')
  })

  it('does not fill the log while the connection comes and goes', async () => {
    const server = await startRedis()
    const path = await pathTo(server)
    const { connection, seen } = connect({ url: path.url })
    for (let times = 0; times < 4; times++) {
      await becomes(connection, true)
      path.cut()
      await becomes(connection, false)
      path.mend()
    }
    await becomes(connection, true)
    expect(seen.lines).toEqual([LOST, BACK])
  })

  it('leaves a node that has become read-only, because another one has taken over', async () => {
    const [old, next] = [await startRedis(), await startRedis()]
    const { connection, seen } = connect({ url: old.url })
    await becomes(connection, true)
    expect(await outcome(connection.run(COUNT, ['n'], []))).toMatchObject({ answer: '1' })
    old.cli('REPLICAOF', '127.0.0.1', String(next.port))
    await expect.poll(() => old.cli('INFO', 'replication'), { timeout: 15_000 }).toContain('master_link_status:up')
    const connected = (): number => Number(/total_connections_received:(\d+)/.exec(old.cli('INFO', 'stats'))?.[1])
    const before = connected()
    expect((await outcome(connection.run(COUNT, ['n'], []))).error).toMatch(/^READONLY /)
    expect(connection.isReady).toBe(false)
    await becomes(connection, true)
    // Two by redis-cli.
    expect(connected() - before).toBeGreaterThanOrEqual(2)
    expect(seen.lines).toMatchObject([{ ...LOST, reason: expect.stringMatching(/^READONLY /) }, BACK])
    old.cli('REPLICAOF', 'NO', 'ONE')
    expect(await outcome(connection.run(COUNT, ['n'], []))).toMatchObject({ answer: '1' })
  })

  it('loads a script that Redis does not know, and returns binary values as they are', async () => {
    const server = await startRedis()
    const { connection, seen } = connect({ url: server.url })
    await becomes(connection, true)
    for (const expected of ['1', '2']) expect(await outcome(connection.run(COUNT, ['n'], []))).toMatchObject({ answer: expected })
    server.cli('SCRIPT', 'FLUSH')
    expect(await outcome(connection.run(COUNT, ['n'], []))).toMatchObject({ answer: '3' })
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    await connection.command('SET', 'b', bytes)
    expect(await connection.command('GET', 'b')).toEqual(bytes)
    expect(seen).toEqual({ lines: [], failures: 0 })
  })

  it('names the reason when the password is wrong, and no password', async () => {
    const server = await startRedis('--requirepass', 'right-password')
    const right = connect({ url: `redis://:right-password@127.0.0.1:${server.port}` })
    const wrong = connect({ url: `redis://:wrong-password@127.0.0.1:${server.port}` })
    const none = connect({ url: server.url })
    await becomes(right.connection, true)
    for (const { seen } of [wrong, none]) await expect.poll(() => seen.lines.length).toBe(1)
    expect(wrong.seen.lines).toEqual([{ ...LOST, reason: 'WRONGPASS invalid username-password pair or user is disabled.' }])
    expect(none.seen.lines).toEqual([{ ...LOST, reason: expect.stringMatching(/^NOAUTH /) }])
    expect(right.seen).toEqual({ lines: [], failures: 0 })
    expect(JSON.stringify([wrong.seen, none.seen])).not.toMatch(/wrong-password|right-password/)
  })

  it('ends while it is opened, and while Redis is away', async () => {
    const server = await startRedis()
    const { connection, seen } = connect({ url: server.url })
    await connection.close()
    await sleep(100)
    expect(connection.isReady).toBe(false)
    await expect.poll(() => server.cli('CLIENT', 'LIST').split('\n').length).toBe(1)
    await server.kill()
    const away = connect({ url: server.url })
    await away.connection.close()
    await server.begin()
    await sleep(300)
    expect(server.cli('CLIENT', 'LIST').split('\n')).toHaveLength(1)
    expect(seen.lines).toEqual([])
  })
})

/** Two nodes with half of the slots each, and a replica of the second one. */
async function startCluster(): Promise<readonly [RedisServer, RedisServer, RedisServer]> {
  const flags = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', '1000']
  const nodes = [await startRedis(...flags), await startRedis(...flags), await startRedis(...flags)] as const
  const [one, two, replica] = nodes
  one.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '8191')
  two.cli('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383')
  for (const { port } of [two, replica]) one.cli('CLUSTER', 'MEET', '127.0.0.1', String(port))
  const whole = { timeout: 15_000 }
  for (const node of nodes) await expect.poll(() => node.cli('CLUSTER', 'INFO'), whole).toContain('cluster_known_nodes:3')
  await expect.poll(() => replica.cli('CLUSTER', 'REPLICATE', two.cli('CLUSTER', 'MYID')), whole).toBe('OK')
  await expect.poll(() => replica.cli('INFO', 'replication'), whole).toContain('master_link_status:up')
  for (const node of nodes) await expect.poll(() => node.cli('CLUSTER', 'INFO'), whole).toContain('cluster_state:ok')
  return nodes
}

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('the connection to a Redis Cluster', () => {
  it('sends the scripts of a site to its node, and follows when another node takes over', async () => {
    const [one, two, replica] = await startCluster()
    // By one address and by several.
    const single = connect({ url: one.url, cluster: true })
    const several = connect({ url: [one.url, two.url] })
    for (const { connection } of [single, several]) await becomes(connection, true)
    // `{b}` is on the first node, `{a}` on the second one.
    const sites = ['{a}', '{b}'] as const
    for (const site of sites) {
      expect(await outcome(single.connection.run(COUNT, [`lms:${site}:n`], []))).toMatchObject({ answer: '1' })
      expect(await outcome(several.connection.run(COUNT, [`lms:${site}:n`], []))).toMatchObject({ answer: '2' })
    }
    expect([one.cli('DBSIZE'), two.cli('DBSIZE')]).toEqual(['1', '1'])
    await expect.poll(() => replica.cli('DBSIZE')).toBe('1')

    await two.kill()
    const { error, after } = await outcome(single.connection.run(COUNT, ['lms:{a}:n'], []))
    expect(error).toBeDefined()
    // The timeout is 500 ms.
    expect(after).toBeLessThan(300)
    expect(await outcome(single.connection.run(COUNT, ['lms:{b}:n'], []))).toMatchObject({ answer: '3' })
    replica.cli('CLUSTER', 'FAILOVER', 'TAKEOVER')
    await expect
      .poll(() => outcome(single.connection.run(COUNT, ['lms:{a}:n'], [])), { timeout: 15_000, interval: 100 })
      .toMatchObject({ answer: '3' })
  })
})
