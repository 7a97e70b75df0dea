import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readOptions } from '../../src/options/read.js'
import { ENTRIES } from '../../src/options/table.js'
import { freePort } from '../hosts/host.js'
import { exchange, piecesOf } from '../server/raw.js'
import { Command } from '../support/command.js'
import { until } from '../support/hosted.js'
import { Load } from '../support/load.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { FakeSite, json } from '../support/site.js'
import { checked, FRONT, Front, lacks } from './haproxy.js'

// The files of `deploy/compose`. There is no Docker here, so HAProxy runs with its file in front of gateways of this machine.

const FOLDER = fileURLToPath(new URL('../../deploy/compose/', import.meta.url))
const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
const text = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

interface Service {
  readonly image: string
  readonly user?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly deploy: { readonly resources: { readonly limits: { readonly memory: string } } }
  readonly stop_grace_period?: string
  readonly ports?: readonly string[]
  /** Names, or addresses by name. */
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
}

interface Compose {
  readonly networks: Readonly<Record<string, unknown>>
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

const named = (networks: Service['networks'] = []): readonly string[] => (Array.isArray(networks) ? networks : Object.keys(networks))

const compose: Compose = parse(text('compose.yaml'), { merge: true })
const account: Compose = parse(text('compose.account.yaml'))
const services = Object.entries(compose.services)
const own = services.filter(([, { image }]) => image.startsWith('lms-graphql:'))

/** The variables of a file such as `.env`. */
const variablesOf = (file: string): Record<string, string> =>
  Object.fromEntries([...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/** The settings of a service, as Compose passes them with some variables. */
const environmentOf = ({ environment = {} }: Service, given: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):-(.*?)\}/g, (_, each, otherwise) => given[each] || otherwise),
    ]),
  )

