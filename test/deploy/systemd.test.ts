import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/index.js'
import { childrenOf, isAlive, sleep, TELLS, until } from '../cluster/hosted.js'
import { HeldSite } from '../hosts/host.js'
import { authorizationOf } from '../support/world.js'

const DEPLOY = new URL('../../deploy/systemd/', import.meta.url)
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const text = (name: string): string => readFileSync(new URL(name, DEPLOY), 'utf8')

/** The lines `Key=value` of a unit, in order. */
const entries = (unit: string): (readonly [string, string])[] =>
  unit
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
const all = (unit: string, key: string): string[] =>
  entries(unit)
    .filter(([name]) => name === key)
    .map(([, value]) => value)

const unit = text('lms-graphql.service')
const account = text('service-account.conf')
const one = (key: string): string => {
  const values = all(unit, key)
  expect([key, values.length]).toEqual([key, 1])
  return values[0] as string
}

const KEY = 'first-key-0123456789'
const QUERY = '{ course(id: 10001) { title } }'

/** A folder in place of the root of the machine: the program, the settings, and the files of secrets. */
class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'lms-graphql-unit-'))

  constructor(site: HeldSite) {
    const program = this.map('/usr/bin/lms-graphql')
    mkdirSync(dirname(program), { recursive: true })
    // As `npm install --global` does.
    symlinkSync(CLI, program)
    const settings = this.map('/etc/lms-graphql/lms-graphql.yaml')
    mkdirSync(dirname(settings), { recursive: true })
    const shipped = text('lms-graphql.yaml')
    // Requests may take long on a busy machine.
    const own = { upstream: site.site.url, port: 0, preset: 'lms', drainTimeout: 100_000 }
    const replaced = Object.entries(own).reduce((yaml, [key, value]) => {
      const line = new RegExp(`^${key}: .*$`, 'm')
      expect(yaml).toMatch(line)
      return yaml.replace(line, `${key}: ${value}`)
    }, shipped)
    writeFileSync(settings, replaced)
    writeFileSync(this.map('/etc/lms-graphql/lms-password'), 'admin-demo\n')
    writeFileSync(this.map('/etc/lms-graphql/api-keys'), `${KEY}\n`)
  }

  map(path: string): string {
    return join(this.root, path)
  }

  /** A command line of the unit, with the paths of this folder. */
  command(line: string, pid = 0): readonly [string, ...string[]] {
    const words = line
      .split(' ')
      .map((word) => (word === '$MAINPID' ? String(pid) : /^\/(usr\/bin\/lms|etc)/.test(word) ? this.map(word) : word))
    return words as [string, ...string[]]
  }

  /** The environment of the service, with the folder of credentials as systemd makes it. */
  environment(...units: readonly string[]): Record<string, string> {
    const credentials = this.map('/run/credentials')
    mkdirSync(credentials, { recursive: true })
    for (const [name, path] of units.flatMap((each) => all(each, 'LoadCredential')).map((each) => each.split(':') as [string, string])) {
      copyFileSync(this.map(path), join(credentials, name))
      chmodSync(join(credentials, name), 0o400)
    }
    const pairs = units.flatMap((each) => all(each, 'Environment')).map((pair) => pair.replaceAll('%d', credentials))
    return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
  }

  close(): void {
    rmSync(this.root, { recursive: true })
  }
}

/** Every process below another one. */
const treeOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...treeOf(child)])

