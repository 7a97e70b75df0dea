import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.js'
import { Forwarder, type ForwarderEvents, type ForwarderOptions } from '../../src/server/hooks/forwarder.js'
import type { SiteChange } from '../../src/upstream/cache/tags.js'
import { createReceiver } from '../docs/examples/purging/receiver.js'
import { freePort } from '../hosts/host.js'
import { KeptLog, now, Receiver, SECRET, signed } from '../support/hooks.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const FORWARD_SECRET = 'forward-secret-0123456789-0123456'
const EVERYTHING = { changes: [{ type: 'site', kind: 'updated' }], tags: ['site'] }

const course = (id: number): SiteChange => ({ type: 'course', id, kind: 'updated' })

let receiver: Receiver
let log: KeptLog
let outcomes: string[]
const closers: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  receiver = await Receiver.start()
  closers.push(() => receiver.close())
  log = new KeptLog()
  outcomes = []
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function start(options: Partial<ForwarderOptions> = {}): Forwarder {
  const events = new EventEmitter<ForwarderEvents>()
  events.on('fault', (fault) => outcomes.push(String(fault))).on('deliverySent', (outcome) => outcomes.push(outcome))
  const forwarder = new Forwarder({
    addresses: [`${receiver.url}/purge?key=s3cret#none`],
    secrets: [FORWARD_SECRET],
    log,
    events,
    ...options,
    pace: { delay: 20, longestDelay: 50, timeout: 5_000, attempts: 4, flush: 1_000, ...options.pace },
  })
  closers.push(() => forwarder.close())
  return forwarder
}

const send = (forwarder: Forwarder, ...ids: number[]): void =>
  forwarder.send(
    ids.map(course),
    ids.map((id) => `course:${id}`),
  )

