import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { Command, UNLIMITED_FLAGS } from '../support/command.js'
import { SECRET, signed } from '../support/hooks.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

// A stranger who uses up memory, time or connections, and an honest client with another address who is served meanwhile. The gateway runs in a
// process of its own.

const STRANGER = '127.0.0.1'
const HONEST = '127.0.0.2'
/** Megabytes of heap, about what Node.js takes in a container of 512 MB; and those the process may have in memory at most. */
const HEAP = 256
const MOST = 700

const ROWS = 100
/** About 5.9 MB. */
const LARGE = `{ courses(first: ${ROWS}) { nodes { ${Array.from({ length: 59 }, (_, at) => `c${at}: content`).join(' ')} } } }`
const SMALL = '{ course(id: 1) { title } }'

const content = { rendered: 'x'.repeat(1_000), protected: false }
const COURSES = JSON.stringify(Array.from({ length: ROWS }, (_, at) => ({ id: at + 1, title: { rendered: 'Some' }, content })))

/** A site that takes so many milliseconds for a call. */
const siteWithin =
  (milliseconds: number): Handler =>
  ({ url = '' }, response) => {
    setTimeout(() => {
      const id = /\/(\d+)(?:\?|$)/.exec(url)?.[1]
      const headers = { 'content-type': 'application/json', 'x-wp-total': String(ROWS), 'x-wp-totalpages': '1' }
      if (id !== undefined) json(response, { id: Number(id), title: { rendered: 'Some' } })
      else response.writeHead(200, headers).end(COURSES)
    }, milliseconds)
  }

interface Answer {
  /** 0 when the connection was closed. */
  readonly status: number
  readonly text: string
  readonly bytes: number
  /** When it had ended. */
  readonly at: number
}

const post = (query: string): string => JSON.stringify({ query })
const headOf = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: gateway.test\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`

class Attacked {
  private readonly honest = new Agent({ keepAlive: true, localAddress: HONEST } as object)
  readonly sockets: Socket[] = []

  private constructor(
    readonly site: FakeSite,
    readonly gateway: Command,
    readonly url: string,
  ) {}

  static async start(handler: Handler, flags: readonly string[], heap = HEAP): Promise<Attacked> {
    const site = await FakeSite.start(handler)
    const argv = ['--upstream', site.url, '--port', '0', '--metrics', 'open', '--log-level', 'error', ...UNLIMITED_FLAGS, ...flags]
    const gateway = new Command(argv, { NODE_ENV: 'production', HOOK_SECRET: SECRET }, [`--max-old-space-size=${heap}`])
    return new Attacked(site, gateway, await gateway.address())
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  ask(path: string, body?: string, agent = new Agent({ localAddress: STRANGER } as object)): Promise<Answer> {
    return new Promise((resolve) => {
      const cut = (): void => resolve({ status: 0, text: '', bytes: 0, at: performance.now() })
      const method = body === undefined ? 'GET' : 'POST'
      const sent = request(`${this.url}${path}`, { method, agent, headers: { 'content-type': 'application/json' } }, (response) => {
        let [bytes, text] = [0, '']
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (text.length < 1_000) text += chunk.toString('latin1', 0, 1_000)
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, bytes, at: performance.now() }))
        response.on('error', cut)
      })
      sent.on('error', cut)
      sent.end(body)
    })
  }

  /** Asks as the honest client until `ended` ends. Returns the statuses, and how long it waited compared with a client that is alone. */
  async served(ended: Promise<unknown>): Promise<{ readonly statuses: readonly number[]; readonly waits: string }> {
    let isOn = true
    const stop = (): void => {
      isOn = false
    }
    ended.then(stop, stop)
    const during = { statuses: [] as number[], times: [] as number[] }
    while (isOn) await this.askHonestly(during)
    const alone = { statuses: [] as number[], times: [] as number[] }
    for (const socket of this.sockets) socket.destroy()
    await expect.poll(() => this.metric('lms_client_requests'), { timeout: 60_000 }).toBe(1)
    for (let at = 0; at < 20; at++) await this.askHonestly(alone)
    const [most, usual] = [during.times, alone.times].map((times) => {
      const sorted = times.toSorted((a, b) => a - b)
      const [p50, p99] = [0.5, 0.99].map((share) => (sorted[Math.floor(sorted.length * share)] as number).toFixed(0))
      return `p50 ${p50}, p99 ${p99} ms`
    })
    return { statuses: during.statuses, waits: `the honest client asked ${during.statuses.length} times, ${most}; alone ${usual}` }
  }

  private async askHonestly({ statuses, times }: { statuses: number[]; times: number[] }): Promise<void> {
    const since = performance.now()
    const { status, at } = await this.ask('/graphql', post(SMALL), this.honest)
    statuses.push(status)
    times.push(at - since)
    await sleep(20)
  }

  /** A connection from an address, with what is written to it at once. */
  connect(text: string | Buffer, from = STRANGER): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect({ port: this.port, host: '127.0.0.1', localAddress: from })
      this.sockets.push(socket)
      socket.on('error', () => {})
      socket.on('close', () => resolve(socket))
      socket.on('connect', () => {
        socket.write(text)
        resolve(socket)
      })
    })
  }

  async metric(name: string): Promise<number> {
    const { text } = await this.metrics()
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+]+)$`, 'm').exec(text)?.[1])
  }

  private async metrics(): Promise<{ readonly text: string }> {
    const agent = new Agent({ localAddress: HONEST } as object)
    return new Promise((resolve, reject) => {
      request(`${this.url}/metrics`, { agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ text }))
      })
        .on('error', reject)
        .end()
    })
  }

  /** Most megabytes the process ever had in memory. */
  get peak(): number {
    const status = `/proc/${this.gateway.child.pid}/status`
    return existsSync(status) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024 : 0
  }

  get isAlive(): boolean {
    return this.gateway.child.exitCode === null && this.gateway.child.signalCode === null
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await this.gateway.stop('SIGKILL')
    await this.site.close()
  }
}

