import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../src/lms/index.js'
import { exchange, piecesOf } from './server/raw.js'
import { CLI, Command, type Ended } from './support/command.js'
import { FakeSite } from './support/site.js'
import { authorizationOf } from './support/world.js'

// The log of the built command: its lines, their format, and what must not be in it.

type Line = Record<string, any>

let lms: RunningLms
let site: FakeSite
beforeAll(async () => {
  lms = await startLms()
  site = await FakeSite.start()
})
afterAll(async () => {
  await site.close()
  await lms.close()
})
const commands: Command[] = []
afterEach(async () => {
  for (const command of commands.splice(0)) await command.stop('SIGKILL')
})

function start(argv: readonly string[], env: Record<string, string> = {}): Command {
  const command = new Command(['--port', '0', '--upstream', lms.url, '--trusted-proxies', '127.0.0.1', ...argv], env)
  commands.push(command)
  return command
}

/** The line that `docs/observing.md` shows. */
const SHOWN: Line = JSON.parse(/^\{"level".*$/m.exec(readFileSync(new URL('../docs/observing.md', import.meta.url), 'utf8'))?.[0] ?? '{}')

const PRODUCTION = { NODE_ENV: 'production' }

async function post(address: string, request: object, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  await response.text()
  return response.status
}

/** Every printed line, parsed as a JSON object. */
const linesIn = ({ stdout }: Ended): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const NAMED = 'query Named { course(id: 10001) { title } }'

describe('in production', () => {
  it('every line is a JSON object, and the first has the address', async () => {
    const command = start([], PRODUCTION)
    const address = await command.address()
    for (let times = 0; times < 3; times++) await post(address, { query: NAMED }, { 'x-request-id': `run-${times}` })
    await post(address, { query: '{ course(id: 10001) { titleRaw title } }' })
    await post(address, { query: 'query {' })
    await (await fetch(`${address}/health/live`)).text()
    const ended = await command.stop()
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    const [first, ...lines] = linesIn(ended)
    expect(first).toEqual({
      level: 'info',
      time: expect.any(Number),
      msg: `lms-graphql: GraphQL at ${address}/graphql, in front of ${lms.url}`,
    })
    // Buffered lines are written before the exit.
    expect(lines.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'partial', 'refused'])
    // The line that docs/observing.md shows has the same members.
    const typed = (line: Line | undefined) => Object.entries(line ?? {}).map(([name, value]) => `${name}: ${typeof value}`)
    expect(typed({ ...SHOWN, operation: null, codes: {} })).toEqual(typed({ ...lines[3], codes: {} }))
    expect(lines[0]).toEqual({
      level: 'info',
      time: expect.any(Number),
      pid: command.child.pid,
      requestId: 'run-0',
      client: '127.0.0.1',
      caller: 'anonymous',
      operation: 'Named',
      kind: 'query',
      outcome: 'ok',
      status: 200,
      duration: expect.any(Number),
      calls: 1,
      msg: 'operation',
    })
  })

  it('lines are written while it runs, and are complete under load', async () => {
    const command = start([], PRODUCTION)
    const address = await command.address()
    let seen = ''
    command.child.stdout.on('data', (chunk) => {
      seen += chunk
    })
    await post(address, { query: NAMED }, { 'x-request-id': 'alone' })
    await expect.poll(() => seen, { timeout: 5_000 }).toContain('"requestId":"alone"')
    const ids = Array.from({ length: 200 }, (_, each) => `load-${each}`)
    for (let at = 0; at < ids.length; at += 40)
      await Promise.all(ids.slice(at, at + 40).map((id) => post(address, { query: '{ __typename }' }, { 'x-request-id': id })))
    const lines = linesIn(await command.stop()).slice(2)
    expect(lines.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort())
  })

  it('a client that disconnects has a line, also when the gateway ends before the site answers', async () => {
    const command = new Command(['--port', '0', '--upstream', site.url], PRODUCTION)
    commands.push(command)
    const address = await command.address()
    site.handler = () => {}
    const leaving = httpRequest(`${address}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    leaving.on('error', () => {})
    leaving.end(JSON.stringify({ query: 'query Left { priceTypes { slug } }' }))
    await expect.poll(() => site.open).toBe(1)
    leaving.destroy()
    await expect.poll(() => site.open).toBe(0)
    expect(linesIn(await command.stop())[1]).toMatchObject({ operation: 'Left', outcome: 'cancelled', status: 0, calls: 1 })
  })
})

describe('in development', () => {
  it('lines are sentences after the line with the address', async () => {
    const command = start(['--log-level', 'debug'])
    const address = await command.address()
    await post(address, { query: NAMED }, { 'x-request-id': 'mine' })
    await post(address, { query: '{ nothing }' })
    const change = 'mutation { updateCourse(input: { id: 10001, customButtonLabel: "Go" }) { __typename } }'
    await post(address, { query: change }, { 'x-request-id': 'changing' })
    await (await fetch(`${address}/health/live`)).text()
    const { stdout } = await command.stop()
    const [first, ...all] = stdout.trimEnd().split('\n')
    expect(first).toBe(`lms-graphql: GraphiQL and GraphQL at ${address}/graphql, in front of ${lms.url}`)
    const lines = all.filter((line) => !/(REST call POST|INFO: mutation).*\[changing\]$/.test(line))
    expect(lines).toEqual([
      expect.stringMatching(/^\[[\d:.]+\] DEBUG: REST call GET v1\/sfwd-courses\/:id: 200 \([\d.]+ ms, \d+ bytes\) \[mine\]$/),
      expect.stringMatching(
        /^\[[\d:.]+\] INFO: query Named: ok \(200, [\d.]+ ms, REST calls: 1\) by anonymous from 127\.0\.0\.1 \[mine\]$/,
      ),
      expect.stringMatching(
        /^\[[\d:.]+\] INFO: query: refused GRAPHQL_VALIDATION_FAILED \(200, [\d.]+ ms, REST calls: 0\) by anonymous from 127\.0\.0\.1 \[[\da-f-]{36}\]$/,
      ),
      expect.stringMatching(
        /^\[[\d:.]+\] INFO: updateCourse of Course 10001: UNAUTHENTICATED by anonymous from 127\.0\.0\.1 \[changing\]$/,
      ),
      expect.stringMatching(/^\[[\d:.]+\] DEBUG: GET \/health\/live: 200 \([\d.]+ ms\) from 127\.0\.0\.1 \[[\da-f-]{36}\]$/),
    ])
  })
})

describe('settings', () => {
  it('of the level limit the lines, but never hide the address', async () => {
    const shown = { info: ['operation'], warn: [], error: [], silent: [], debug: ['call', 'operation'] }
    const seen = Object.keys(shown).map(async (level) => {
      const command = start(['--log-format', 'json'], { LOG_LEVEL: level })
      const address = await command.address()
      await post(address, { query: NAMED })
      const [first, ...lines] = linesIn(await command.stop())
      expect(first?.msg).toContain(address)
      return [level, lines.map(({ msg }) => msg)] as const
    })
    expect(Object.fromEntries(await Promise.all(seen))).toEqual(shown)
  })

  it('for variables show them without secrets', async () => {
    const query = 'query V($id: ID!, $p: String) { course(id: $id, password: $p) { title } }'
    const command = start(['--log-variables'], PRODUCTION)
    const address = await command.address()
    await post(address, { query, variables: { id: 10001, p: 'hush', token: 'hush' } })
    const ended = await command.stop()
    expect(linesIn(ended)[1]?.variables).toEqual({ id: 10001, p: '[redacted]', token: '[redacted]' })
    expect(ended.stdout).not.toContain('hush')
  })
})

describe('secrets', () => {
  const SECRETS = ['hush-password', 'hush-variable', 'hush-key', 'hush-cookie', 'hush-nonce', 'hush-meta', 'hush-query', 'hush-user']
  const [password, variable, key, cookie, nonce, meta, inQuery, user] = SECRETS

  it.each([
    ['debug', 'json', 'plain', ['hush-user']],
    ['debug', 'pretty', 'plain', ['hush-user']],
    ['debug', 'json', 'hashed', []],
    ['debug', 'pretty', 'none', []],
  ])('stand nowhere in a log at %s as %s, and user names with %s callers: %j', async (level, format, callers, shown) => {
    const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const command = start(['--log-level', level, '--log-format', format, '--log-callers', callers, '--forward-cookie'])
    const address = await command.address()
    const credentials = [
      { authorization: basic },
      { authorization: authorizationOf('admin') ?? '' },
      { 'x-api-key': `${key}`, cookie: `wordpress_a=${cookie}`, 'x-wp-nonce': `${nonce}` },
    ]
    const ask = `{ course(id: 10001, password: "${password}") { title } courses(where: { search: "${inQuery}" }) { totalCount } }`
    const byVariable = 'query P($p: String) { course(id: 10001, password: $p) { title } }'
    const write = `mutation { updateCourse(input: { id: 10001, password: "${password}", meta: { a: "${meta}" } }) { __typename } }`
    for (const headers of credentials)
      for (const request of [
        { query: ask },
        { query: byVariable, variables: { p: variable } },
        { query: write },
        { query: `{ "${password}` },
      ])
        await post(address, request, headers as Record<string, string>)
    await exchange(address, piecesOf({ method: 'GET', path: `/graphql?query=${encodeURIComponent(ask)}` }))
    await exchange(address, piecesOf({ method: 'GET', path: `/health/live?token=${inQuery}` }))
    const { stdout, stderr } = await command.stop()
    const log = `${stdout}${stderr}`
    expect(log.split('\n').length).toBeGreaterThan(25)
    expect(SECRETS.filter((secret) => log.includes(secret))).toEqual(shown)
    for (const { authorization = 'Basic' } of credentials) expect(log).not.toContain(authorization)
  })
})

