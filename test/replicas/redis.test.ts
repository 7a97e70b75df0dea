import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { startLms } from '../../src/lms/index.js'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'
import { SECRET, signed } from '../support/hooks.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { canSecure, Secured } from '../support/secured.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf } from '../support/world.js'

// The commands, settings and rights of docs/redis.md, with a real Redis.

const PAGE = readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8')

/** The block of the page that contains a text. */
function block(part: string): string {
  const found = [...PAGE.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text]) => text as string).filter((text) => text.includes(part))
  expect(found).toHaveLength(1)
  return (found[0] as string).trim()
}

/** The variables before a command of the page. */
const variablesOf = (line: string): Record<string, string> =>
  Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startRedis(...flags: readonly string[]): Promise<RedisServer> {
  const redis = await RedisServer.start(...flags)
  closing.push(() => redis.close())
  return redis
}

async function startSite(): Promise<string> {
  const lms = await startLms()
  closing.push(() => lms.close())
  return lms.url
}

function command(env: Readonly<Record<string, string>>, upstream: string): Command {
  const started = new Command(['--upstream', upstream, '--port', '0', '--metrics', '--log-format', 'json'], env)
  closing.push(() => started.stop('SIGKILL'))
  return started
}

const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()
const connected = (url: string): Promise<unknown> => expect.poll(() => metricsOf(url)).toContain('lms_redis_up 1')

/** Uses all that gateways share. */
async function useAll([one, two]: readonly [Served, Served]): Promise<void> {
  const admin = { authorization: authorizationOf('admin') }
  const dataOf = async (gateway: Served, request: object, headers?: Record<string, string>): Promise<any> => {
    const { data, errors } = (await (await gateway.post(request, headers)).json()) as any
    expect(errors).toBeUndefined()
    return data
  }
  const query = '{ courses(first: 3) { nodes { databaseId title } } }'
  for (const headers of [{}, admin]) for (const gateway of [one, two, one]) await dataOf(gateway, { query }, headers)
  const [course] = (await dataOf(one, { query })).courses.nodes
  const title = `Title ${Date.now()}`
  const mutation = `mutation { updateCourse(input: { id: ${course.databaseId}, title: "${title}" }) { __typename } }`
  expect((await dataOf(two, { query: mutation }, admin)).updateCourse.__typename).toBe('UpdateCourseSuccess')
  expect((await dataOf(one, { query: `{ course(id: ${course.databaseId}) { title } }` })).course.title).toBe(title)
  const body = JSON.stringify({ type: 'course', id: course.databaseId, kind: 'updated' })
  const deliver = async ({ url }: Served, headers: Record<string, string>) =>
    (await fetch(`${url}/hooks/site`, { method: 'POST', headers, body })).status
  const headers = signed(body)
  expect([await deliver(one, headers), await deliver(two, headers)]).toEqual([204, 409])
}

async function gatewaysAt(url: string, cluster = false): Promise<readonly [Served, Served]> {
  const upstream = await startSite()
  const cache = { maxAge: 600, secret: 'a secret of at least 32 characters' }
  const options = { site: { url: upstream }, redis: { url, cluster }, cache, hooks: { secret: SECRET }, observe: { metrics: 'open' } }
  const gateways = [await serve(options), await serve(options)] as const
  for (const gateway of gateways) closing.push(() => gateway.close())
  for (const gateway of gateways) await connected(gateway.url)
  return gateways
}

/** The rights of the page, as arguments of `ACL SETUSER`. */
const RIGHTS = block('user lms-graphql').split(' ').slice(1)
const MORE = /For a cluster, add `(.*?)`/.exec(PAGE)?.[1]?.split(' ') ?? []