let attacked: Attacked
afterEach(() => attacked.stop())

const isRefused = ({ status, text }: Answer): boolean => status === 503 && text.includes('"code":"SERVER_BUSY"')

describe('large responses that are ready at the same moment', () => {
  it.each(SOAK ? [40, 400] : [40])('do not end the process: %d of 5.9 MB', { timeout: 120_000 }, async (count) => {
    attacked = await Attacked.start(siteWithin(50), [])
    const asked = Promise.all(Array.from({ length: count }, () => attacked.ask('/graphql', post(LARGE))))
    const [answers, { statuses, waits }] = await Promise.all([asked, attacked.served(asked)])
    const whole = answers.filter(({ status, bytes }) => status === 200 && bytes > 5.9e6).length
    const refused = answers.filter(isRefused).length
    console.log(
      `${count} responses of 5.9 MB, heap ${HEAP} MB: ${whole} whole, ${refused} refused, ${attacked.peak.toFixed(0)} MB; ${waits}`,
    )
    expect(attacked.isAlive).toBe(true)
    expect([whole > 0, whole + refused]).toEqual([true, count])
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 2)
    expect(attacked.peak).toBeLessThan(MOST)
  })

  it('leave time for other requests between them', { timeout: 120_000 }, async () => {
    const count = SOAK ? 200 : 30
    attacked = await Attacked.start(siteWithin(50), [], 4_096)
    let isOn = true
    const healthy: Answer[] = []
    const kept = new Agent({ keepAlive: true, localAddress: HONEST } as object)
    const asking = (async () => {
      while (isOn) healthy.push(await attacked.ask('/health/live', undefined, kept))
    })()
    const answers = await Promise.all(Array.from({ length: count }, () => attacked.ask('/graphql', post(LARGE))))
    isOn = false
    await asking
    const ends = answers.map(({ at }) => at).toSorted((a, b) => a - b)
    const between = healthy.filter(({ status, at }) => status === 200 && at > (ends[0] as number) && at < (ends.at(-1) as number))
    console.log(`${count} responses of 5.9 MB: health was answered ${between.length} times between the first and the last`)
    expect(answers.filter(({ status }) => status === 200).length).toBe(count)
    // Fewer than responses: this process receives them in the same turns in which it asks.
    expect(between.length).toBeGreaterThan(count / 6)
  })

  it('are disconnected when nobody reads them', { timeout: 120_000 }, async () => {
    attacked = await Attacked.start(siteWithin(50), [])
    const body = post(LARGE)
    for (let at = 0; at < 100; at++) (await attacked.connect(headOf('/graphql', body.length) + body)).pause()
    await expect.poll(() => attacked.metric('lms_client_requests'), { timeout: 60_000 }).toBeLessThan(2)
    expect([attacked.isAlive, (await attacked.ask('/graphql', post(SMALL))).status]).toEqual([true, 200])
    expect(attacked.peak).toBeLessThan(MOST)
  })
})