describe('forwarding', () => {
  it('sends changes and tags, signed, to each address once', async () => {
    const other = await Receiver.start()
    closers.push(() => other.close())
    const forwarder = start({ addresses: [`${receiver.url}/purge?key=s3cret#none`, other.url, other.url] })
    forwarder.send(
      [course(1), { type: 'term', kind: 'deleted' }, { ...course(1), columns: ['title'] }],
      ['course:1', 'courses', 'course:1'],
    )
    await expect.poll(() => [receiver.deliveries.length, other.deliveries.length]).toEqual([1, 1])
    const [delivery] = receiver.deliveries
    expect(delivery).toMatchObject({ path: '/purge?key=s3cret' })
    expect(delivery!.text).toBe(
      '{"changes":[{"type":"term","kind":"deleted"},{"type":"course","id":1,"kind":"updated"}],"tags":["course:1","courses"]}',
    )
    const timestamp = delivery!.headers['x-lms-timestamp'] as string
    expect(Math.abs(now() - Number(timestamp))).toBeLessThan(5)
    expect(delivery!.headers).toMatchObject(signed(delivery!.text, { secret: FORWARD_SECRET, timestamp }))
    expect(other.deliveries[0]).toMatchObject({ path: '/', text: delivery!.text })
    await expect.poll(() => outcomes).toEqual(['delivered', 'delivered'])
  })

  it('keeps the order, and sends what comes during a request as the next one', async () => {
    const forwarder = start()
    let answer: () => void = () => {}
    receiver.answer = (response) => {
      answer = () => response.writeHead(200).end('{}')
    }
    send(forwarder, 1)
    await expect.poll(() => receiver.ids).toEqual([[1]])
    for (const id of [2, 3, 2]) send(forwarder, id)
    await sleep(50)
    expect(receiver.ids).toEqual([[1]])
    answer()
    await expect.poll(() => receiver.ids).toEqual([[1], [3, 2]])
    answer()
    send(forwarder, 4)
    await expect.poll(() => receiver.ids).toEqual([[1], [3, 2], [4]])
    answer()
    await expect.poll(() => outcomes).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('tries the same body again after errors, with a time stamp of its own, and logs once', async () => {
    const forwarder = start()
    receiver.answer = (response, count) => {
      if (count === 1) response.writeHead(500).end('no')
      else if (count === 2) response.destroy()
      else if (count === 3) setTimeout(() => response.writeHead(202).end(), 1_100)
      else response.writeHead(200).end()
    }
    send(forwarder, 1)
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    send(forwarder, 2)
    await expect.poll(() => receiver.ids, { timeout: 5_000 }).toEqual([[1], [1], [1], [2]])
    for (const { text, headers } of receiver.deliveries)
      expect(headers).toMatchObject(signed(text, { secret: FORWARD_SECRET, timestamp: headers['x-lms-timestamp'] as string }))
    expect(receiver.deliveries[3]!.headers['x-lms-timestamp']).not.toBe(receiver.deliveries[0]!.headers['x-lms-timestamp'])
    await expect.poll(() => outcomes).toEqual(['failed', 'failed', 'delivered', 'delivered'])
    expect(log.lines).toEqual([
      { level: 'warn', msg: 'changes not forwarded', address: receiver.url, reason: 500 },
      { level: 'info', msg: 'changes are forwarded again', address: receiver.url, failures: 2, duration: expect.any(Number) },
    ])
  })

  it('does not follow redirects', async () => {
    const other = await Receiver.start()
    closers.push(() => other.close())
    const forwarder = start({ pace: { attempts: 2 } })
    receiver.answer = (response) => response.writeHead(307, { location: other.url }).end()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['failed', 'dropped'])
    expect([receiver.ids, other.ids]).toEqual([[[1], [1]], []])
    expect(log.lines).toMatchObject([{ reason: 307 }])
  })

  it('reads no long answers', async () => {
    const forwarder = start()
    receiver.answer = (response) => response.writeHead(200).end('x'.repeat(1_000_000))
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['delivered'])
    receiver.answer = (response, count) => response.writeHead(count === 2 ? 502 : 200).end('x'.repeat(1_000_000))
    send(forwarder, 2)
    await expect.poll(() => outcomes).toEqual(['delivered', 'failed', 'delivered'])
  })

  it('gives up after some attempts, and then says that anything may have changed', async () => {
    const forwarder = start()
    receiver.answer = (response) => response.writeHead(503).end()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['failed', 'failed', 'failed', 'dropped'])
    expect(receiver.ids).toEqual([[1], [1], [1], [1]])
    await sleep(120)
    expect(receiver.deliveries).toHaveLength(4)
    send(forwarder, 2)
    await expect.poll(() => outcomes.length).toBe(8)
    receiver.answer = (response) => response.writeHead(204).end()
    send(forwarder, 3)
    await expect.poll(() => outcomes.at(-1)).toBe('delivered')
    expect(receiver.deliveries.slice(4).map(({ changes, tags }) => ({ changes, tags }))).toEqual(Array(5).fill(EVERYTHING))
    send(forwarder, 4)
    await expect.poll(() => receiver.ids.at(-1)).toEqual([4])
    expect(log.lines.map(({ level, failures }) => [level, failures])).toEqual([
      ['warn', undefined],
      ['info', 8],
    ])
  })

  it('sends one change of the whole site when too many wait', async () => {
    const forwarder = start()
    let answer: () => void = () => {}
    receiver.answer = (response) => {
      answer = () => response.writeHead(204).end()
    }
    send(forwarder, 1)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    for (let id = 2; id <= 1_001; id++) send(forwarder, id)
    expect(outcomes).toEqual([])
    send(forwarder, 1_002)
    expect(outcomes).toEqual(['collapsed'])
    for (let id = 1_003; id <= 2_100; id++) send(forwarder, id)
    expect(outcomes).toEqual(['collapsed'])
    answer()
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    expect(receiver.deliveries[1]).toMatchObject(EVERYTHING)
    answer()
    await expect.poll(() => outcomes).toEqual(['collapsed', 'delivered', 'delivered'])
    // Tags are bounded too.
    forwarder.send(
      [course(1)],
      Array.from({ length: 5_001 }, (_, index) => `x:${index}`),
    )
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    expect(receiver.deliveries[2]).toMatchObject(EVERYTHING)
    answer()
  })

  it('waits neither for an address that is slow nor for one that is away', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    closers.push(async () => silent.close())
    const { port } = silent.address() as { port: number }
    const away = `http://127.0.0.1:${await freePort()}`
    const forwarder = start({
      addresses: [`http://127.0.0.1:${port}`, away, receiver.url],
      pace: { timeout: 200, attempts: 2, flush: 100 },
    })
    const before = performance.now()
    send(forwarder, 1)
    await expect.poll(() => receiver.ids, { interval: 5 }).toEqual([[1]])
    expect(performance.now() - before).toBeLessThan(190)
    await expect.poll(() => outcomes.toSorted()).toEqual(['delivered', 'dropped', 'dropped', 'failed', 'failed'])
    expect(log.lines.map(({ address, reason }) => [address, reason]).toSorted()).toEqual(
      [
        [`http://127.0.0.1:${port}`, 'timeout'],
        [away, 'ECONNREFUSED'],
      ].toSorted(),
    )
  })

  it('survives a log that throws', async () => {
    const forwarder = start({
      log: {
        ...log,
        warn: () => {
          throw new Error('full disk')
        },
      },
    })
    receiver.answer = (response) => response.writeHead(500).end()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['Error: full disk'])
    receiver.answer = (response) => response.writeHead(204).end()
    send(forwarder, 2)
    await expect.poll(() => outcomes.at(-1)).toBe('delivered')
    expect(receiver.deliveries.at(-1)).toMatchObject(EVERYTHING)
  })

  it('reaches an address that comes back on the same port', async () => {
    const port = await freePort()
    const forwarder = start({ addresses: [`http://127.0.0.1:${port}`], pace: { attempts: 100 } })
    send(forwarder, 1)
    await expect.poll(() => outcomes.length).toBeGreaterThan(2)
    const late = await Receiver.start(port)
    closers.push(() => late.close())
    await expect.poll(() => late.ids).toEqual([[1]])
  })
})

