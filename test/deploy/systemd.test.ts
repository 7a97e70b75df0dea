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
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../src/options/read.js'
import { readPage } from '../docs/page.js'
import { freePort, HeldSite } from '../hosts/host.js'
import { childrenOf, isAlive, TELLS, until } from '../support/hosted.js'
import { authorizationOf } from '../support/world.js'
import { Front, GATEWAYS, lacks } from './haproxy.js'

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

const unit = text('lms-graphql@.service')
const account = text('service-account.conf')
const one = (key: string): string => {
  const values = all(unit, key)
  expect([key, values.length]).toEqual([key, 1])
  return values[0] as string
}

/** The words of the command line of an instance. */
const startOf = (instance: number): string[] =>
  one('ExecStart')
    .split(' ')
    .map((word) => (word === '%i' ? String(instance) : word))

const KEY = 'first-key-0123456789'
const QUERY = '{ course(id: 10001) { title } }'

/** A folder in place of the root of the machine: the program, the settings, and the files of secrets. */
class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'lms-graphql-unit-'))
  /** The text of its settings file. */
  readonly settings: string

  constructor(site: HeldSite) {
    const program = this.map('/usr/bin/lms-graphql')
    mkdirSync(dirname(program), { recursive: true })
    // As `npm install --global` does.
    symlinkSync(CLI, program)
    const settings = this.map('/etc/lms-graphql/lms-graphql.yaml')
    mkdirSync(dirname(settings), { recursive: true })
    const shipped = text('lms-graphql.yaml')
    // Requests may take long on a busy machine.
    const own = { url: site.site.url, preset: 'lms', drainTimeout: 100_000 }
    this.settings = Object.entries(own).reduce((yaml, [key, value]) => {
      const line = new RegExp(`^  ${key}: .*$`, 'm')
      expect(yaml).toMatch(line)
      return yaml.replace(line, `  ${key}: ${value}`)
    }, shipped)
    writeFileSync(settings, this.settings)
    writeFileSync(this.map('/etc/lms-graphql/lms-password'), 'admin-demo\n')
    writeFileSync(this.map('/etc/lms-graphql/api-keys'), `${KEY}\n`)
  }

  map(path: string): string {
    return join(this.root, path)
  }

  /** The command line of an instance, with the paths of this folder. */
  command(instance: number): readonly [string, ...string[]] {
    const words = startOf(instance).map((word) => (/^\/(usr\/bin\/lms|etc)/.test(word) ? this.map(word) : word))
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

describe('the unit of systemd', () => {
  it('runs the program itself, with settings that the command takes', () => {
    const [program, ...argv] = startOf(4001)
    expect(program).toBe('/usr/bin/lms-graphql')
    const result = readOptions(argv, {}, (path) => {
      expect(path).toBe('/etc/lms-graphql/lms-graphql.yaml')
      return text('lms-graphql.yaml')
    })
    if (result.kind !== 'options') throw new Error(JSON.stringify(result))
    const { port, drainTimeout } = result.options.http
    expect(port).toBe(4001)
    expect(Number(one('TimeoutStopSec')) * 1000).toBeGreaterThan(drainTimeout + 10_000)
    expect(one('Restart')).toBe('on-failure')
    // systemd takes an end by SIGHUP for a clean one.
    expect(one('RestartForceExitStatus')).toBe('SIGHUP')
    // Other ends than by wrong settings are followed by a start, however many there are.
    expect([one('StartLimitIntervalSec'), one('RestartPreventExitStatus')]).toEqual(['0', '2'])
    expect(one('MemoryMax')).toBe('512M')
  })

  const verify = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
  const missing = verify.status === 0 || process.env.CI ? '' : ' (skipped: there is no systemd-analyze)'

  it.skipIf(missing !== '')(`is accepted by systemd, with its drop-in${missing}`, async () => {
    const site = await HeldSite.start()
    const machine = new Machine(site)
    try {
      const folder = machine.map('/units')
      mkdirSync(join(folder, 'lms-graphql@.service.d'), { recursive: true })
      const [program, ...words] = one('ExecStart').split(' ') as [string, ...string[]]
      const template = unit.replace(one('ExecStart'), [machine.map(program), ...words].join(' '))
      writeFileSync(join(folder, 'lms-graphql@.service'), template)
      writeFileSync(join(folder, 'lms-graphql@.service.d', 'service-account.conf'), account)
      const instance = join(folder, 'lms-graphql@4001.service')
      symlinkSync('lms-graphql@.service', instance)
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', instance], { encoding: 'utf8' })
      const about = `${stdout}${stderr}`.split('\n').filter((line) => /lms-graphql|service-account/.test(line))
      expect([status, about]).toEqual([0, []])
      const exposure = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', instance], { encoding: 'utf8' })
      expect(Number(/Overall exposure level for lms-graphql@4001\.service: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(1.3)
    } finally {
      machine.close()
      await site.close()
    }
  })
})

describe.skipIf(!TELLS && !process.env.CI)('an instance of the unit', () => {
  let site: HeldSite
  let machine: Machine
  const services: Service[] = []
  beforeAll(async () => {
    site = await HeldSite.start()
    machine = new Machine(site)
  })
  afterEach(() => {
    for (const service of services.splice(0)) service.kill()
  })
  afterAll(async () => {
    machine?.close()
    await site?.close()
  })

  /** Starts an instance as systemd does: its command line, its environment and nothing else. */
  function start(instance: number, units: readonly string[] = [unit], tracer: readonly string[] = []): Service {
    const words = [...tracer, ...machine.command(instance)] as [string, ...string[]]
    const service = new Service(words, { PATH: process.env.PATH, ...machine.environment(...units) })
    services.push(service)
    return service
  }

  it('is the program itself: no other process takes signals', async () => {
    const service = start(0)
    await service.url()
    // `#!/usr/bin/env node` replaces itself, so the main process is Node.
    expect(readlinkSync(`/proc/${service.pid}/exe`)).toBe(readlinkSync('/proc/self/exe'))
    expect(childrenOf(service.pid)).toEqual([])
  })

  it('answers requests that run when it is stopped, and nothing is left', async () => {
    const service = start(0)
    const url = await service.url()
    site.held = 'sfwd-courses'
    const answers = [ask(url), ask(url, { authorization: authorizationOf('admin') })]
    await until(() => site.waits >= 2)
    const ended = service.stop()
    await until(() => isListening(url), false)
    expect(isAlive(service.pid)).toBe(true)
    site.release()
    for (const { data } of await Promise.all(answers)) expect(data.course.title).toEqual(expect.any(String))
    expect(await ended).toEqual([0, null])
    expect(processesOf(machine.root)).toEqual([])
  })

  const traced = spawnSync('strace', ['-V']).status === 0 && spawnSync('systemd-analyze', ['--version']).status === 0
  const untraced = traced || process.env.CI ? '' : ' (skipped: there is no strace, or no systemd-analyze)'

  it.skipIf(untraced !== '')(`makes no system call that ends it${untraced}`, async () => {
    const report = machine.map('/system-calls')
    const service = start(0, [unit], ['strace', '-f', '-c', '-o', report])
    expect((await ask(await service.url())).data.course.title).toEqual(expect.any(String))
    process.kill(childrenOf(service.pid)[0] as number, 'SIGTERM')
    expect(await service.ended).toEqual([0, null])
    const calls = [...readFileSync(report, 'utf8').matchAll(/^ *[\d.]+ .* (\w+)$/gm)].map(([, name]) => name as string)
    expect(calls).toEqual(expect.arrayContaining(['epoll_ctl', 'execve', 'read']))
    const allowed = allowedCalls(all(unit, 'SystemCallFilter'))
    expect(calls.filter((name) => name !== 'total' && !allowed.has(name))).toEqual([])
  })

  it('reads the secrets of a service account from credentials', async () => {
    const service = start(0, [unit, account.replace('LMS_USER=gateway', 'LMS_USER=admin')])
    const url = await service.url()
    expect(await ask(url, { 'x-api-key': KEY })).toEqual({ data: { course: { title: expect.any(String) } } })
    expect((await ask(url)).errors[0].extensions.code).toBe('UNAUTHENTICATED')
    expect(readFileSync(`/proc/${service.pid}/environ`, 'utf8')).not.toContain('admin-demo')
  })

  it('takes changed settings by its reload, and keeps its own when they are wrong', async () => {
    const service = start(0)
    const url = await service.url()
    const settings = machine.map('/etc/lms-graphql/lms-graphql.yaml')
    const reload = (text: string): void => {
      writeFileSync(settings, text)
      const command = one('ExecReload').replace('$MAINPID', String(service.pid))
      expect(spawnSync('sh', ['-c', command]).status).toBe(0)
    }
    const codeOf = async (): Promise<string | undefined> => (await ask(url)).errors?.[0].extensions.code
    try {
      expect(await codeOf()).toBeUndefined()
      reload(`${machine.settings}limits:\n  maxDepth: 1\n`)
      await until(async () => (await codeOf()) === 'LIMIT_EXCEEDED')
      reload(`${machine.settings}limits:\n  maxDepth: 0\n`)
      await until(() => service.printed.includes('limits.maxDepth'))
      expect(service.printed).toContain('The settings were not reloaded, because they are wrong.')
      expect(await codeOf()).toBe('LIMIT_EXCEEDED')
      reload(machine.settings)
      await until(async () => (await codeOf()) === undefined)
    } finally {
      writeFileSync(settings, machine.settings)
    }
    expect(await service.stop()).toEqual([0, null])
  })

  const noHaproxy = lacks('haproxy')

  it.skipIf(noHaproxy !== '')(`beside another one, behind HAProxy, is restarted without a lost request${noHaproxy}`, async () => {
    const ports = await Promise.all([freePort(), freePort()])
    const running = new Map(ports.map((port) => [port, start(port)]))
    for (const service of running.values()) await service.url()
    const addresses = {
      LMS_GATEWAY_1: `127.0.0.1:${ports[0]}`,
      LMS_GATEWAY_2: `127.0.0.1:${ports[1]}`,
      LMS_GATEWAY_3: `127.0.0.1:${await freePort()}`,
    }
    const front = await Front.start(GATEWAYS, addresses)
    // `systemctl restart` of the page: like systemd, it returns when the new process has started, and does not wait until it listens. And `socat`.
    const control = createServer(async (request, response) => {
      if (request.url === '/haproxy') return void response.end(await front.command((await readText(request)).trim()))
      const port = Number(request.url?.slice(1))
      const [code] = (await running.get(port)?.stop()) ?? []
      running.set(port, start(port))
      response.writeHead(code === 0 ? 200 : 500).end()
    }).listen(0, '127.0.0.1')
    await once(control, 'listening')
    try {
      const bin = machine.map('/bin')
      mkdirSync(bin, { recursive: true })
      const url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
      const programs = {
        systemctl: `[ "$1" = restart ] && exec curl -sf "${url}/\${2#lms-graphql@}"`,
        socat: `[ "$*" = "- /run/haproxy/lms-front.sock" ] && exec curl -sf --data-binary @- ${url}/haproxy`,
      }
      for (const [name, command] of Object.entries(programs)) writeFileSync(join(bin, name), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
      const loop = readPage('docs/deploying.md').blocks.find(({ text }) => text.includes('systemctl restart'))?.text ?? ''
      expect(loop).toContain('4001 4002')
      const callers = Array.from({ length: 8 }, () => new Asking(`${front.url}/graphql`))
      await until(() => callers.every(({ answers }) => answers.length > 5))
      const before = [...running.values()].map(({ pid }) => pid)
      const shell = spawn('sh', ['-euc', loop.replace('4001 4002', ports.join(' '))], { env: { PATH: `${bin}:${process.env.PATH}` } })
      expect(await once(shell, 'exit')).toEqual([0, null])
      const asked = callers.map(({ answers }) => answers.length)
      await until(() => callers.every(({ answers }, index) => answers.length > (asked[index] as number) + 5))
      const answers = (await Promise.all(callers.map((caller) => caller.stop()))).flat()
      console.log(`${answers.length} requests answered while two processes were restarted`)
      expect(answers.filter((answer) => typeof answer !== 'string')).toEqual([])
      expect(before.filter(isAlive)).toEqual([])
      const taken = ports.map((_, index) => new RegExp(`gateways/gateway-${index + 1} (is|enters) .*(drain|DRAIN)`, 'i').test(front.log))
      expect(taken, front.log).toEqual([true, true])
    } finally {
      control.close()
      await front.close()
    }
  })
})

/** A process that is started as a service. */
class Service {
  private readonly child: ChildProcess
  private output = ''
  readonly ended: Promise<unknown[]>

  constructor([program, ...argv]: readonly [string, ...string[]], env: NodeJS.ProcessEnv) {
    this.child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], env })
    this.ended = once(this.child, 'exit')
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk
      })
  }

  get pid(): number {
    return this.child.pid as number
  }

  /** What it has printed so far. */
  get printed(): string {
    return this.output
  }

  /** Its address, once it listens. */
  async url(): Promise<string> {
    await until(() => /http:\/\/[\w.:]+\/graphql/.test(this.output) || this.child.exitCode !== null)
    const url = /http:\/\/[\w.:]+\/graphql/.exec(this.output)?.[0]
    if (url === undefined) throw new Error(`The service has ended: ${this.output}`)
    return url
  }

  /** Ends it as systemd does. Resolves with its exit code and signal. */
  stop(): Promise<unknown[]> {
    this.child.kill('SIGTERM')
    return this.ended
  }

  kill(): void {
    for (const pid of [this.pid, ...childrenOf(this.pid)]) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
}

/** A client that sends one request after another. */
class Asking {
  /** The title of each answer, or what came in its place. */
  readonly answers: unknown[] = []
  private goesOn = true
  private readonly ended: Promise<void>

  constructor(url: string) {
    this.ended = (async () => {
      while (this.goesOn) {
        const answer = await ask(url).catch((error: unknown) => ({ error: String(error) }))
        this.answers.push(answer.data?.course?.title ?? answer)
      }
    })()
  }

  async stop(): Promise<readonly unknown[]> {
    this.goesOn = false
    await this.ended
    return this.answers
  }
}

async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<any> {
  const sent = { 'content-type': 'application/json', connection: 'close', ...headers }
  return (await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify({ query: QUERY }) })).json()
}

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
