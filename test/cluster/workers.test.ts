import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Agent } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { json } from '../support/site.js'
import { authorizationOf, SOAK } from '../support/world.js'
import { clientsOf, Hosted, isAlive, MOST, sleep, TELLS, until } from './hosted.js'
import { Load } from './load.js'

// Workers of the real command that die, and what they have in common.

const LANES = 24
const LASTS = SOAK ? 5_000 : 1_000

const hosts: Hosted[] = []
afterEach(async () => {
  for (const hosted of hosts.splice(0)) await hosted.close()
})

async function start(...[flags, env]: Parameters<typeof Hosted.start>): Promise<Hosted> {
  const hosted = await Hosted.start(['--workers', '2', ...(flags ?? [])], env)
  hosts.push(hosted)
  return hosted
}

const ask = async (url: string, query: string, headers: Record<string, string> = {}): Promise<any> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close', ...headers } }
  return (await fetch(`${url}/graphql`, { ...init, body: JSON.stringify({ query }) })).json()
}

/** Calls to the site, as `/metrics` tells. */
async function counted(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
  return Number(/^lms_rest_calls_total\{.*status="200",reason="ok"\} (\d+)$/m.exec(text)?.[1])
}

async function dispatched(dispatcher: Agent, origin: string, path: string, body?: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await dispatcher.request({ origin, path, method: body === undefined ? 'GET' : 'POST', headers, body: body ?? null })
  await answer.body.dump()
}

