import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deliveries, type RedisCommands } from '../../src/server/hooks/deliveries.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'

describe('deliveries to a process', () => {
  it('are accepted once, unless they are released', async () => {
    const deliveries = new Deliveries()
    const claims = await Promise.all(['a', 'a', 'b', 'a'].map((signature) => deliveries.claim(signature, 600)))
    expect(claims).toEqual([true, false, true, false])
    await deliveries.release('a')
    expect(await deliveries.claim('a', 600)).toBe(true)
    expect(await deliveries.claim('b', 600)).toBe(false)
  })

  it('are forgotten after a while', async () => {
    const deliveries = new Deliveries()
    await deliveries.claim('a', 0.3)
    await deliveries.claim('b', 600)
    await sleep(50)
    expect(await deliveries.claim('a', 600)).toBe(false)
    await sleep(300)
    expect([await deliveries.claim('a', 600), await deliveries.claim('b', 600)]).toEqual([true, false])
  })

  it('take bounded memory', async () => {
    const deliveries = new Deliveries()
    for (let index = 0; index <= 10_000; index++) await deliveries.claim(String(index), 600)
    expect(await deliveries.claim('1', 600)).toBe(false)
    expect(await deliveries.claim('0', 600)).toBe(true)
  })
})

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('deliveries to all replicas, in Redis', () => {
  let server: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await server.close()
  })

  function connect(): RedisCommands {
    const client = new Redis(server.port, '127.0.0.1', {
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
    return new Deliveries({ redis, prefix: () => prefix })
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
    expect(await new Deliveries({ redis: twice, prefix: () => '' }).claim('twice', 600)).toBe(true)
    expect(await (await replica('')).claim('twice', 600)).toBe(false)
  })

  it('are those to the process while Redis is away', async () => {
    const one = await replica()
    expect(await one.claim('before', 600)).toBe(true)
    await server.kill()
    try {
      expect(await one.claim('before', 600)).toBe(false)
      expect(await one.claim('meanwhile', 600)).toBe(true)
      expect(await one.claim('meanwhile', 600)).toBe(false)
      await one.release('meanwhile')
      expect(await one.claim('meanwhile', 600)).toBe(true)
    } finally {
      await server.begin()
    }
    const two = await replica()
    await expect.poll(() => clients.at(-2)!.status).toBe('ready')
    // Redis is empty now, but this process knows them.
    expect([await one.claim('before', 600), await one.claim('meanwhile', 600)]).toEqual([false, false])
    expect([await one.claim('after', 600), await two.claim('after', 600)]).toEqual([true, false])
  })
})