describe('the end of a forwarder', () => {
  it('delivers what is queued', async () => {
    const forwarder = start({ pace: { delay: 60_000, longestDelay: 60_000 } })
    receiver.answer = (response, count) => response.writeHead(count === 1 ? 500 : 204).end()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['failed'])
    send(forwarder, 2)
    await forwarder.close()
    expect(receiver.ids).toEqual([[1], [1], [2]])
    expect(outcomes).toEqual(['failed', 'delivered', 'delivered'])
    send(forwarder, 3)
    expect(outcomes.at(-1)).toBe('dropped')
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('takes a short time only, and tells of what was lost', async () => {
    const forwarder = start({ pace: { flush: 200 } })
    receiver.answer = () => {}
    send(forwarder, 1)
    await expect.poll(() => receiver.ids).toEqual([[1]])
    const before = performance.now()
    await forwarder.close()
    expect(performance.now() - before).toBeGreaterThan(190)
    expect(performance.now() - before).toBeLessThan(1_000)
    expect(log.lines.at(-1)).toEqual({
      level: 'warn',
      msg: 'changes not forwarded: the gateway ends, or its settings were changed',
      address: receiver.url,
    })
  })

  it('tries each request once more', async () => {
    const forwarder = start({ pace: { delay: 60_000, longestDelay: 60_000 } })
    receiver.answer = (response) => response.writeHead(500).end()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['failed'])
    send(forwarder, 2)
    await forwarder.close()
    expect(receiver.deliveries.map(({ changes }) => changes[0]!.type)).toEqual(['course', 'course', 'site'])
    expect(outcomes).toEqual(['failed', 'dropped', 'dropped'])
    expect(log.lines.map(({ msg }) => msg)).toEqual([
      'changes not forwarded',
      'changes not forwarded: the gateway ends, or its settings were changed',
    ])
  })

  it('has nothing to wait for when nothing is queued', async () => {
    const forwarder = start()
    send(forwarder, 1)
    await expect.poll(() => outcomes).toEqual(['delivered'])
    const before = performance.now()
    await forwarder.close()
    expect(performance.now() - before).toBeLessThan(500)
    expect(log.lines).toEqual([])
  })
})

