import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { SignJWT } from 'jose'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { DEMO_USERS, type RunningLms, startLms } from '../../src/lms/index.js'
import { getOrMake } from '../../src/maps.js'
import { CLI, UNLIMITED_FLAGS } from '../support/command.js'
import { Random } from '../support/random.js'
import { OPERATIONS_FOLDER, SAVED_OPERATIONS } from '../support/saved-operations.js'
import { lineOf, runWith, type Usage } from './logs.js'

// The logs of two gateways under load, against what was sent. `OPERATIONS=100000 LINES=1000000` make it larger.

const OPERATIONS = Number(process.env.OPERATIONS ?? 4_000)
const LINES = Number(process.env.LINES ?? 100_000)

const FOLDER = mkdtempSync(join(tmpdir(), 'lms-graphql-logs-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

/** Prints the most memory that a process has used, in kilobytes, when it ends. */
const SHOWS_MEMORY = ['--import', 'data:text/javascript,process.on("exit",()=>console.error("kB",process.resourceUsage().maxRSS))']

/** The usage in a log of the folder of this repository, with the seconds and the memory of the command. */
async function measured(log: AsyncIterable<string> | Iterable<string>) {
  const start = performance.now()
  const { code, stdout, stderr } = await runWith(log, ['usage', OPERATIONS_FOLDER, '--format', 'json'], SHOWS_MEMORY)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^kB \d+\n$/)])
  const megabytes = Math.round(Number(/\d+/.exec(stderr)) / 1_000)
  return { usage: JSON.parse(stdout) as Usage, seconds: Math.round(performance.now() - start) / 1_000, megabytes }
}

async function* textOf(...files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) {
    const handle = await open(file)
    yield* handle.createReadStream({ encoding: 'utf8' }) as AsyncIterable<string>
  }
}