describe('a reader', () => {
  it.each(['json', 'pretty'])('that closes its pipe blocks neither responses nor the exit: %s', async (format) => {
    const command = start(['--log-format', format])
    const address = await command.address()
    command.child.stdout.destroy()
    for (let times = 0; times < 20; times++) expect(await post(address, { query: NAMED })).toBe(200)
    const { code, stderr } = await command.stop()
    expect([code, stderr]).toEqual([0, ''])
  })

  it('that is slow gets every line', async () => {
    const command = start(['--log-format', 'json', '--log-level', 'debug'])
    const address = await command.address()
    command.child.stdout.pause()
    const query = `{ ${Array.from({ length: 40 }, (_, i) => `q${i}: question(id: ${500_001 + i}) { title }`).join(' ')} }`
    for (let times = 0; times < 40; times++) expect(await post(address, { query })).toBe(200)
    setTimeout(() => command.child.stdout.resume(), 300)
    const ended = await command.stop()
    expect(ended.stdout.length).toBeGreaterThan(250_000)
    expect(linesIn(ended).filter(({ msg }) => msg === 'call')).toHaveLength(1_600)
    expect(linesIn(ended).filter(({ msg }) => msg === 'operation')).toHaveLength(40)
  })
})

/** The lines of a text. */
const parsed = (text: string): Line[] => linesIn({ code: 0, stdout: text, stderr: '' })