describe('a client that pipelines', () => {
  it('is read as fast as it is answered, and the memory of its requests is counted', { timeout: 180_000 }, async () => {
    const [connections, each] = [20, SOAK ? 5_000 : 2_000]
    attacked = await Attacked.start(siteWithin(300), [])
    const body = post(SMALL)
    const request = headOf('/graphql', body.length) + body
    let most = 0
    const attack = (async () => {
      const sockets = await Promise.all(Array.from({ length: connections }, () => attacked.connect(request.repeat(each))))
      for (const socket of sockets) socket.resume()
      for (let round = 0; round < 10; round++) {
        await sleep(300)
        most = Math.max(most, await attacked.metric('lms_client_requests'))
      }
    })()
    const { statuses, waits } = await attacked.served(attack)
    console.log(`${connections * each} pipelined queries: at most ${most} at a time, ${attacked.peak.toFixed(0)} MB; ${waits}`)
    expect(attacked.isAlive).toBe(true)
    // What Node.js reads at once, 64 KB, is more than 32 requests.
    expect(most).toBeLessThan(connections * 600)
    expect(attacked.peak).toBeLessThan(MOST)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 2)
  })

  it('receives all answers in their order', async () => {
    attacked = await Attacked.start(siteWithin(0), [])
    const bodies = Array.from({ length: 300 }, (_, at) => post(`{ course(id: ${at + 1}) { databaseId } }`))
    const socket = await attacked.connect(bodies.map((body) => headOf('/graphql', body.length) + body).join(''))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const ids = (): number[] => [...text.matchAll(/"databaseId":(\d+)/g)].map(([, id]) => Number(id))
    await expect.poll(() => ids().length, { timeout: 30_000 }).toBe(300)
    expect(ids()).toEqual(bodies.map((_, at) => at + 1))
  })

  it('is disconnected while memory is short', async () => {
    attacked = await Attacked.start(siteWithin(60_000), [
      '--memory-budget',
      '2000000',
      '--timeout',
      '60000',
      '--operation-timeout',
      '60000',
    ])
    const body = post(SMALL)
    const socket = await attacked.connect((headOf('/graphql', body.length) + body).repeat(400))
    await expect.poll(() => socket.destroyed).toBe(true)
    expect(await attacked.metric('lms_closed_connections_total\\{reason="pipelined"\\}')).toBeGreaterThan(0)
    await expect.poll(() => attacked.metric('lms_client_requests')).toBe(1)
  })
})

describe('one address', () => {
  const SLOW = 300

  it.each<[string, (gateway: Attacked) => Promise<unknown>]>([
    [
      'with long documents',
      (gateway) => {
        const tree = '{ courses(first: 40) { nodes { lessons(first: 1) { nodes { id } } quizzes(first: 1) { nodes { id } } title } } }'
        const ask = async (client: number): Promise<void> => {
          for (let round = 0; round < 2; round++) await gateway.ask('/graphql', post(`${tree} #${client}-${round}`.padEnd(51_000, 'x')))
        }
        return Promise.all(Array.from({ length: 20 }, (_, client) => ask(client)))
      },
    ],
    [
      'with many connections that pipeline',
      async (gateway) => {
        const [slow, fast] = [post('{ course(id: 7) { title } }'), post('{ __typename }')]
        const text = headOf('/graphql', slow.length) + slow + (headOf('/graphql', fast.length) + fast).repeat(31)
        for (let round = 0; round < 5; round++) {
          const sockets = await Promise.all(Array.from({ length: 250 }, () => gateway.connect(text)))
          await sleep(SLOW)
          for (const socket of sockets) socket.destroy()
        }
      },
    ],
  ])('%s does not take the memory of the others', { timeout: 120_000 }, async (_, attack) => {
    attacked = await Attacked.start(siteWithin(SLOW), [])
    const { statuses, waits } = await attacked.served(attack(attacked))
    console.log(`${waits}; ${attacked.peak.toFixed(0)} MB`)
    expect(statuses.length).toBeGreaterThan(2)
    expect([...new Set(statuses)]).toEqual([200])
  })
})