describe('the receiver of docs/purging.md', () => {
  it('purges what is signed, and lets the gateway try again when it fails', async () => {
    const purged: (readonly string[])[] = []
    let fails = true
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = createReceiver(FORWARD_SECRET, async (tags) => {
      if (fails) throw new Error('no CDN')
      purged.push(tags)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(async () => {
      server.close()
      server.closeAllConnections()
      vi.restoreAllMocks()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const forwarder = start({ addresses: [url], pace: { attempts: 100 } })
    forwarder.send([course(12)], ['course:12', 'courses'])
    await expect.poll(() => outcomes.length).toBeGreaterThan(1)
    expect(log.lines).toMatchObject([{ reason: 500 }])
    fails = false
    await expect.poll(() => purged).toEqual([['course:12', 'courses']])
    const body = JSON.stringify({ changes: [course(12)], tags: ['course:12', 'courses'] })
    expect(readFileSync(new URL('../../docs/purging.md', import.meta.url), 'utf8')).toContain(`\n${body}\n`)
    const statusOf = async (headers: Record<string, string>) => (await fetch(url, { method: 'POST', headers, body })).status
    for (const wrong of [
      {},
      signed(body),
      signed(`${body} `, { secret: FORWARD_SECRET }),
      signed(body, { secret: FORWARD_SECRET, timestamp: now() - 301 }),
      signed(body, { secret: FORWARD_SECRET, timestamp: 'x' }),
      { ...signed(body, { secret: FORWARD_SECRET }), 'x-lms-signature': '' },
    ])
      expect(await statusOf(wrong)).toBe(401)
    expect(purged).toHaveLength(1)
    expect(await statusOf(signed(body, { secret: FORWARD_SECRET }))).toBe(204)
    expect(purged).toHaveLength(2)
  })
})

describe('forwarding while the secret is replaced', () => {
  const NEW = 'new-forward-secret-0123456789-0123456'

  it('signs with both secrets, the first one first, separated by a space', async () => {
    const gateway = await serve({
      site: { url: 'http://127.0.0.1:9' },
      hooks: { secret: SECRET, forward: [receiver.url], forwardSecret: [NEW, FORWARD_SECRET] },
    })
    closers.push(() => gateway.close())
    const body = JSON.stringify(course(3))
    await fetch(`${gateway.url}/hooks/site`, { method: 'POST', headers: signed(body), body })
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    const [{ text, headers }] = receiver.deliveries as [Receiver['deliveries'][number]]
    const timestamp = headers['x-lms-timestamp'] as string
    const signatures = [NEW, FORWARD_SECRET].map((secret) => signed(text, { secret, timestamp })['x-lms-signature'])
    expect(headers['x-lms-signature']).toBe(signatures.join(' '))
  })

  it('is accepted by receivers of docs/purging.md with either secret, and refused by one with another', async () => {
    const purged: string[] = []
    const startReceiver = async (name: string, secret: string): Promise<string> => {
      const server = createReceiver(secret, async (tags) => void purged.push(`${name} ${tags}`)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      closers.push(async () => {
        server.close()
        server.closeAllConnections()
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    }
    const secrets = { former: FORWARD_SECRET, new: NEW, another: `${NEW}.` }
    const addresses = await Promise.all(Object.entries(secrets).map(([name, secret]) => startReceiver(name, secret)))
    const forwarder = start({ addresses, secrets: [NEW, FORWARD_SECRET], pace: { attempts: 1 } })
    send(forwarder, 12)
    await expect.poll(() => outcomes.toSorted()).toEqual(['delivered', 'delivered', 'dropped'])
    expect(purged.toSorted()).toEqual(['former course:12', 'new course:12'])
    expect(log.lines).toMatchObject([{ reason: 401 }])
  })
})

describe('a gateway', () => {
  it('forwards what its webhook receives, without waiting for it, and delivers the rest when it ends', async () => {
    const gateway = createGateway({
      site: { url: 'http://127.0.0.1:9' },
      observe: { metrics: true },
      hooks: { secret: SECRET, forward: [receiver.url], forwardSecret: FORWARD_SECRET },
    })
    let answer: () => void = () => {}
    receiver.answer = (response) => {
      answer = () => response.writeHead(204).end()
    }
    const statuses: number[] = []
    for (const id of [1, 2]) {
      const body = JSON.stringify(course(id))
      statuses.push((await gateway.fetch('http://gateway.test/hooks/site', { method: 'POST', headers: signed(body), body })).status)
    }
    expect(statuses).toEqual([204, 204])
    await expect.poll(() => receiver.ids).toEqual([[1]])
    expect(receiver.deliveries[0]!.tags).toContain('course:1')
    receiver.answer = (response) => response.writeHead(204).end()
    const closed = gateway.close()
    answer()
    await closed
    expect(receiver.ids).toEqual([[1], [2]])
    expect(await gateway.metrics()).toContain('lms_hooks_forwarded_total{outcome="delivered"} 2\n')
  })
})

it('sends the changes of mutations of the gateway itself, also of those that may have been made', async () => {
  const site = await FakeSite.start((_, response) => json(response, { id: 7 }))
  closers.push(() => site.close())
  const gateway = await serve({ site: { url: site.url }, hooks: { forward: [receiver.url], forwardSecret: FORWARD_SECRET } })
  closers.push(() => gateway.close())
  const write = (name: string, input: string) => gateway.post({ query: `mutation { ${name}(input: ${input}) { __typename } }` })
  await write('updateCourse', '{ id: 7, title: "x" }')
  await expect.poll(() => receiver.deliveries.length).toBe(1)
  expect(receiver.deliveries[0]).toMatchObject({
    changes: [{ type: 'course', id: 7, kind: 'updated' }],
    tags: expect.arrayContaining(['course:7', 'courses']),
  })
  await write('createCourse', '{ title: "x" }')
  await expect.poll(() => receiver.deliveries.length).toBe(2)
  expect(receiver.deliveries[1]?.changes).toEqual([{ type: 'course', id: 7, kind: 'created' }])
  site.handler = (_, response) => json(response, { code: 'rest_forbidden', message: 'No.', data: { status: 403 } }, { status: 403 })
  await write('updateCourse', '{ id: 8, title: "x" }')
  site.handler = (request) => request.socket.destroy()
  await write('updateCourse', '{ id: 9, title: "x" }')
  await expect.poll(() => receiver.deliveries.length).toBe(3)
  expect(receiver.deliveries[2]?.changes).toEqual([{ type: 'course', id: 9, kind: 'updated' }])
})

it('sends the change of a mutation that ends while the gateway closes', async () => {
  let answer = (): void => {}
  const site = await FakeSite.start((_, response) => {
    answer = () => json(response, { id: 7 })
  })
  closers.push(() => site.close())
  const gateway = createGateway({ site: { url: site.url }, hooks: { forward: [receiver.url], forwardSecret: FORWARD_SECRET } })
  const written = gateway.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { updateCourse(input: { id: 7, title: "x" }) { __typename } }' }),
  })
  await expect.poll(() => site.open).toBe(1)
  const closed = gateway.close()
  await sleep(50)
  answer()
  expect(await (await written).json()).toHaveProperty('data.updateCourse.__typename', 'UpdateCourseSuccess')
  await closed
  expect(receiver.ids).toEqual([[7]])
})