/** A run of the command whose standard output is a file. */
class Redirected {
  private readonly child: ChildProcess

  constructor(path: string, argv: readonly string[]) {
    const script = 'path=$1; shift; exec "$@" >>"$path"'
    const command = [process.execPath, CLI, '--port', '0', '--upstream', lms.url, '--trusted-proxies', '127.0.0.1', ...argv]
    this.child = spawn('sh', ['-c', script, 'sh', path, ...command], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, ...PRODUCTION },
    })
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    const ended = once(this.child, 'exit')
    this.child.kill(signal)
    return (await ended)[0]
  }
}

const addressIn = (text: string): string => /http:[^ ]+(?=\/graphql)/.exec(text)?.[0] ?? ''

/** A disk that can be filled. Undefined without the right to mount one. */
function mountDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-log-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

const disk = mountDisk()
afterAll(() => {
  if (disk === undefined) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

describe.skipIf(disk === undefined && process.env.CI !== 'true')(
  `a full disk${disk === undefined ? ' (skipped: no right to mount one)' : ''}`,
  () => {
    const ballast = join(disk as string, 'ballast')
    /** Leaves room for some lines. */
    const fill = (left: number): void => {
      const { bavail, bsize } = statfsSync(disk as string)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - left))
    }
    const isFull = (): boolean => statfsSync(disk as string).bavail === 0

    it('delays lines until there is room again, and none is lost, doubled or cut', async () => {
      const path = join(disk as string, 'delayed.log')
      const gateway = new Redirected(path, [])
      try {
        const text = (): string => readFileSync(path, 'utf8')
        await expect.poll(() => addressIn(text()), { timeout: 20_000 }).not.toBe('')
        const address = addressIn(text())
        const ids = Array.from({ length: 300 }, (_, each) => `disk-${each}`)
        fill(20_000)
        for (const id of ids.slice(0, 200)) expect(await post(address, { query: '{ __typename }' }, { 'x-request-id': id })).toBe(200)
        await expect.poll(isFull).toBe(true)
        expect(text()).not.toContain('disk-199')
        rmSync(ballast)
        await expect.poll(text).toContain('disk-199')
        for (const id of ids.slice(200)) await post(address, { query: '{ __typename }' }, { 'x-request-id': id })
        await expect.poll(() => text().split('}\n').length).toBeGreaterThanOrEqual(302)
        expect(parsed(text()).flatMap(({ requestId }) => requestId ?? [])).toEqual(ids)
        expect(await gateway.stop()).toBe(0)
      } finally {
        rmSync(ballast, { force: true })
        await gateway.stop('SIGKILL')
      }
    })

    it('for long drops lines, which the metrics count, and one line says how many', { timeout: 120_000 }, async () => {
      const path = join(disk as string, 'dropped.log')
      const gateway = new Redirected(path, ['--metrics', '--log-variables'])
      try {
        const text = (): string => readFileSync(path, 'utf8')
        await expect.poll(() => addressIn(text()), { timeout: 20_000 }).not.toBe('')
        const address = addressIn(text())
        const counted = async (): Promise<number> =>
          Number(/^lms_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1])
        expect(await counted()).toBe(0)
        // About 40 kB in a line.
        const variables = Object.fromEntries(Array.from({ length: 199 }, (_, each) => [`v${each}`, 'x'.repeat(200)]))
        const send = (each: number) => post(address, { query: '{ __typename }', variables }, { 'x-request-id': `drop-${each}` })
        fill(100_000)
        for (let each = 0; each < 600; each++) expect(await send(each)).toBe(200)
        await expect.poll(counted).toBeGreaterThan(100)
        await new Promise((resolve) => setTimeout(resolve, 300))
        const dropped = await counted()
        rmSync(ballast)
        await expect.poll(text, { timeout: 20_000 }).toContain('droppedLines')
        expect(await send(600)).toBe(200)
        await expect.poll(text).toContain('"drop-600"')
        const lines = parsed(text()).slice(1)
        const at = lines.findIndex(({ droppedLines }) => droppedLines !== undefined)
        expect(lines[at]).toEqual({
          level: 'warn',
          time: expect.any(Number),
          droppedLines: dropped,
          msg: 'lines of the log were dropped',
        })
        const kept = 600 - dropped
        expect(lines.slice(0, at).map(({ requestId }) => requestId)).toEqual(Array.from({ length: kept }, (_, each) => `drop-${each}`))
        expect(lines.slice(at + 1).map(({ requestId }) => requestId)).toEqual(['drop-600'])
        expect(await counted()).toBe(dropped)
      } finally {
        rmSync(ballast, { force: true })
        await gateway.stop('SIGKILL')
      }
    })

    it('does not keep the process from ending', async () => {
      const path = join(disk as string, 'ending.log')
      const gateway = new Redirected(path, [])
      try {
        await expect.poll(() => addressIn(readFileSync(path, 'utf8')), { timeout: 20_000 }).not.toBe('')
        const address = addressIn(readFileSync(path, 'utf8'))
        fill(0)
        for (let each = 0; each < 50; each++) await post(address, { query: '{ __typename }' })
        await expect.poll(isFull).toBe(true)
        expect(await gateway.stop()).toBe(0)
      } finally {
        rmSync(ballast, { force: true })
        await gateway.stop('SIGKILL')
      }
    })
  },
)