describe('the logs of two gateways', () => {
  const KEYS = { shop: 'shop-0123456789abcdef', app: 'app-0123456789abcdef' }
  const { password } = DEMO_USERS.find(({ login }) => login === 'admin') as (typeof DEMO_USERS)[number]
  const TOKEN_KEY = 's3cret-0f-t0kens-0123456789-0123456789'
  const ENV = {
    NODE_ENV: 'production',
    LMS_USER: 'admin',
    LMS_PASSWORD: password,
    GATEWAY_API_KEYS: Object.entries(KEYS)
      .map((pair) => pair.join(':'))
      .join(),
    GATEWAY_OPEN: 'true',
    JWT_KEY: TOKEN_KEY,
    JWT_ISSUER: 'https://id.example.org',
    JWT_AUDIENCE: 'lms',
  }

  /** A gateway whose log is a file. */
  class Replica {
    private readonly child: ChildProcess

    constructor(
      upstream: string,
      readonly file: string,
    ) {
      const log = openSync(file, 'w')
      const argv = [CLI, '--port', '0', '--upstream', upstream, '--cache', '600', ...UNLIMITED_FLAGS]
      this.child = spawn(process.execPath, argv, { stdio: ['ignore', log, 'inherit'], env: { PATH: process.env.PATH, ...ENV } })
      closeSync(log)
    }

    async address(): Promise<string> {
      const found = (): string => /http:[^ ]+(?=\/graphql)/.exec(readFileSync(this.file, 'utf8'))?.[0] ?? ''
      while (found() === '' && this.child.exitCode === null) await sleep(50)
      return found()
    }

    async stop(): Promise<void> {
      if (this.child.exitCode !== null) return
      const ended = once(this.child, 'exit')
      this.child.kill('SIGTERM')
      await ended
    }
  }

  interface Sent {
    readonly name: string
    readonly client: string
    readonly outcome: 'ok' | 'error' | 'refused'
  }

  let lms: RunningLms
  const replicas: Replica[] = []
  const sent: Sent[] = []
  const files = ['one.log', 'two.log'].map((name) => join(FOLDER, name))
  let startedAt = ''
  let endedAt = ''

  beforeAll(async () => {
    lms = await startLms()
    replicas.push(...files.map((file) => new Replica(lms.url, file)))
    const addresses = await Promise.all(replicas.map((replica) => replica.address()))
    const token = await new SignJWT({ sub: 'ada@example.org' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ENV.JWT_ISSUER)
      .setAudience(ENV.JWT_AUDIENCE)
      .setExpirationTime('2h')
      .sign(Buffer.from(TOKEN_KEY))
    const callers: readonly (readonly [string, Record<string, string>])[] = [
      ['key:shop', { 'x-api-key': KEYS.shop }],
      ['key:app', { 'x-api-key': KEYS.app }],
      ['token', { authorization: `Bearer ${token}` }],
      ['anonymous', {}],
    ]
    const reading = SAVED_OPERATIONS.filter(({ kind }) => kind === 'query')
    const random = new Random(45)
    let left = OPERATIONS
    const next = (): readonly [name: string, body: object] => {
      const kind = random.int(1, 100)
      const saved = random.pick(reading)
      if (kind <= 55) return [saved.name, { query: saved.query, variables: saved.variables ?? {} }]
      // Another document under the name of an operation.
      if (kind <= 75) return [saved.name, { query: `query ${saved.name} { __typename }` }]
      if (kind <= 80) return [saved.name, { query: `query ${saved.name} { nothing }` }]
      if (kind <= 81)
        return [
          'ChangeAndAdd',
          { query: 'mutation ChangeAndAdd { updateCourse(input: { id: 10001, customButtonLabel: "Go" }) { __typename } }' },
        ]
      if (kind <= 90) return ['(unnamed)', { query: '{ __typename }' }]
      if (kind <= 95) return ['Elsewhere', { query: 'query Elsewhere { priceTypes { slug } }' }]
      const name = `Made${random.int(1, 1_000_000)}`
      return [name, { query: `query ${name} { __typename }` }]
    }
    const lane = async (client: Client): Promise<void> => {
      while (left-- > 0) {
        const [name, request] = next()
        const [caller, headers] = random.pick(callers)
        const { body } = await client.request({
          path: '/graphql',
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
          body: JSON.stringify(request),
        })
        const { data, errors } = (await body.json()) as { data?: object; errors?: object[] }
        sent.push({ name, client: caller, outcome: data === undefined ? 'refused' : errors ? 'error' : 'ok' })
      }
      await client.close()
    }
    startedAt = new Date().toISOString()
    const start = performance.now()
    await Promise.all(addresses.flatMap((address) => Array.from({ length: 8 }, () => lane(new Client(address)))))
    endedAt = new Date().toISOString()
    console.log(`${sent.length} operations were answered in ${Math.round((performance.now() - start) / 1_000)} seconds.`)
    for (const replica of replicas) await replica.stop()
  }, 1_200_000)
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
    await lms.close()
  })

  /** The figures of what was sent, as far as they do not depend on the time. */
  function figuresOf(some: readonly Sent[]) {
    const ran = some.filter(({ outcome }) => outcome !== 'refused')
    const clients: Record<string, number> = {}
    for (const { client } of ran) clients[client] = (clients[client] ?? 0) + 1
    return {
      count: ran.length,
      errors: ran.filter(({ outcome }) => outcome === 'error').length,
      refused: some.length - ran.length,
      clients,
    }
  }
  const shown = ({ count, errors, refused, clients }: Usage['unknown'][number]) => ({ count, errors, refused, clients })

  it('have the sums of what was sent: by operation, client and coordinate', async () => {
    const { usage, seconds, megabytes } = await measured(textOf(...files))
    console.log(`The usage in ${sent.length} operations took ${seconds} seconds and ${megabytes} MB.`)
    expect(usage.lines.operations).toBe(OPERATIONS)
    expect(usage.lines.dropped).toBe(0)
    const byName = new Map<string, Sent[]>()
    for (const each of sent) getOrMake(byName, each.name, () => []).push(each)
    for (const row of usage.operations) expect([row.name, shown(row)]).toEqual([row.name, figuresOf(byName.get(row.name) ?? [])])
    const saved = new Set(SAVED_OPERATIONS.map(({ name }) => name))
    const others = sent.filter(({ name }) => !saved.has(name))
    const sum = usage.unknown.reduce((total, { count, refused }) => total + count + refused, 0)
    expect(sum).toBe(others.length)
    expect(usage.unknown).toHaveLength(Math.min(101, new Set(others.map(({ name }) => name)).size))
    for (const row of usage.unknown)
      if (row.name !== '(others)') expect([row.name, shown(row)]).toEqual([row.name, figuresOf(byName.get(row.name) ?? [])])
    const moments = usage.operations.flatMap(({ first, last }) => (first === null || last === null ? [] : [first, last]))
    expect(moments.every((moment) => startedAt <= moment && moment <= endedAt)).toBe(true)
    // Fields and arguments, found in another way.
    const fields = new Map<string, Sent[]>()
    for (const { name, document } of SAVED_OPERATIONS) {
      const info = new TypeInfo(graphSchema())
      const found = new Set<string>()
      const enter = () => {
        const [type, field, argument] = [info.getParentType(), info.getFieldDef(), info.getArgument()]
        if (type && field && !field.name.startsWith('__')) found.add(`${type.name}.${field.name}${argument ? `(${argument.name}:)` : ''}`)
      }
      visit(document, visitWithTypeInfo(info, { Field: { enter }, Argument: { enter } }))
      for (const coordinate of found) fields.set(coordinate, [...(fields.get(coordinate) ?? []), ...(byName.get(name) ?? [])])
    }
    const coordinates = new Map(usage.coordinates.map((row) => [row.name, row]))
    for (const [coordinate, uses] of fields) {
      const row = coordinates.get(coordinate)
      expect([coordinate, row && shown(row)]).toEqual([coordinate, figuresOf(uses).count === 0 ? undefined : figuresOf(uses)])
    }
    expect(fields.size).toBeGreaterThan(100)
  })
})

describe('a log with made-up names', () => {
  it('takes no more memory the more names it has', async () => {
    async function* log(names: number) {
      for (let at = 0; at < LINES; at += 100)
        yield `${Array.from({ length: 100 }, (_, each) => lineOf(`Made${(at + each) % names}_${'x'.repeat(80)}`)).join('\n')}\n`
    }
    const few = await measured(log(10_000))
    const many = await measured(log(LINES))
    console.log(
      `${LINES} lines: 10,000 names ${few.megabytes} MB, ${few.seconds} s; all different ${many.megabytes} MB, ${many.seconds} s.`,
    )
    expect([few, many].map(({ usage }) => usage.unknown.reduce((sum, { count }) => sum + count, 0))).toEqual([LINES, LINES])
    expect(many.megabytes).toBeLessThan(few.megabytes + 40)
  })

  it('does not hold a line without an end', async () => {
    function* log(megabytes: number) {
      yield `${lineOf('Made')}\n`
      for (let each = 0; each < megabytes; each++) yield 'x'.repeat(1_000_000)
      yield `\n${lineOf('Made')}\n`
    }
    const [short, long] = [await measured(log(1)), await measured(log(300))]
    console.log(`A line of 300 MB: ${long.megabytes} MB, ${long.seconds} s; of 1 MB: ${short.megabytes} MB.`)
    expect(long.usage.lines).toEqual({ operations: 2, others: 1, dropped: 0 })
    expect(long.megabytes).toBeLessThan(short.megabytes + 100)
  })
})