const commandsIn = (redis: RedisServer): string[] =>
  [...redis.cli('INFO', 'commandstats').matchAll(/^cmdstat_([\w|]+):calls=/gm)].map(([, name]) => name as string)

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('Redis as its page describes it', () => {
  it('has a user with the rights that all features need, and no others', async () => {
    const redis = await startRedis()
    redis.cli('ACL', 'SETUSER', ...RIGHTS)
    const gateways = await gatewaysAt(`redis://lms-graphql:PASSWORD@127.0.0.1:${redis.port}/1`)
    await useAll(gateways)
    expect(redis.cli('ACL', 'LOG')).toBe('')
    for (const { url } of gateways) expect(await metricsOf(url)).toContain('lms_redis_failures_total 0')
    const used = commandsIn(redis)
    const unused = RIGHTS.filter((right) => right.startsWith('+') && !used.includes(right.slice(1)))
    expect(unused).toEqual([])
    const keys = redis.cli('-n', '1', 'KEYS', '*').split('\n')
    expect(keys.length).toBeGreaterThan(5)
    expect(keys.filter((key) => !key.startsWith('lms:'))).toEqual([])
    expect(redis.cli('-n', '1', '--no-raw', 'MGET', ...keys)).not.toContain(authorizationOf('admin').slice(6))
    expect(redis.cli('-n', '0', 'DBSIZE')).toBe('0')
    // The page says that all expires, but for the epoch.
    const lasting = keys.filter((key) => redis.cli('-n', '1', 'TTL', key) === '-1')
    expect(lasting).toEqual([expect.stringMatching(/^lms:\{.{16}\}:epoch$/)])
  })

  it('has a few more rights in a cluster', async () => {
    const redis = await startRedis('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1')
    redis.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await expect.poll(() => redis.cli('CLUSTER', 'INFO')).toContain('cluster_state:ok')
    redis.cli('ACL', 'SETUSER', ...RIGHTS, ...MORE)
    const gateways = await gatewaysAt(`redis://lms-graphql:PASSWORD@127.0.0.1:${redis.port}`, true)
    await useAll(gateways)
    expect(redis.cli('ACL', 'LOG')).toBe('')
    for (const { url } of gateways) expect(await metricsOf(url)).toContain('lms_redis_failures_total 0')
    expect(MORE.filter((right) => !commandsIn(redis).includes(right.slice(1)))).toEqual([])
  })

  it('is reached by its variables, and takes the settings of its memory', async () => {
    const settings = block('maxmemory ')
      .split('\n')
      .flatMap((line) => {
        const [name, value] = line.split(' ') as [string, string]
        return [`--${name}`, value.replaceAll('"', '')]
      })
    const redis = await startRedis(...settings)
    expect(redis.cli('CONFIG', 'GET', 'maxmemory-policy')).toContain('allkeys-lru')
    redis.cli('ACL', 'SETUSER', ...RIGHTS)
    const { REDIS_URL } = variablesOf(block('REDIS_URL=redis://'))
    expect(REDIS_URL).toContain('@10.0.0.3:6379')
    const gateway = command({ REDIS_URL: REDIS_URL?.replace('10.0.0.3:6379', `127.0.0.1:${redis.port}`) as string }, await startSite())
    await connected(await gateway.address())
  })

  it.each(['allkeys-lru', 'allkeys-random'])('shows nothing old when its memory is too small, with the policy %s', async (policy) => {
    const redis = await startRedis('--maxmemory', '2mb', '--maxmemory-policy', policy)
    const [one, two] = await gatewaysAt(redis.url)
    const admin = { authorization: authorizationOf('admin') }
    const post = async (gateway: Served, query: string, headers?: Record<string, string>) =>
      (await (await gateway.post({ query }, headers)).json()) as any
    const { data } = await post(one, '{ courses(first: 20) { nodes { databaseId } } }')
    const ids = data.courses.nodes.map(({ databaseId }: { databaseId: number }) => databaseId)
    const evicted = (): number => Number(/evicted_keys:(\d+)/.exec(redis.cli('INFO', 'stats'))?.[1])
    const old: string[] = []
    for (let round = 0; round < 12 || evicted() === 0; round++) {
      if (round === 100) throw new Error('Nothing was evicted.')
      const id = ids[round % ids.length]
      for (const gateway of [one, two])
        await post(
          gateway,
          `{ course(id: ${id}) { title } courses(first: 50, offset: ${round}) { nodes { content lessons(first: 20) { nodes { content } } } } }`,
        )
      const { errors } = await post(
        round % 2 ? one : two,
        `mutation { updateCourse(input: { id: ${id}, title: "Round ${round}" }) { __typename } }`,
        admin,
      )
      expect(errors).toBeUndefined()
      for (const gateway of [one, two]) {
        const { data } = await post(gateway, `{ course(id: ${id}) { title } }`)
        if (data.course.title !== `Round ${round}`) old.push(`${round}: ${data.course.title}`)
      }
    }
    console.log(`${evicted()} keys evicted`)
    expect(old).toEqual([])
  })

  it('shows nothing old after a change and the loss of all keys', async () => {
    const redis = await startRedis()
    const [one, two] = await gatewaysAt(redis.url)
    const admin = { authorization: authorizationOf('admin') }
    const post = async (gateway: Served, query: string) => ((await (await gateway.post({ query }, admin)).json()) as any).data
    const id = (await post(one, '{ courses(first: 1) { nodes { databaseId } } }')).courses.nodes[0].databaseId
    redis.cli('FLUSHALL')
    const title = async () => (await post(one, `{ course(id: ${id}) { title } }`)).course.title
    const before = await title()
    await post(two, `mutation { updateCourse(input: { id: ${id}, title: "Another one" }) { __typename } }`)
    redis.cli('FLUSHALL')
    expect([before, await title()]).toEqual([expect.not.stringMatching('Another one'), 'Another one'])
  })

  it.skipIf(!canSecure)('is reached with TLS when its authority is known', async () => {
    const secured = new Secured('http://127.0.0.1')
    closing.push(() => secured.close())
    const { certificate } = await secured.start(30)
    secured.stop()
    const port = await freePort()
    const files = ['--tls-cert-file', certificate, '--tls-key-file', certificate.replace(/pem$/, 'key'), '--tls-ca-cert-file', certificate]
    await startRedis('--tls-port', String(port), ...files, '--tls-auth-clients', 'no')
    const variables = variablesOf(block('rediss://'))
    expect(Object.keys(variables)).toEqual(['TRUSTED_CA_FILE', 'REDIS_URL'])
    const REDIS_URL = variables.REDIS_URL?.replace('10.0.0.3:6380', `127.0.0.1:${port}`) as string
    const site = await startSite()
    const unknown = command({ REDIS_URL }, site)
    await unknown.address()
    await expect.poll(() => unknown.printed).toMatch(/"reason":"self-signed certificate[^"]*","msg":"Redis cannot be reached"/)
    await connected(await command({ REDIS_URL, TRUSTED_CA_FILE: certificate }, site).address())
  })
})