describe('the services of Compose', () => {
  const noCompose = lacks('docker-compose')
  it.skipIf(noCompose !== '')(`are accepted by docker-compose${noCompose}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-compose-'))
    try {
      // The version of Debian does not know this line yet.
      writeFileSync(join(folder, 'compose.yaml'), text('compose.yaml').replace(/^name: .*\n/m, ''))
      for (const more of [[], ['--file', join(FOLDER, 'compose.account.yaml')]]) {
        const args = ['--project-directory', FOLDER, '--file', join(folder, 'compose.yaml'), ...more, 'config']
        const { status, stdout, stderr } = spawnSync('docker-compose', args, { encoding: 'utf8' })
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
        expect(Object.keys(parse(stdout).services)).toEqual(Object.keys(compose.services).sort())
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each(services)('%s is strict, has a limit of memory and tells of its health', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.deploy.resources.limits.memory).toMatch(/^\d+[MG]$/)
    expect(service.image).toMatch(/:v?\d+\.\d+\.\d+(-alpine)?$/)
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    // Our image brings both.
    if (!service.image.startsWith('lms-graphql:'))
      expect(service).toMatchObject({ user: /^[1-9]\d*:\d+$/, healthcheck: { test: expect.anything() } })
  })

  it('run the image of this version', () => {
    expect(own.map(([name]) => name)).toEqual(['gateway', 'lms'])
    for (const [, { image }] of own) expect(image).toBe(`lms-graphql:${VERSION}`)
  })

  it('share a Redis that only they reach, which forgets what it has no memory for', async () => {
    const { image, command = [], networks, ports, deploy } = compose.services.redis as Service
    expect(command.slice(0, 5)).toEqual(['valkey-server', '--save', '', '--appendonly', 'no'])
    expect(image).toContain('/valkey:')
    expect([networks, ports]).toEqual([['redis'], undefined])
    expect(services.flatMap(([name, service]) => (named(service.networks).includes('redis') ? [name] : []))).toEqual(['gateway', 'redis'])
    expect(compose.networks.redis).toEqual({ internal: true })
    const url = new URL(environmentOf(compose.services.gateway as Service).REDIS_URL as string)
    expect([url.hostname, url.port]).toEqual(['redis', '6379'])
    const most = Number.parseInt(/--maxmemory,(\d+)mb/.exec(command.join())?.[1] as string, 10)
    expect(most).toBeLessThan(Number.parseInt(deploy.resources.limits.memory, 10))
    if (WITHOUT_REDIS !== undefined && process.env.CI !== 'true') return
    // Redis takes the same flags.
    const redis = await RedisServer.start(...command.slice(1))
    try {
      const settings = ['maxmemory', 'maxmemory-policy'].map((name) => redis.cli('CONFIG', 'GET', name).split('\n')[1])
      expect(settings).toEqual([`${most * 1024 * 1024}`, 'allkeys-lru'])
    } finally {
      await redis.close()
    }
  })

  it('have settings that the gateway takes', () => {
    const known = new Set(ENTRIES.map(({ env }) => env))
    const gateway = compose.services.gateway as Service
    const given = variablesOf(text('.env'))
    const whole = { ...environmentOf(gateway, given), HOST: '0.0.0.0' }
    const withAccount = { ...whole, ...environmentOf(account.services.gateway as Service, given) }
    for (const environment of [whole, withAccount]) {
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([])
      const result = readOptions([], environment, () => 'x'.repeat(20))
      if (result.kind !== 'options') throw new Error(JSON.stringify(result))
      expect(result.options).toMatchObject({ site: { url: 'http://lms:4001' }, observe: { metrics: 9464 } })
      const { drainTimeout } = result.options.http
      expect(Number.parseInt(gateway.stop_grace_period as string, 10) * 1000).toBeGreaterThan(drainTimeout + 10_000)
    }
    const lms = compose.services.lms as Service
    expect(readOptions(lms.command as string[], { HOST: '0.0.0.0' }, () => '')).toMatchObject({
      kind: 'options',
      command: 'lms',
      options: { http: { port: 4001 } },
    })
    // The lines of the comment, in place of all others.
    const real = variablesOf(
      text('.env')
        .replace(/^\w.*\n/gm, '')
        .replace(/^# +(?=[A-Z_]+=)/gm, ''),
    )
    expect(real).toEqual({ COMPOSE_PROFILES: '', LMS_URL: 'https://example.org/wp-json', LMS_PRESET: 'learndash' })
    const ofSite = [environmentOf(gateway, real), environmentOf(account.services.gateway as Service, real)] as const
    const site = readOptions([], { ...ofSite[0], ...ofSite[1] }, () => 'x'.repeat(20))
    expect(site).toMatchObject({ kind: 'options', options: { site: { preset: 'learndash' }, access: { allowPlainHttp: false } } })
  })

  it('take their variables from the file beside them', () => {
    const named = [...`${text('compose.yaml')}${text('compose.account.yaml')}`.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const given = text('.env')
      .split('\n')
      .flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
    expect(given.filter((name) => ![...named, 'COMPOSE_PROFILES'].includes(name))).toEqual([])
    expect(text('.env')).toContain('COMPOSE_PROFILES=lms\n')
  })

  it('mount files that exist', () => {
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes.flatMap((volume) => /^(\..*?):/.exec(volume)?.[1] ?? []))
    expect(mounted.length).toBeGreaterThan(4)
    expect(mounted.filter((path) => !existsSync(resolve(FOLDER, path)))).toEqual([])
    expect(Object.values(account.secrets ?? {}).map(({ file }) => file)).toEqual(['./secrets/lms-password', './secrets/api-keys'])
  })

  it('give Grafana the dashboard and its data source', () => {
    const { datasources } = parse(text('grafana/provisioning/datasources/prometheus.yaml'))
    expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }])
    const { providers } = parse(text('grafana/provisioning/dashboards/lms-graphql.yaml'))
    expect(compose.services.grafana?.volumes).toContain(`../grafana:${providers[0].options.path}:ro`)
  })

  const noPromtool = lacks('promtool')
  it.skipIf(noPromtool !== '')(`have settings that Prometheus takes, with the port of the metrics${noPromtool}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-prometheus-'))
    try {
      const rules = resolve(FOLDER, '../prometheus')
      writeFileSync(join(folder, 'prometheus.yaml'), text('prometheus.yaml').replace('/etc/prometheus/rules', rules))
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yaml')], { encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toMatch(/SUCCESS: [1-9]\d* rules found/)
    } finally {
      rmSync(folder, { recursive: true })
    }
    const { scrape_configs } = parse(text('prometheus.yaml'))
    const port = Number(compose.services.gateway?.environment?.METRICS)
    expect(scrape_configs).toMatchObject([{ job_name: 'lms-graphql', dns_sd_configs: [{ names: ['gateway'], type: 'A', port }] }])
  })
})