describe.skipIf(!TELLS)('a worker', () => {
  it('killed under load loses its own operations in flight, and is replaced', async () => {
    const hosted = await start()
    const load = new Load(hosted.url, LANES)
    await until(() => load.served.every((served) => served > 1))
    await sleep(LASTS)
    const [killed = 0, other] = hosted.workers
    const clients = clientsOf(killed, hosted.port)
    const lanes = load.ports.flatMap((port, lane) => (clients.has(port) ? [lane] : []))
    const before = [...load.served]
    process.kill(killed, 'SIGKILL')
    await until(() => hosted.workers.length === 2 && !hosted.workers.includes(killed))
    await sleep(LASTS)
    await until(() => load.served.every((served, lane) => served > (before[lane] as number) + 1))
    await load.stop()
    const { failures, wrong } = load
    console.log(
      `killed under load: ${failures.length} lost of ${lanes.length} clients of the worker, ${load.total} served; ${hosted.site.most} calls at a time`,
    )
    expect(wrong).toEqual([])
    expect(lanes.length).toBeGreaterThan(0)
    expect(lanes.length).toBeLessThan(LANES)
    expect(failures.length).toBeGreaterThan(0)
    // Each had one operation in flight, and nobody else lost any.
    expect(failures.filter(({ lane }) => !lanes.includes(lane))).toEqual([])
    expect(new Set(failures.map(({ lane }) => lane)).size).toBe(failures.length)
    expect(hosted.workers).toContain(other)
    expect(hosted.site.most).toBeLessThanOrEqual(MOST)
    const { code, stdout } = await hosted.command.stop()
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Worker ${killed} was ended by SIGKILL; another one follows.`)])
  })

  it('leaves no client waiting whose connection it did not accept', async () => {
    const hosted = await start()
    const [frozen = 0] = hosted.workers
    process.kill(frozen, 'SIGSTOP')
    const clients = Array.from({ length: 4 }, () => {
      const socket = connect(hosted.port, '127.0.0.1', () =>
        socket.write('GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      )
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      socket.on('error', () => {})
      return new Promise<string>((resolve) => socket.once('close', () => resolve(text.slice(0, 12))))
    })
    await sleep(500)
    process.kill(frozen, 'SIGKILL')
    expect((await Promise.all(clients)).sort()).toEqual(['', ...Array(3).fill('HTTP/1.1 200')])
  })

  it('that crashes repeatedly is replaced with growing delays', async () => {
    const hosted = await start()
    const [first = 0] = hosted.workers
    for (let round = 0, victim = first; round < 3; round++) {
      process.kill(victim, 'SIGKILL')
      const others = hosted.workers
      await until(() => hosted.workers.length === 2 && hosted.workers.some((pid) => !others.includes(pid)))
      victim = hosted.workers.find((pid) => !others.includes(pid)) as number
    }
    const { stdout } = await hosted.command.stop()
    expect(stdout.match(/another one follows.*\./g)).toEqual([
      'another one follows.',
      'another one follows in 250 ms.',
      'another one follows in 500 ms.',
    ])
  })

  it('ends with the primary, after running requests', async () => {
    const hosted = await start()
    const pids = hosted.workers
    // Long enough to be seen on its way.
    hosted.site.handler = (_, response) => void setTimeout(() => json(response, { id: 1, title: { rendered: 'Title 1' } }), 500)
    const answer = ask(hosted.url, '{ course(id: 1) { title } }')
    await until(() => hosted.site.open, 1)
    hosted.command.child.kill('SIGKILL')
    expect(await answer).toEqual({ data: { course: { title: 'Title 1' } } })
    await until(() => pids.filter(isAlive), [])
  })

  it('ignores signals for the primary', async () => {
    const hosted = await start()
    const pids = hosted.workers
    for (const pid of pids) for (const signal of ['SIGINT', 'SIGHUP'] as const) process.kill(pid, signal)
    await sleep(300)
    expect(hosted.workers).toEqual(pids)
    // It may leave alone, and has a follower then.
    process.kill(pids[0] as number, 'SIGTERM')
    await until(() => hosted.workers.length === 2 && !hosted.workers.includes(pids[0] as number))
    expect((await hosted.command.stop()).code).toBe(0)
  })

  it('receives secrets by no channel that others can read', async () => {
    const env = { LMS_USER: 'gateway', LMS_PASSWORD: 's3cret-of-the-site', GATEWAY_API_KEYS: 'first-key-0123456789' }
    const hosted = await start([], env)
    for (const pid of hosted.workers) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/s3cret|first-key/)
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toMatch(/s3cret|first-key/)
    }
    for (let i = 0; i < 4; i++) {
      const answer = await ask(hosted.url, '{ course(id: 1) { title } }', { 'x-api-key': 'first-key-0123456789' })
      expect(answer).toEqual({ data: { course: { title: 'Title 1' } } })
    }
    const sent = new Set(hosted.site.requests.map(({ headers }) => headers.authorization))
    expect([...sent]).toEqual([`Basic ${Buffer.from('gateway:s3cret-of-the-site').toString('base64')}`])
    expect((await ask(hosted.url, '{ course(id: 1) { title } }')).errors[0].extensions.code).toBe('UNAUTHENTICATED')
  })
})

describe('workers', () => {
  it('show in /metrics the counts of all of them, and of their predecessors', async () => {
    const hosted = await start(['--metrics'])
    const load = new Load(hosted.url, 8)
    await until(() => load.total > 50)
    await load.stop()
    for (let i = 0; i < 4; i++) expect(await counted(hosted.url)).toBe(load.total)
    const pids = hosted.workers
    hosted.command.child.kill('SIGHUP')
    await until(() => hosted.workers.length === 2 && !hosted.workers.some((pid) => pids.includes(pid)))
    expect(await counted(hosted.url)).toBe(load.total)
    expect(hosted.site.requests).toHaveLength(load.total)
  })

  it('have metrics on one port whose number does not grow, and do not count less when a worker is killed', async () => {
    const NAMES = 10_000
    const NONSENSE = 500
    const hosted = await start(['--metrics-port', '0', '--log-level', 'warn'])
    const url = /metrics at (\S+)/.exec(hosted.command.printed)?.[1] as string
    const metrics = async (): Promise<ReadonlyMap<string, number>> => {
      const text = await (await fetch(url)).text()
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
    }
    const ended = async (): Promise<number> =>
      [...(await metrics())].reduce((sum, [series, value]) => (series.startsWith('lms_operations_total{') ? sum + value : sum), 0)
    expect((await fetch(`${hosted.url}/metrics`)).status).toBe(404)
    const agent = new Agent({ connections: 8 })
    let next = 0
    const lane = async (to: number): Promise<void> => {
      for (let each = next++; each < to; each = next++) {
        // Most do not reach the site, which takes its time.
        const fields = each % 50 === 0 ? `course(id: ${1 + (each % 3)}) { title }` : '__typename'
        const body = JSON.stringify({ query: `query Name${each} { ${fields} }`, operationName: `Name${each}` })
        await dispatched(agent, hosted.url, '/graphql', body)
        if (each < NONSENSE) await dispatched(agent, hosted.url, `/nonsense/${each}/${'x'.repeat(each % 40)}`)
      }
    }
    // What is known from the start, and what the first operations of each kind add.
    await lane(50)
    const before = await metrics()
    next = 50
    await Promise.all(Array.from({ length: 8 }, () => lane(NAMES)))
    const after = await metrics()
    const added = [...after.keys()].filter((series) => !before.has(series))
    console.log(`${before.size} series of two workers after 50 names and paths, ${after.size} after ${NAMES} names and ${NONSENSE} paths`)
    expect(added.filter((series) => /Name|nonsense|x{5}/.test(series))).toEqual([])
    // Kinds of garbage collection and the like.
    expect(added.filter((series) => series.startsWith('lms_'))).toEqual([])
    expect(await ended()).toBe(NAMES)
    expect(after.get('lms_workers')).toBe(2)

    // Scrapes at any time count each operation once, also while a worker ends.
    const scraped: number[] = []
    let scrapes = true
    const scraping = [1, 2, 3].map(async () => {
      while (scrapes) scraped.push(await ended())
    })
    const [killed = 0] = hosted.workers
    process.kill(killed, 'SIGKILL')
    await until(() => hosted.workers.length === 2 && !hosted.workers.includes(killed))
    await until(async () => (await metrics()).get('lms_worker_exits_total{cause="crashed"}') === 1)
    const { length } = scraped
    await until(() => scraped.length > length + 3)
    scrapes = false
    await Promise.all(scraping)
    expect(new Set(scraped)).toEqual(new Set([NAMES]))
    await agent.close()
  })

  it('share one embedded LMS, and announce themselves once', async () => {
    const command = new Command(['--port', '0', '--workers', 'auto', '--max-in-flight', '2'])
    try {
      const address = await command.address()
      const authorization = authorizationOf('admin')
      const { data } = await ask(
        address,
        'mutation { createCourse(input: { title: "Shared" }) { ... on CreateCourseSuccess { course { id } } } }',
        {
          authorization,
        },
      )
      for (let i = 0; i < 4; i++)
        expect(await ask(address, `{ course(id: "${data.createCourse.course.id}") { title } }`, { authorization })).toEqual({
          data: { course: { title: 'Shared' } },
        })
      const { code, stdout, stderr } = await command.stop()
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout.split('\n')[0]).toBe(`lms-graphql: GraphiQL and GraphQL at ${address}/graphql, in front of the embedded LMS`)
    } finally {
      await command.stop('SIGKILL')
    }
  })

  it('are not started when one of them cannot listen', async () => {
    const hosted = await start()
    const taken = new Command(['--upstream', hosted.site.url, '--workers', '2', '--port', `${hosted.port}`])
    expect(await taken.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `lms-graphql: The gateway cannot listen on 127.0.0.1:${hosted.port}: the port is already in use.\n`,
    })
  })

  it(`are at most as many as the ${MOST} calls they share`, async () => {
    const { code, stderr } = await new Command(['--workers', '5', '--max-in-flight', `${MOST}`]).ended
    expect([code, stderr]).toEqual([
      2,
      'lms-graphql: `--workers` is `5`, but `--max-in-flight` lets all workers together have 4 REST calls at a time; it must be a whole number from 1 to 4, or auto.\n',
    ])
  })
})