describe('a named pipe', () => {
  it('gets every line in order, although its reader ends in the middle of a line and another one comes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-pipe-'))
    const path = join(folder, 'log')
    execFileSync('mkfifo', [path])
    let received = ''
    const chunk = Buffer.alloc(1_000)
    const open = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    /** Reads what is there, up to this many bytes. */
    const read = (reader: number, most = Number.POSITIVE_INFINITY): string => {
      const start = received.length
      try {
        while (received.length - start < most) {
          const length = readSync(reader, chunk, 0, chunk.length, null)
          if (length === 0) break
          received += chunk.toString('latin1', 0, length)
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      }
      return received
    }
    const reader = open()
    const gateway = new Redirected(path, [])
    try {
      await expect.poll(() => addressIn(read(reader)), { timeout: 20_000 }).not.toBe('')
      const address = addressIn(received)
      const ids = Array.from({ length: 900 }, (_, each) => `pipe-${each}`)
      const send = async (from: number, to: number): Promise<void> => {
        for (const id of ids.slice(from, to)) expect(await post(address, { query: '{ __typename }' }, { 'x-request-id': id })).toBe(200)
      }
      // More than the pipe holds, of which some is read.
      await send(0, 500)
      await expect.poll(() => read(reader, 3_000).length).toBeGreaterThan(6_000)
      expect(received.endsWith('\n')).toBe(false)
      closeSync(reader)
      await send(500, 700)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const next = open()
      await send(700, 900)
      await expect.poll(() => read(next), { timeout: 10_000, interval: 20 }).toContain('pipe-899')
      expect(parsed(received).flatMap(({ requestId }) => requestId ?? [])).toEqual(ids)
      expect(await gateway.stop()).toBe(0)
      closeSync(next)
    } finally {
      await gateway.stop('SIGKILL')
      rmSync(folder, { recursive: true })
    }
  })
})