/** The backend of Compose, with addresses of this machine instead of names of containers. */
async function front(
  servers: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ proxy: Front; close(): Promise<void> }> {
  const whole = text('gateways.cfg')
  expect(whole).toMatch(/^ {2}server-template gateway- 10 gateway:4000 .*$/m)
  const lines = servers.map((url, index) => `  server gateway-${index} ${new URL(url).host}`).join('\n')
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-haproxy-'))
  const file = join(folder, 'gateways.cfg')
  writeFileSync(file, whole.replace(/^ {2}server-template .*$/m, lines))
  const proxy = await Front.start(file, env)
  const close = async (): Promise<void> => {
    await proxy.close()
    rmSync(folder, { recursive: true })
  }
  return { proxy, close }
}

const noHaproxy = lacks('haproxy')

describe.skipIf(noHaproxy !== '')(`HAProxy${noHaproxy}`, () => {
  it('accepts its files as they are', () => {
    const { command = [], environment, volumes = [] } = compose.services.haproxy as Service
    const mounted = Object.fromEntries(volumes.map((volume) => volume.split(':').slice(0, 2).reverse()))
    const files = command.filter((part) => part.startsWith('/')).map((path) => resolve(FOLDER, mounted[path]))
    expect(files).toEqual([FRONT, join(FOLDER, 'gateways.cfg')])
    expect(environment).toEqual({ LMS_FRONT_BIND: ':8080', LMS_FRONT_PROXIES: '10.87.0.1', LMS_FRONT_SOCKET: 'abns@lms-front' })
    expect(checked(files, environment)).toEqual({ status: 0, stderr: '' })
  })

  it('passes the graph and the address of the client, and repeats only what is no mutation', async () => {
    const server = await FakeSite.start()
    const { proxy, close } = await front([server.url])
    const asked = (): IncomingMessage[] => server.requests.filter(({ url }) => url !== '/health/ready')
    try {
      expect(await proxy.status('/graphql?query={__typename}')).toBe(200)
      expect(asked().map(({ headers }) => headers['x-forwarded-for'])).toEqual(['127.0.0.1'])
      for (const path of ['/metrics', '/health/live', '/health/ready', '/health/site', '/graphql/health/ready', '/graphqlx', '/'])
        expect([path, await proxy.status(path)]).toEqual([path, 404])
      expect(asked()).toHaveLength(1)
      // The connection breaks when a request has arrived.
      for (const [method, status, times] of [
        ['GET', 200, 2],
        ['POST', 502, 1],
      ] as const) {
        server.requests.length = 0
        server.handler = (request, response) => {
          if (request.url !== '/health/ready' && asked().length === 1) request.socket.destroy()
          else json(response, [])
        }
        expect([method, await proxy.status('/graphql', method), asked().length]).toEqual([method, status, times])
      }
    } finally {
      await Promise.all([close(), server.close()])
    }
  })

  it('is no way around its rules for paths, although a gateway shows metrics', async () => {
    const gateway = new Command(['--upstream', 'http://127.0.0.1:1', '--port', '0', '--metrics', 'open'], {
      HOOK_SECRET: 'x'.repeat(32),
    })
    const { proxy, close } = await front([await gateway.address()])
    const statusOf = async (path: string): Promise<string> =>
      String(await exchange(proxy.url, piecesOf({ method: 'GET', path }))).slice(9, 12)
    try {
      await until(async () => (await statusOf('/graphql?query={__typename}')) === '200')
      expect(await statusOf('/graphql?query={__typename}&a=/../b%2e%2e/c')).toBe('200')
      const statuses: Record<string, string> = {}
      const changed = [
        '/graphql/../metrics',
        '/graphql/%2e%2e/metrics',
        '/graphql/%2E%2e%2fmetrics',
        '/graphql/..\\metrics',
        '/graphql/%2e%2e%5cmetrics',
        '/graphql/../hooks/site',
        '/graphql/../health/site',
        '/graphql/./health/site',
        '/graphql/.\\health/site',
      ]
      const hidden = [
        '/metrics',
        '/graphql/metrics',
        '/health/site',
        '/graphql/health/site',
        '/graphql/health/ready',
        '/graphql//health/site',
        '/graphql/%68ealth/site',
      ]
      for (const path of [...changed, ...hidden]) statuses[path] = await statusOf(path)
      expect(statuses).toEqual({
        ...Object.fromEntries(changed.map((path) => [path, '400'])),
        ...Object.fromEntries(hidden.map((path) => [path, '404'])),
      })
    } finally {
      await Promise.all([close(), gateway.stop()])
    }
  })

  it('passes old answers and errors of GraphQL to clients while the site is down, and answers with such an error without a gateway', async () => {
    const title = (id: number) => ({ id, title: { rendered: `Title ${id}` } })
    const site = await FakeSite.start((request, response) =>
      json(response, title(Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1]))),
    )
    const gateway = new Command([
      '--upstream',
      site.url,
      '--port',
      '0',
      '--stale-if-error',
      '300',
      '--cors-origins',
      'https://app.example.org',
    ])
    const { proxy, close } = await front([await gateway.address()])
    const ask = async (query: string) => {
      const response = await fetch(`${proxy.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://app.example.org', connection: 'close' },
        body: JSON.stringify({ query }),
      })
      const text = await response.text()
      const { data, errors = [], extensions } = text.startsWith('{') ? JSON.parse(text) : { data: text, errors: [{}] }
      return {
        data,
        codes: errors.map((error: any) => error.extensions?.code),
        isStale: extensions?.stale !== undefined,
        status: response.status,
        type: response.headers.get('content-type'),
        origin: response.headers.get('access-control-allow-origin'),
        retryAfter: response.headers.get('retry-after'),
      }
    }
    const KEPT = '{ course(id: 1) { title } }'
    try {
      expect(await ask(KEPT)).toMatchObject({ data: { course: { title: 'Title 1' } }, isStale: false })
      await site.close()
      const type = 'application/json; charset=utf-8'
      // Longer than HAProxy needs to notice, and until the circuit breaker opens.
      const seen = new Set<number>()
      for (const until = Date.now() + 3_000, ids = [2]; Date.now() < until || !seen.has(503); ids.push(ids.length + 2)) {
        const [kept, other] = [await ask(KEPT), await ask(`{ course(id: ${ids.at(-1)}) { title } }`)]
        expect(kept).toMatchObject({ data: { course: { title: 'Title 1' } }, codes: [], isStale: true, status: 200, type })
        expect(other).toMatchObject({
          codes: ['UPSTREAM_UNAVAILABLE'],
          type,
          origin: 'https://app.example.org',
          retryAfter: expect.stringMatching(/^[1-9]\d*$/),
        })
        seen.add(other.status)
      }
      expect([...seen]).toEqual([200, 503])
      expect(proxy.says('gateway-0', 'DOWN')).toBe(false)
      await gateway.stop()
      await until(() => proxy.says('gateway-0', 'DOWN'))
      expect(await ask(KEPT)).toEqual({
        data: undefined,
        codes: ['SERVER_BUSY'],
        isStale: false,
        status: 503,
        type: 'application/json',
        origin: '*',
        retryAfter: '2',
      })
    } finally {
      await Promise.all([close(), gateway.stop(), site.close()])
    }
  })

  it('loses no request while gateways drain and come back', async () => {
    const site = await FakeSite.start((request, response) => {
      const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1])
      setTimeout(() => json(response, { id, title: { rendered: `Title ${id}` } }), 15)
    })
    const ports = [await freePort(), await freePort()] as const
    const start = (port: number): Command =>
      new Command(['--upstream', site.url, '--port', `${port}`, '--max-in-flight', '8'], {
        NODE_ENV: 'production',
        TRUSTED_PROXIES: '127.0.0.1',
      })
    const [first, second] = ports.map(start) as [Command, Command]
    const running = [first, second]
    const urls = await Promise.all(running.map((gateway) => gateway.address()))
    const { proxy, close } = await front(urls)
    const load = new Load(proxy.url, 20)
    const answered = (more: number): Promise<void> => {
      const before = load.total
      return until(() => load.total >= before + more)
    }
    try {
      await answered(400)
      expect((await first.stop()).code).toBe(0)
      await until(() => proxy.says('gateway-0', 'DOWN'))
      await answered(400)
      const again = start(ports[0])
      running.push(again)
      await again.address()
      await until(() => proxy.says('gateway-0', 'UP'))
      await answered(200)
      // From now on, only the one that has come back can answer.
      expect((await second.stop()).code).toBe(0)
      await answered(400)
    } finally {
      await load.stop()
      await Promise.all([close(), ...running.map((gateway) => gateway.stop())])
      await site.close()
    }
    console.log(`${load.total} requests answered, ${load.failures.length} lost`)
    expect({ failures: load.failures, wrong: load.wrong }).toEqual({ failures: [], wrong: [] })
  })
})

/** A request from an address of this machine, on a connection of its own. */
const from = (localAddress: string, url: string, headers: IncomingHttpHeaders = {}) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const sent = request(
      `${url}/graphql?query={__typename}`,
      { localAddress, headers: { ...headers, connection: 'close' } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode as number, headers: response.headers, text }))
      },
    )
    sent.on('error', reject).end()
  })

/** A connection that HAProxy may close at once. Sends nothing. */
function hold(url: string, localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () => resolve(socket))
    socket.on('error', () => resolve(socket))
  })
}

describe.skipIf(noHaproxy !== '')(`HAProxy between gateways and one address${noHaproxy}`, () => {
  it('serves another address while one holds a thousand connections, and opens no more of those', { timeout: 120_000 }, async () => {
    const server = await FakeSite.start()
    const { proxy, close } = await front([server.url])
    const sockets: Socket[] = []
    let closed = 0
    const open = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) {
        const socket = await hold(proxy.url, '127.0.0.1')
        if (socket.closed) closed++
        else socket.once('close', () => closed++)
        sockets.push(socket)
      }
    }
    try {
      expect((await from('127.0.0.2', proxy.url)).status).toBe(200)
      await open(990)
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(closed).toBe(0)
      // A school behind one address can still be served.
      expect((await from('127.0.0.1', proxy.url)).status).toBe(200)
      await open(210)
      await until(() => closed >= 200)
      await expect(from('127.0.0.1', proxy.url)).rejects.toThrow(/ECONNRESET|socket hang up/)
      for (let times = 0; times < 20; times++) expect((await from('127.0.0.2', proxy.url)).status).toBe(200)
      expect(closed).toBeLessThanOrEqual(210)
      for (const socket of sockets) socket.destroy()
      await until(async () => (await from('127.0.0.1', proxy.url).catch(() => ({ status: 0 }))).status === 200)
    } finally {
      for (const socket of sockets) socket.destroy()
      await Promise.all([close(), server.close()])
    }
  })

  it('refuses further requests of an address for ten seconds with an error that clients understand', async () => {
    const server = await FakeSite.start()
    const { proxy, close } = await front([server.url], { LMS_FRONT_REQUESTS: '30' })
    try {
      const answers = []
      for (let times = 0; times < 40; times++) answers.push(await from('127.0.0.3', proxy.url))
      expect(answers.slice(0, 30).map(({ status }) => status)).toEqual(Array(30).fill(200))
      const refused = answers.at(-1)
      expect(refused).toMatchObject({
        status: 429,
        headers: {
          'content-type': 'application/json',
          'retry-after': '10',
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'Retry-After',
        },
      })
      expect(JSON.parse(refused?.text as string).errors[0].extensions).toEqual({ code: 'RATE_LIMITED', retryAfter: 10 })
      expect((await from('127.0.0.2', proxy.url)).status).toBe(200)
    } finally {
      await Promise.all([close(), server.close()])
    }
  })

  it('gives a key, token or password one share, whichever addresses it comes from and whichever gateways it reaches', async () => {
    const servers = await Promise.all([FakeSite.start(), FakeSite.start()])
    const { proxy, close } = await front(
      servers.map(({ url }) => url),
      { LMS_FRONT_REQUESTS: '30' },
    )
    try {
      for (const header of ['x-api-key', 'authorization']) {
        const ask = async (at: number, key: string): Promise<number> =>
          (await from(`127.0.1.${at % 8}`, proxy.url, { [header]: `${header} ${key}` })).status
        const statuses = []
        for (let at = 0; at < 40; at++) statuses.push(await ask(at, 'one'))
        expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([30, 429])
        expect(await ask(0, 'another')).toBe(200)
      }
      for (const { requests } of servers) expect(requests.filter(({ url }) => url !== '/health/ready').length).toBeGreaterThan(20)
    } finally {
      await Promise.all([close(), ...servers.map((server) => server.close())])
    }
  })

  it('stops an address that tries keys at all gateways, but not the keys that were accepted there', async () => {
    const KEY = 'a-key-of-16-characters'
    const site = await FakeSite.start()
    const gateways = [1, 2].map(
      () =>
        new Command(['--upstream', site.url, '--port', '0', '--trusted-proxies', '127.0.0.1'], {
          NODE_ENV: 'production',
          GATEWAY_API_KEYS: `${KEY},another-${KEY}`,
        }),
    )
    const { proxy, close } = await front(await Promise.all(gateways.map((gateway) => gateway.address())), { LMS_FRONT_REJECTED: '20' })
    const ask = async (address: string, key: string): Promise<number> => (await from(address, proxy.url, { 'x-api-key': key })).status
    try {
      expect(await ask('127.0.0.5', KEY)).toBe(200)
      const statuses = []
      for (let at = 0; at < 30; at++) statuses.push(await ask('127.0.0.5', `guessed-key-number-${at}`))
      expect(statuses).toEqual([...Array(21).fill(401), ...Array(9).fill(429)])
      expect([await ask('127.0.0.5', KEY), await ask('127.0.0.5', `another-${KEY}`)]).toEqual([200, 429])
      expect(await ask('127.0.0.6', `another-${KEY}`)).toBe(200)
      expect((await from('127.0.0.5', proxy.url)).status).toBe(401)
    } finally {
      await Promise.all([close(), ...gateways.map((gateway) => gateway.stop()), site.close()])
    }
  })

  it('counts for the address that a proxy in front of it names', async () => {
    const server = await FakeSite.start()
    const env = { LMS_FRONT_PROXIES: '192.0.2.0/24 127.0.0.1', LMS_FRONT_CONNECTIONS: '5', LMS_FRONT_REQUESTS: '30' }
    const { proxy, close } = await front([server.url], env)
    const sockets: Socket[] = []
    try {
      for (let times = 0; times < 20; times++) sockets.push(await hold(proxy.url, '127.0.0.1'))
      const ask = async (forwarded: string): Promise<number> =>
        (await from('127.0.0.1', proxy.url, { 'x-forwarded-for': forwarded })).status
      const statuses = []
      for (let times = 0; times < 40; times++) statuses.push(await ask(`203.0.113.${times}, 2001:db8:0:1::${times + 1}`))
      expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([30, 429])
      expect([await ask('2001:db8:0:2::1'), await ask('203.0.113.1')]).toEqual([200, 200])
      expect(sockets.some(({ destroyed }) => destroyed)).toBe(false)
    } finally {
      for (const socket of sockets) socket.destroy()
      await Promise.all([close(), server.close()])
    }
  })

  it('refuses the addresses of a file, and those that are added while it runs, also behind a proxy', async () => {
    const server = await FakeSite.start()
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-blocked-'))
    const file = join(folder, 'blocked.lst')
    writeFileSync(file, '127.0.0.9\n2001:db8:0:1::/64\n')
    const { proxy, close } = await front([server.url], { LMS_FRONT_BLOCKED: file, LMS_FRONT_PROXIES: '127.0.0.5' })
    const ask = async (address: string, forwarded: string): Promise<number> =>
      (await from(address, proxy.url, { 'x-forwarded-for': forwarded })).status
    try {
      const refused = await from('127.0.0.9', proxy.url)
      expect([refused.status, JSON.parse(refused.text).errors[0].extensions]).toEqual([403, { code: 'FORBIDDEN' }])
      // Others do not block an address, or themselves, by naming it.
      expect([await ask('127.0.0.2', '127.0.0.9'), await ask('127.0.0.5', '203.0.113.66')]).toEqual([200, 200])
      expect(await ask('127.0.0.5', '203.0.113.1, 2001:db8:0:1::5')).toBe(403)
      await proxy.command(`add acl ${file} 203.0.113.66`)
      expect([await ask('127.0.0.5', '203.0.113.66'), await ask('127.0.0.5', '203.0.113.67')]).toEqual([403, 200])
    } finally {
      await Promise.all([close(), server.close()])
      rmSync(folder, { recursive: true })
    }
  })

  it('keeps slow bodies away from gateways, and refuses large ones', { timeout: 60_000 }, async () => {
    const server = await FakeSite.start()
    const { proxy, close } = await front([server.url])
    const asked = () => server.requests.filter(({ url }) => url !== '/health/ready').length
    const post = (length: number) =>
      `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    try {
      expect((await from('127.0.0.1', proxy.url)).status).toBe(200)
      expect(asked()).toBe(1)
      const whole = exchange(proxy.url, [Buffer.from(`${post(2)}{}`.replace('Host: a', 'Host: a\r\nConnection: close'))])
      expect(String(await whole)).toMatch(/^HTTP\/1.1 200 /)
      expect(asked()).toBe(2)
      const slow = String(await exchange(proxy.url, [Buffer.from(`${post(10_000)}${'x'.repeat(5_000)}`)]))
      expect(slow).toMatch(/^HTTP\/1.1 408 [\s\S]*\{"errors":\[\{.*"code":"REQUEST_TIMEOUT"/)
      expect(asked()).toBe(2)
      const large = String(await exchange(proxy.url, [Buffer.from(post(100_001))]))
      expect(large).toMatch(/^HTTP\/1.1 413 [\s\S]*\{"errors":\[\{.*"code":"BODY_TOO_LARGE"/)
      expect(asked()).toBe(2)
    } finally {
      await Promise.all([close(), server.close()])
    }
  })
})
