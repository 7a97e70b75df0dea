import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveriesOf, type RedisCommands } from '../../src/server/hooks/deliveries.js'
import { freePort } from '../hosts/host.js'

const missing =
  spawnSync('redis-server', ['--version']).status === 0 || process.env.CI === 'true' ? '' : ' (skipped: there is no redis-server)'

describe('deliveries to a process', () => {
  it('are accepted once, unless they are released', async () => {
    const deliveries = deliveriesOf()
    const claims = await Promise.all(['a', 'a', 'b', 'a'].map((signature) => deliveries.claim(signature, 600)))
    expect(claims).toEqual([true, false, true, false])
    await deliveries.release('a')
    expect(await deliveries.claim('a', 600)).toBe(true)
    expect(await deliveries.claim('b', 600)).toBe(false)
  })

  it('are forgotten after a while', async () => {
    const deliveries = deliveriesOf()
    await deliveries.claim('a', 0.3)
    await deliveries.claim('b', 600)
    await sleep(50)
    expect(await deliveries.claim('a', 600)).toBe(false)
    await sleep(300)
    expect([await deliveries.claim('a', 600), await deliveries.claim('b', 600)]).toEqual([true, false])
  })

  it('take bounded memory', async () => {
    const deliveries = deliveriesOf()
    for (let index = 0; index <= 10_000; index++) await deliveries.claim(String(index), 600)
    expect(await deliveries.claim('1', 600)).toBe(false)
    expect(await deliveries.claim('0', 600)).toBe(true)
  })
})

describe.skipIf(missing !== '')(`deliveries to all replicas, in Redis${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-redis-'))
  let port: number
  let server: ChildProcess
  const clients: Redis[] = []
  beforeAll(async () => {
    port = await freePort()
    await startServer()
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await stopServer()
    rmSync(folder, { recursive: true })
  })

  async function startServer(): Promise<void> {
    server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], { stdio: 'pipe' })
    for await (const chunk of server.stdout!) if (String(chunk).includes('Ready to accept connections')) break
    // What it prints later is not read.
    server.stdout!.resume()
  }

  async function stopServer(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  function connect(): RedisCommands {
    const client = new Redis(port, '127.0.0.1', {
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      lazyConnect: true,
      retryStrategy: () => 20,
    })
    client.on('error', () => {})
    clients.push(client)
    return { command: (name, ...args) => client.call(name, ...args) }
  }

  const replica = async (prefix = '{site}:') => {
    const redis = connect()
    await clients.at(-1)!.connect()
    return deliveriesOf({ redis, prefix })
  }

  it('are accepted by one replica, unless they are released', async () => {
    const replicas = await Promise.all([replica(), replica(), replica()])
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.all(replicas.map((each) => each.claim(`sha256=${round}`, 600)))
      expect(claims.toSorted()).toEqual([false, false, true])
    }
    const [one, two, three] = replicas
    expect(await one!.claim('again', 600)).toBe(true)
    await one!.release('again')
    expect(await two!.claim('again', 600)).toBe(true)
    expect(await three!.claim('again', 600)).toBe(false)
    // Another site on the same Redis.
    expect(await (await replica('{other}:')).claim('again', 600)).toBe(true)
  })

  it('are kept for as long as they would be accepted', async () => {
    await (await replica()).claim('timed', 600)
    const client = clients.at(-1)!
    expect(await client.ttl('{site}:hook:timed')).toBeGreaterThan(595)
    expect((await client.keys('*timed*')).length).toBe(1)
  })

  it('are not taken for replays when a command was sent twice', async () => {
    const redis = connect()
    await clients.at(-1)!.connect()
    const twice: RedisCommands = {
      command: async (name, ...args) => {
        if (name === 'SET') await redis.command(name, ...args)
        return redis.command(name, ...args)
      },
    }
    expect(await deliveriesOf({ redis: twice, prefix: '' }).claim('twice', 600)).toBe(true)
    expect(await (await replica('')).claim('twice', 600)).toBe(false)
  })

  it('are those to the process while Redis is away', async () => {
    const one = await replica()
    expect(await one.claim('before', 600)).toBe(true)
    await stopServer()
    try {
      expect(await one.claim('before', 600)).toBe(false)
      expect(await one.claim('meanwhile', 600)).toBe(true)
      expect(await one.claim('meanwhile', 600)).toBe(false)
      await one.release('meanwhile')
      expect(await one.claim('meanwhile', 600)).toBe(true)
    } finally {
      await startServer()
    }
    const two = await replica()
    await expect.poll(() => clients.at(-2)!.status).toBe('ready')
    // Redis is empty now, but this process knows them.
    expect([await one.claim('before', 600), await one.claim('meanwhile', 600)]).toEqual([false, false])
    expect([await one.claim('after', 600), await two.claim('after', 600)]).toEqual([true, false])
  })
})