describe('the unit of systemd', () => {
  it('runs the program itself, with settings that the command takes', () => {
    const [program, ...argv] = one('ExecStart').split(' ') as [string, ...string[]]
    expect(program).toBe('/usr/bin/lms-graphql')
    const result = readConfig(argv, {}, (path) => {
      expect(path).toBe('/etc/lms-graphql/lms-graphql.yaml')
      return text('lms-graphql.yaml')
    })
    if (result.kind !== 'config') throw new Error(JSON.stringify(result))
    // A single process would end by the signal of a reload.
    expect(result.config.workers).toBeGreaterThan(1)
    expect(Number(one('TimeoutStopSec')) * 1000).toBeGreaterThan(result.config.drainTimeout + 10_000)
    expect([one('KillMode'), one('Restart'), one('ExecReload')]).toEqual(['mixed', 'on-failure', '/bin/kill -HUP $MAINPID'])
  })

  const verify = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
  const missing = verify.status === 0 || process.env.CI ? '' : ' (skipped: there is no systemd-analyze)'

  it.skipIf(missing !== '')(`is accepted by systemd, with its drop-in${missing}`, async () => {
    const site = await HeldSite.start()
    const machine = new Machine(site)
    try {
      const folder = machine.map('/units')
      mkdirSync(join(folder, 'lms-graphql.service.d'), { recursive: true })
      writeFileSync(join(folder, 'lms-graphql.service'), unit.replace(one('ExecStart'), machine.command(one('ExecStart')).join(' ')))
      writeFileSync(join(folder, 'lms-graphql.service.d', 'service-account.conf'), account)
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, 'lms-graphql.service')], {
        encoding: 'utf8',
      })
      const about = `${stdout}${stderr}`.split('\n').filter((line) => /lms-graphql|service-account/.test(line))
      expect([status, about]).toEqual([0, []])
      const exposure = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(folder, 'lms-graphql.service')], {
        encoding: 'utf8',
      })
      expect(Number(/Overall exposure level for lms-graphql\.service: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(1.3)
    } finally {
      machine.close()
      await site.close()
    }
  })
})

