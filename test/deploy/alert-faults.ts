import { connect, type Socket } from 'node:net'
import type { Tuning } from '../../src/tuning.js'
import { FAULTS } from '../server/faults.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, sign } from '../server/issuer.js'
import { Receiver, SECRET, signed } from '../support/hooks.js'
import { sleep } from '../support/hosted.js'
import { RedisServer } from '../support/redis-server.js'
import type { Strike } from '../support/troubled-proxy.js'
import { authorizationOf } from '../support/world.js'
import type { FullDisk } from './full-disk.js'
import type { Asking, Traffic, Watched } from './watched.js'

// The faults that alerts name. Each has a gateway of its own, whose steady traffic is well before and after the fault.

/** Something that runs beside a gateway. */
interface Service {
  /** Starts it. Returns the variables of the gateway that uses it. */
  start(): Promise<Readonly<Record<string, string>>>
  close(): Promise<unknown>
}

export interface AlertFault {
  /** Number of the fault; 0 for further cases. */
  readonly number: number
  readonly name: string
  /** Label `instance` of its gateway. */
  readonly instance: string
  /** The alert that names it, and labels that the alert must have. */
  readonly alert: string
  readonly labels?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A program with these constants, and with fields that fail, runs in place of the command. */
  readonly tuning?: Tuning
  /** The most file descriptors of its process. */
  readonly files?: number
  /** What the gateway needs beside the site. */
  readonly service?: Service
  /** Whether the site has a disk of its own. */
  readonly hasDisk?: true
  /** Traffic while all is well. */
  readonly traffic?: Traffic
  begin(gateway: Watched, disk: FullDisk): unknown
  /** Ends what `begin` began; the proxy forwards everything and the traffic is that of before in any case. */
  end?(gateway: Watched, disk: FullDisk): unknown
}

const KEY = 'a-key-0123456789'

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 'admin-demo' }

/** Three operations on three routes, in turn. */
const ORDINARY = [
  'query Course { course(id: 10001) { title } }',
  'query Lessons { lessons(first: 2, where: { course: 10001 }) { nodes { title } } }',
  'query Group { group(id: 1009) { title } }',
]

/** Traffic of a site that is well. */
export const ordinary: Traffic = { next: (count) => ({ query: ORDINARY[count % ORDINARY.length] as string }) }

/** A different course for each request, so that no call is shared. */
const course = (count: number, headers: Readonly<Record<string, string>> = {}): Asking => ({
  query: 'query ($id: ID!) { course(id: $id) { title } }',
  variables: { id: 10_001 + (count % 100) },
  headers,
})

/** How `test/server/faults.ts` answers in place of a site. */
function strikeOf(name: string): Strike {
  const strike = FAULTS.find((fault) => fault.name === name)?.strike
  if (!strike) throw new Error(`There is no strike for ${name}.`)
  return strike
}

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Strike =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

const always =
  (strike: Strike) =>
  ({ proxy }: Watched): void => {
    proxy.strikes = () => strike
  }

/** Requests whose `METHOD /path?query` matches, each of them or each `every`-th. */
const matching =
  (pattern: RegExp, strike: Strike, every = 1) =>
  ({ proxy }: Watched): void => {
    let count = 0
    proxy.strikes = (asked) => (pattern.test(asked) && count++ % every === 0 ? strike : undefined)
  }

/** The response of the site after some milliseconds. */
const delayed =
  (milliseconds: number): Strike =>
  async (response, _, truth) => {
    const { status, headers, body } = await truth()
    setTimeout(() => response.writeHead(status, headers).end(body), milliseconds)
  }

/** The response of the site with another text. */
const rewritten =
  (change: (text: string) => string): Strike =>
  async (response, _, truth) => {
    const { status, headers, body } = await truth()
    response.writeHead(status, headers).end(change(body.toString()))
  }