describe('bodies that do not arrive', () => {
  const BUDGET = 50_000_000

  it.each(['/graphql', '/hooks/site'])('at %s take no more than their share of the memory', { timeout: 120_000 }, async (path) => {
    const count = SOAK ? 2_500 : 1_200
    const flags = ['--memory-budget', String(BUDGET), '--max-connections', '100000']
    attacked = await Attacked.start(siteWithin(10), flags)
    const idle = attacked.peak
    const head = headOf(path, 99_000, path === '/graphql' ? '' : `${headersOf(signed('x'))}`)
    let most = 0
    const attack = (async () => {
      const sockets = await Promise.all(Array.from({ length: count }, () => attacked.connect(head)))
      for (const socket of sockets) if (!socket.destroyed) socket.write('x'.repeat(98_900))
      for (let round = 0; round < 5; round++) {
        most = Math.max(most, await attacked.metric('lms_memory_budget_used_bytes'))
        await sleep(200)
      }
    })()
    const { statuses, waits } = await attacked.served(attack)
    console.log(
      `${count} unfinished posts to ${path}: at most ${most} of ${BUDGET} bytes counted, ${(attacked.peak - idle).toFixed(0)} MB more than idle; ${waits}`,
    )
    expect(most).toBeGreaterThan(5e6)
    expect(most).toBeLessThan(BUDGET / 2)
    expect([...new Set(statuses)]).toEqual([200])
  })

  it('are given up before those of other addresses', { timeout: 60_000 }, async () => {
    attacked = await Attacked.start(siteWithin(10), ['--memory-budget', '8000000'])
    let isOn = true
    const attack = (async () => {
      while (isOn) {
        await attacked.connect(headOf('/graphql', 99_000))
        await sleep(2)
      }
    })()
    const body = post(SMALL)
    const answers: string[] = []
    for (let at = 0; at < 10; at++) {
      const socket = await attacked.connect(headOf('/graphql', body.length), HONEST)
      await sleep(100)
      socket.write(body)
      answers.push(await new Promise((resolve) => socket.once('data', (chunk) => resolve(chunk.toString('latin1', 0, 12)))))
    }
    isOn = false
    await attack
    expect(answers).toEqual(answers.map(() => 'HTTP/1.1 200'))
  })

  it('are given up when they are received too slowly', { timeout: 30_000 }, async () => {
    attacked = await Attacked.start(siteWithin(10), [])
    const socket = await attacked.connect(headOf('/graphql', 90_000))
    const timer = setInterval(() => socket.write('x'), 200)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s)
    await expect.poll(() => socket.destroyed).toBe(true)
    clearInterval(timer)
  })
})

describe('connections', () => {
  it('of one address are limited, and others connect', { timeout: 60_000 }, async () => {
    attacked = await Attacked.start(siteWithin(10), [])
    const count = SOAK ? 10_000 : 1_500
    const body = post('{ __typename }')
    const attack = (async () => {
      await Promise.all(Array.from({ length: count }, () => attacked.connect(headOf('/graphql', body.length) + body)))
      await expect.poll(() => attacked.sockets.filter(({ destroyed }) => !destroyed).length).toBe(1_000)
    })()
    const { statuses } = await attacked.served(attack)
    await attack
    expect([...new Set(statuses)]).toEqual([200])
    expect(await attacked.metric('lms_closed_connections_total\\{reason="address"\\}')).toBe(count - 1_000)
  })

  it('of a private address that forwards requests are not limited, nor those of trusted proxies', async () => {
    attacked = await Attacked.start(siteWithin(10), ['--max-connections', '20', '--trusted-proxies', '127.0.0.3'])
    const body = post('{ __typename }')
    const forwarded = headOf('/graphql', body.length, 'x-forwarded-for: 192.0.2.1\r\n') + body
    const open = async (from: string, text: string): Promise<number> => {
      const sockets: Socket[] = []
      for (let at = 0; at < 5; at++) {
        const socket = await attacked.connect(text, from)
        sockets.push(socket)
        // The first request shows that the address forwards.
        await Promise.race([
          new Promise((resolve) => socket.once('data', resolve)),
          new Promise((resolve) => socket.once('close', resolve)),
        ])
      }
      return sockets.filter(({ destroyed }) => !destroyed).length
    }
    const plain = headOf('/graphql', body.length) + body
    expect([await open('127.0.0.4', plain), await open('127.0.0.3', plain), await open('127.0.0.5', forwarded)]).toEqual([2, 5, 5])
  })

  it('that have been idle longest give way when all places are taken', async () => {
    attacked = await Attacked.start(siteWithin(10), ['--max-connections', '3'])
    const sockets: Socket[] = []
    for (const from of ['127.0.0.3', '127.0.0.4', '127.0.0.5']) {
      sockets.push(await attacked.connect('', from))
      await sleep(20)
    }
    expect((await attacked.ask('/graphql', post(SMALL), new Agent({ localAddress: HONEST } as object))).status).toBe(200)
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
  })
})

const headersOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