describe.skipIf(!TELLS && !process.env.CI)('the processes of the unit', () => {
  let site: HeldSite
  let machine: Machine
  let main: ChildProcess | undefined
  beforeAll(async () => {
    site = await HeldSite.start()
    machine = new Machine(site)
  })
  afterEach(() => {
    if (main?.pid !== undefined) for (const pid of [main.pid, ...treeOf(main.pid)]) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    main = undefined
  })
  afterAll(async () => {
    machine?.close()
    await site?.close()
  })

  /** Starts the service as systemd does: its command line, its environment and nothing else. Returns its address. */
  async function start(...units: readonly string[]): Promise<string> {
    return startBy([], ...units)
  }

  /** The same, by a program that takes the command line. */
  async function startBy(tracer: readonly string[], ...units: readonly string[]): Promise<string> {
    const [program, ...argv] = [...tracer, ...machine.command(one('ExecStart'))] as [string, ...string[]]
    const env = { PATH: process.env.PATH, ...machine.environment(...units) }
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], env })
    main = child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    await until(() => /http:\/\/[\w.:]+\/graphql/.test(output) || child.exitCode !== null)
    const url = /http:\/\/[\w.:]+\/graphql/.exec(output)?.[0]
    if (url === undefined) throw new Error(`The service has ended: ${output}`)
    return url
  }

  const ask = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<any> => {
    const sent = { 'content-type': 'application/json', connection: 'close', ...headers }
    return (await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify({ query: QUERY }) })).json()
  }
  const pid = (): number => main?.pid as number

  it('are the program and its workers: no other process takes signals', async () => {
    await start(unit)
    // `#!/usr/bin/env node` replaces itself, so the main process is Node.
    expect(readlinkSync(`/proc/${pid()}/exe`)).toBe(readlinkSync('/proc/self/exe'))
    const workers = treeOf(pid())
    expect(workers).toHaveLength(2)
    for (const worker of workers) expect(readlinkSync(`/proc/${worker}/exe`)).toBe(readlinkSync('/proc/self/exe'))
  })

  it('answer requests that run when the service is stopped, and none is left', async () => {
    const url = await start(unit)
    const tree = [pid(), ...treeOf(pid())]
    site.held = 'sfwd-courses'
    const answers = [ask(url), ask(url, { authorization: authorizationOf('admin') })]
    await until(() => site.waits >= 2)
    const ended = once(main as ChildProcess, 'exit')
    process.kill(pid(), 'SIGTERM')
    await until(() => isListening(url), false)
    expect(tree.filter(isAlive)).toEqual(tree)
    site.release()
    for (const { data } of await Promise.all(answers)) expect(data.course.title).toEqual(expect.any(String))
    expect(await ended).toEqual([0, null])
    expect(tree.filter(isAlive)).toEqual([])
    expect(processesOf(machine.root)).toEqual([])
  })

  it('are replaced by a reload, while requests are answered', async () => {
    const url = await start(unit)
    const before = treeOf(pid())
    site.held = 'sfwd-courses'
    const answer = ask(url)
    await until(() => site.waits >= 1)
    const [kill, ...argv] = machine.command(one('ExecReload'), pid())
    execFileSync(kill, argv)
    // The worker that answers ends before its successor starts.
    await sleep(500)
    site.release()
    expect((await answer).data.course.title).toEqual(expect.any(String))
    await until(() => before.filter(isAlive).length, 0)
    await until(() => treeOf(pid()).length, 2)
    expect((await ask(url)).data.course.title).toEqual(expect.any(String))
    const tree = [pid(), ...treeOf(pid())]
    const ended = once(main as ChildProcess, 'exit')
    process.kill(pid(), 'SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(tree.filter(isAlive)).toEqual([])
  })

  it('lose no request when they are reloaded under load', async () => {
    const url = await start(unit)
    const before = treeOf(pid())
    let goesOn = true
    const answers: any[] = []
    const lanes = Array.from({ length: 8 }, async () => {
      while (goesOn) answers.push(await ask(url))
    })
    await until(() => answers.length > 50)
    const [kill, ...argv] = machine.command(one('ExecReload'), pid())
    execFileSync(kill, argv)
    await until(() => before.filter(isAlive).length, 0)
    const answered = answers.length
    await until(() => answers.length > answered + 50)
    goesOn = false
    // A request that is refused or cut off rejects.
    await Promise.all(lanes)
    expect(answers.filter(({ data }) => typeof data?.course?.title !== 'string')).toEqual([])
  })

  const traced = spawnSync('strace', ['-V']).status === 0 && spawnSync('systemd-analyze', ['--version']).status === 0
  const untraced = traced || process.env.CI ? '' : ' (skipped: there is no strace, or no systemd-analyze)'

  it.skipIf(untraced !== '')(`make no system call that ends them${untraced}`, async () => {
    const report = machine.map('/system-calls')
    const url = await startBy(['strace', '-f', '-c', '-o', report], unit)
    expect((await ask(url)).data.course.title).toEqual(expect.any(String))
    const [traced] = childrenOf(pid())
    const [kill, ...argv] = machine.command(one('ExecReload'), traced as number)
    const before = childrenOf(traced as number)
    execFileSync(kill, argv)
    await until(() => before.filter(isAlive).length, 0)
    const ended = once(main as ChildProcess, 'exit')
    process.kill(traced as number, 'SIGTERM')
    expect(await ended).toEqual([0, null])
    const calls = [...readFileSync(report, 'utf8').matchAll(/^ *[\d.]+ .* (\w+)$/gm)].map(([, name]) => name as string)
    expect(calls).toEqual(expect.arrayContaining(['epoll_ctl', 'execve', 'read']))
    const allowed = allowedCalls(all(unit, 'SystemCallFilter'))
    expect(calls.filter((name) => name !== 'total' && !allowed.has(name))).toEqual([])
  })

  it('read the secrets of a service account from credentials', async () => {
    const url = await start(unit, account.replace('LMS_USER=gateway', 'LMS_USER=admin'))
    expect(await ask(url, { 'x-api-key': KEY })).toEqual({ data: { course: { title: expect.any(String) } } })
    expect((await ask(url)).errors[0].extensions.code).toBe('UNAUTHENTICATED')
    for (const worker of [pid(), ...treeOf(pid())]) expect(readFileSync(`/proc/${worker}/environ`, 'utf8')).not.toContain('admin-demo')
  })
})

/** The system calls that lines of `SystemCallFilter` allow: each line adds calls and sets of calls, or with `~` takes them away. */
function allowedCalls(lines: readonly string[]): ReadonlySet<string> {
  const members = (name: string): string[] =>
    name.startsWith('@')
      ? execFileSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' })
          .split('\n')
          .slice(1)
          .map((line) => line.trim())
          .filter((line) => line !== '' && !line.startsWith('#'))
          .flatMap(members)
      : [name]
  const allowed = new Set<string>()
  for (const line of lines) {
    const calls = line.replace(/^~/, '').split(' ').flatMap(members)
    for (const call of calls) line.startsWith('~') ? allowed.delete(call) : allowed.add(call)
  }
  return allowed
}

/** Whether a new connection is accepted. */
const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })

/** Processes whose command line names a folder. */
const processesOf = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder)
      } catch {
        // It has ended meanwhile.
        return false
      }
    })