/** A list of courses with long texts. */
const largeList = (bytes: number): Strike => {
  const rows = Array.from({ length: 4 }, (_, i) => ({ id: 10_001 + i, content: { rendered: 'x'.repeat(bytes / 4), protected: false } }))
  return answer(200, JSON.stringify(rows), { 'x-wp-total': '4', 'x-wp-totalpages': '1' })
}
const LARGE = 'courses(first: 4) { nodes { content } }'
const LIST_OF_COURSES = /^GET \S*\/sfwd-courses\?/

const MAINTENANCE = answer(503, JSON.stringify({ code: 'wp_die', message: 'Briefly unavailable.', data: { status: 503 } }), {
  'retry-after': '600',
})
const NOT_LOGGED_IN = answer(401, JSON.stringify({ code: 'rest_not_logged_in', message: 'No.', data: { status: 401 } }))
const FATAL = answer(500, JSON.stringify({ code: 'internal_server_error', message: 'No.', data: { status: 500 } }))
/** Text of PHP before the JSON, which the gateway skips, and a number that is none. */
const ODD = rewritten((text) => `Warning: Undefined variable\n${text.replace(/"menu_order":\d+/, '"menu_order":"many"')}`)

/** Again and again, some requests in a row fail. */
function bursts({ proxy }: Watched, size: number, interval: number): void {
  let burst = Math.floor(Date.now() / interval)
  let failed = size
  proxy.strikes = () => {
    const now = Math.floor(Date.now() / interval)
    if (now !== burst) [burst, failed] = [now, 0]
    return failed++ < size ? FATAL : undefined
  }
}

/** Clients that send requests for large responses and read nothing. */
class StallingClients {
  private timer: NodeJS.Timeout | undefined

  start({ port }: Watched): void {
    const body = JSON.stringify({ query: `{ ${LARGE} }` })
    const head = `POST /graphql HTTP/1.1\r\nhost: gateway.test\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const one = (): void => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head}${body}`.repeat(4)))
      socket.on('error', () => {})
      socket.pause()
    }
    this.timer = setInterval(one, 700)
  }

  stop(): void {
    clearInterval(this.timer)
  }
}
const stalling = new StallingClients()

/** Requests that are not answered until they are released. */
class Held {
  private waiting: (() => void)[] = []

  readonly strike: Strike = async (response, _, truth) => {
    const { status, headers, body } = await truth()
    this.waiting.push(() => response.writeHead(status, headers).end(body))
  }

  release(): void {
    for (const go of this.waiting.splice(0)) go()
  }
}
const held = new Held()

/** A Redis. */
class OwnRedis implements Service {
  server: RedisServer | undefined

  async start() {
    this.server = await RedisServer.start()
    return { REDIS_URL: this.server.url, CACHE: '1' }
  }

  async close(): Promise<void> {
    await this.server?.close()
  }
}
const lostRedis = new OwnRedis()
const fullRedis = new OwnRedis()

/** The keys of an identity provider, and tokens: one of a good signer, and one of a signer that it does not know. */
class Tokens implements Service {
  keySet: KeySetServer | undefined
  headers = { good: {}, unknown: {} }

  async start() {
    const [good, unknown] = [await makeSigner('good'), await makeSigner('unknown')]
    this.keySet = await KeySetServer.start([good])
    const exp = Math.floor(Date.now() / 1000) + 3_600
    const bearer = async (signer: typeof good) => ({ authorization: `Bearer ${await sign(signer, { exp })}` })
    this.headers = { good: await bearer(good), unknown: await bearer(unknown) }
    return { ...ACCOUNT, JWT_JWKS_URL: this.keySet.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE }
  }

  async close(): Promise<void> {
    await this.keySet?.close()
  }
}
const tokens = new Tokens()

/** A program to which changes are forwarded. */
class OwnReceiver implements Service {
  receiver: Receiver | undefined

  async start() {
    this.receiver = await Receiver.start()
    return { HOOK_SECRET: SECRET, HOOK_FORWARD: this.receiver.url, HOOK_FORWARD_SECRET: SECRET.replace('site', 'other') }
  }

  async close(): Promise<void> {
    await this.receiver?.close()
  }
}
const receiver = new OwnReceiver()

/** A site that reports a change again and again. */
class Reports {
  private timer: NodeJS.Timeout | undefined

  start({ url }: Watched, secret = SECRET): void {
    clearInterval(this.timer)
    let id = 0
    const report = (): void => {
      const body = JSON.stringify({ type: 'course', id: ++id, kind: 'updated' })
      // When the gateway has ended, so has the test.
      fetch(`${url}/hooks/site`, { method: 'POST', headers: signed(body, { secret }), body }).catch(() => clearInterval(this.timer))
    }
    this.timer = setInterval(report, 500)
  }
}
const refused = new Reports()
const forwarded = new Reports()

/** Clients that send a request and keep their connection, from several addresses. */
class Idlers {
  private readonly sockets = new Set<Socket>()
  private timer: NodeJS.Timeout | undefined

  /** Opens connections from as many addresses as there are; with an interval, the same again and again. */
  start({ port }: Watched, { addresses, each, interval }: { addresses: number; each: number; interval?: number }): void {
    const open = (): void => {
      for (let count = 0; count < addresses * each; count++) {
        const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + (count % addresses)}` })
        socket.on('connect', () => socket.write('GET /health/live HTTP/1.1\r\nhost: gateway.test\r\n\r\n'))
        socket.on('error', () => {}).on('close', () => this.sockets.delete(socket))
        socket.resume()
        this.sockets.add(socket)
      }
    }
    open()
    if (interval !== undefined) this.timer = setInterval(open, interval)
  }

  stop(): void {
    clearInterval(this.timer)
    for (const socket of this.sockets) socket.destroy()
  }
}
const manyFiles = new Idlers()
const tooMany = new Idlers()

const TRUSTED = ORDINARY[0] as string

export const ALERT_FAULTS: readonly AlertFault[] = [
  {
    number: 1,
    name: 'site down',
    instance: 'site-down',
    alert: 'LmsGraphqlSiteDown',
    flags: ['--stale-if-error', '600'],
    begin: ({ proxy }) => proxy.stop(),
    end: ({ proxy }) => proxy.resume(),
  },
  {
    number: 1,
    name: 'site silent',
    instance: 'site-silent',
    alert: 'LmsGraphqlSiteDown',
    flags: ['--timeout', '1500'],
    begin: always(strikeOf('silence')),
    end: ({ proxy }) => proxy.hangUp(),
  },
  {
    number: 2,
    name: 'site slow',
    instance: 'site-slow',
    alert: 'LmsGraphqlSiteSlow',
    begin(gateway) {
      gateway.proxy.strikes = () => delayed(2_800)
      gateway.ask({ ...ordinary, lanes: 5 })
    },
  },
  {
    number: 2,
    name: 'site slow, and so the queue full',
    instance: 'site-slow-queue',
    alert: 'LmsGraphqlSiteSlow',
    tuning: { protection: { queueTimeout: 1_500 } },
    begin(gateway) {
      gateway.proxy.strikes = () => delayed(2_800)
      gateway.ask({ next: (count, lane) => course(count * 16 + lane), lanes: 16 })
    },
  },
  {
    number: 2,
    name: 'some calls time out',
    instance: 'site-timeouts',
    alert: 'LmsGraphqlSiteSlow',
    flags: ['--timeout', '1500'],
    begin(gateway) {
      matching(/./, strikeOf('silence'), 4)(gateway)
      gateway.ask({ ...ordinary, lanes: 3 })
    },
    end: ({ proxy }) => proxy.hangUp(),
  },
  {
    number: 3,
    name: '429 of the site',
    instance: 'rate-limited',
    alert: 'LmsGraphqlRateLimited',
    begin: always(strikeOf('429 for a second')),
  },
  {
    number: 4,
    name: '5xx of one route',
    instance: 'route-fails',
    alert: 'LmsGraphqlRouteFails',
    labels: { method: 'GET', route: 'v2/sfwd-lessons' },
    begin: matching(/\/sfwd-lessons\?/, FATAL),
  },
  { number: 5, name: 'HTML for JSON', instance: 'html', alert: 'LmsGraphqlInvalidResponses', begin: always(strikeOf('HTML')) },
  {
    number: 6,
    name: 'bodies cut off',
    instance: 'cut-off',
    alert: 'LmsGraphqlResponsesCutOff',
    begin: always(strikeOf('a body that breaks off')),
  },
  {
    number: 7,
    name: 'wrong credentials of callers',
    instance: 'wrong-password',
    alert: 'LmsGraphqlCredentialsRejected',
    begin(gateway) {
      const headers = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
      gateway.ask({ next: (count) => (count % 2 ? course(count, headers) : ordinary.next(count, 0)) })
    },
  },
  {
    number: 7,
    name: 'service account refused',
    instance: 'service-account',
    alert: 'LmsGraphqlCredentialsRejected',
    env: { ...ACCOUNT, GATEWAY_API_KEYS: KEY },
    traffic: { next: (count) => ({ ...ordinary.next(count, 0), headers: { 'x-api-key': KEY } }) },
    begin: always(NOT_LOGGED_IN),
  },
  { number: 8, name: 'maintenance (503)', instance: 'maintenance', alert: 'LmsGraphqlSiteInMaintenance', begin: always(MAINTENANCE) },
  {
    number: 9,
    name: 'bursts open the breaker',
    instance: 'bursts',
    alert: 'LmsGraphqlBreakerOpens',
    labels: { calls: 'reads' },
    tuning: { protection: { breakerCalls: 4, breakerCooldown: 100 } },
    begin(gateway) {
      bursts(gateway, 3, 1_200)
      gateway.ask({ next: (count, lane) => course(4 * count + lane), lanes: 4, pause: 40 })
    },
  },
  {
    number: 10,
    name: 'queue full',
    instance: 'queue-full',
    alert: 'LmsGraphqlQueueFull',
    flags: ['--max-queue', '5', '--max-in-flight', '1', '--trusted-proxies', '127.0.0.1'],
    begin(gateway) {
      gateway.proxy.strikes = () => delayed(50)
      gateway.ask({ next: (count, lane) => course(count * 20 + lane, { 'x-forwarded-for': `192.0.2.${lane + 1}` }), lanes: 20, pause: 300 })
    },
  },
  {
    number: 11,
    name: 'flood by one caller',
    instance: 'flood',
    alert: 'LmsGraphqlCallerLimited',
    flags: ['--max-queue', '10', '--max-in-flight', '1'],
    begin(gateway) {
      gateway.proxy.strikes = () => delayed(50)
      gateway.ask({ next: (count, lane) => course(count * 20 + lane), lanes: 20, pause: 300 })
    },
  },
  {
    number: 12,
    name: 'memory watermark',
    instance: 'memory-short',
    alert: 'LmsGraphqlMemoryShort',
    flags: ['--memory-budget', '1000000'],
    begin(gateway) {
      // The list stays in memory until the other call has ended.
      const list = largeList(200_000)
      const slow = delayed(300)
      gateway.proxy.strikes = (asked) => (LIST_OF_COURSES.test(asked) ? list : slow)
      gateway.ask({ next: (_, lane) => ({ query: `{ ${LARGE} course(id: ${10_001 + lane}) { title } }` }), lanes: 8 })
    },
  },
  {
    number: 13,
    name: 'slow clients',
    instance: 'slow-clients',
    alert: 'LmsGraphqlSlowClients',
    tuning: { sockets: { writeTimeout: 400 } },
    begin(gateway) {
      matching(LIST_OF_COURSES, largeList(2_000_000))(gateway)
      stalling.start(gateway)
    },
    end: () => stalling.stop(),
  },
  {
    number: 14,
    name: 'documents not trusted',
    instance: 'not-trusted',
    alert: 'LmsGraphqlDocumentsRefused',
    labels: { code: 'DOCUMENT_NOT_TRUSTED' },
    flags: ['--operations', 'TRUSTED', '--only-trusted'],
    traffic: { next: () => ({ query: TRUSTED }) },
    begin: (gateway) => gateway.ask({ next: (count) => ({ query: ORDINARY[count % 2] as string }) }),
  },
  {
    number: 14,
    name: 'documents beyond a limit',
    instance: 'over-limit',
    alert: 'LmsGraphqlDocumentsRefused',
    labels: { code: 'LIMIT_EXCEEDED' },
    flags: ['--max-depth', '3'],
    begin: (gateway) => gateway.ask({ next: (count) => ({ query: count % 2 ? TRUSTED : '{ courses { nodes { priceType { name } } } }' }) }),
  },
  {
    number: 15,
    name: 'process killed repeatedly',
    instance: 'killed',
    alert: 'LmsGraphqlRestarts',
    async begin(gateway) {
      for (let times = 0; times < 3; times++) {
        gateway.signal('SIGKILL')
        await gateway.exit()
        await gateway.run()
        // The time of the start is in seconds, and Prometheus reads it once a second.
        await sleep(2_000)
      }
    },
  },
  {
    number: 16,
    name: 'drain takes long',
    instance: 'drain',
    alert: 'LmsGraphqlDrainSlow',
    flags: ['--drain-timeout', '100000', '--timeout', '100000', '--operation-timeout', '100000'],
    async begin(gateway) {
      const before = gateway.proxy.requests.length
      matching(/\/10099\?/, held.strike)(gateway)
      void gateway.send({ query: '{ course(id: 10099) { title } }' })
      while (!gateway.proxy.requests.slice(before).some((asked) => asked.includes('/10099?')))
        await new Promise((resolve) => setTimeout(resolve, 10))
      gateway.signal('SIGTERM')
    },
    async end(gateway) {
      held.release()
      await gateway.exit()
      await gateway.run()
    },
  },
  {
    number: 17,
    name: 'fast path fails',
    instance: 'fallbacks',
    alert: 'LmsGraphqlFallbacks',
    labels: { step: 'write' },
    tuning: {},
    begin: (gateway) => gateway.ask({ next: () => ({ query: '{ course(id: 10001) { failsFast } }' }) }),
  },
  {
    number: 18,
    name: 'odd values',
    instance: 'odd-values',
    alert: 'LmsGraphqlOddValues',
    labels: { field: 'Course.menuOrder' },
    traffic: { next: () => ({ query: '{ course(id: 10001) { title menuOrder } }' }) },
    begin: always(ODD),
  },
  {
    number: 19,
    name: 'redirects',
    instance: 'redirects',
    alert: 'LmsGraphqlSiteRedirects',
    begin: always(strikeOf('a page to sign in')),
  },
  {
    number: 20,
    name: 'disk of the LMS full',
    instance: 'disk-full',
    alert: 'LmsGraphqlWritesFail',
    hasDisk: true,
    traffic: {
      next: (count) =>
        count % 2
          ? {
              query: 'mutation Write($content: String!) { createCourse(input: { title: "Written", content: $content }) { __typename } }',
              variables: { content: 'x'.repeat(80_000) },
              headers: { authorization: authorizationOf('admin') },
            }
          : { query: TRUSTED },
    },
    begin: (gateway, disk) => disk.fill(gateway),
    end: (_, disk) => disk.empty(),
  },
  {
    number: 0,
    name: 'Redis gone',
    instance: 'redis-gone',
    alert: 'LmsGraphqlRedisFails',
    service: lostRedis,
    begin: () => lostRedis.server?.kill(),
    end: () => lostRedis.server?.begin(),
  },
  {
    number: 0,
    name: 'Redis out of memory',
    instance: 'redis-full',
    alert: 'LmsGraphqlRedisFails',
    service: fullRedis,
    begin: () => fullRedis.server?.cli('CONFIG', 'SET', 'maxmemory', '1'),
    end: () => fullRedis.server?.cli('CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    number: 0,
    name: 'key set out of reach',
    instance: 'key-set',
    alert: 'LmsGraphqlKeySetNotLoaded',
    service: tokens,
    traffic: { next: (count) => ({ ...ordinary.next(count, 0), headers: tokens.headers.good }) },
    begin(gateway) {
      if (tokens.keySet) tokens.keySet.broken = { status: 500, body: '' }
      // A key that the gateway does not know lets it load the key set.
      gateway.ask({ next: (count) => ({ ...ordinary.next(count, 0), headers: count % 2 ? tokens.headers.good : tokens.headers.unknown }) })
    },
    end() {
      if (tokens.keySet) tokens.keySet.broken = undefined
    },
  },
  {
    number: 0,
    name: 'changes of the site refused',
    instance: 'webhook',
    alert: 'LmsGraphqlWebhookRefused',
    labels: { outcome: 'unauthenticated' },
    env: { HOOK_SECRET: SECRET },
    begin: (gateway) => refused.start(gateway, 'the-secret-of-another-site-0123456789'),
    end: (gateway) => refused.start(gateway),
  },
  {
    number: 0,
    name: 'changes not forwarded',
    instance: 'forwarding',
    alert: 'LmsGraphqlChangesNotForwarded',
    service: receiver,
    begin(gateway) {
      if (receiver.receiver) receiver.receiver.answer = (response) => response.writeHead(500).end()
      forwarded.start(gateway)
    },
    end() {
      if (receiver.receiver) receiver.receiver.answer = (response) => response.writeHead(204).end()
    },
  },
  {
    number: 0,
    name: 'event loop blocked',
    instance: 'event-loop',
    alert: 'LmsGraphqlEventLoopDelayed',
    tuning: {},
    begin: (gateway) => gateway.ask({ next: () => ({ query: '{ course(id: 10001) { blocks } }' }) }),
  },
  {
    number: 0,
    name: 'file descriptors used up',
    instance: 'files',
    alert: 'LmsGraphqlFilesShort',
    files: 200,
    begin: (gateway) => manyFiles.start(gateway, { addresses: 10, each: 15 }),
    end: () => manyFiles.stop(),
  },
  {
    number: 0,
    name: 'connections of one address',
    instance: 'connections',
    alert: 'LmsGraphqlConnectionsClosed',
    labels: { reason: 'address' },
    flags: ['--max-connections', '100'],
    begin: (gateway) => tooMany.start(gateway, { addresses: 1, each: 15, interval: 500 }),
    end: () => tooMany.stop(),
  },
  {
    number: 0,
    name: 'share of a client used up',
    instance: 'share',
    alert: 'LmsGraphqlClientsLimited',
    labels: { limit: 'operationsPerMinute' },
    flags: ['--operations-per-minute', '300'],
    begin: (gateway) => gateway.ask({ ...ordinary, lanes: 8, pause: 10 }),
  },
  {
    number: 0,
    name: 'exception of a resolver',
    instance: 'faults',
    alert: 'LmsGraphqlFaults',
    tuning: {},
    begin: (gateway) => gateway.ask({ next: () => ({ query: '{ course(id: 10001) { failsAlways } }' }) }),
  },
  {
    number: 0,
    name: 'process gone',
    instance: 'gone',
    alert: 'LmsGraphqlDown',
    begin: (gateway) => gateway.signal('SIGKILL'),
    end: (gateway) => gateway.run(),
  },
]
