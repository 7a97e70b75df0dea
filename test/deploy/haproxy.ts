import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../hosts/host.js'
import { until } from '../support/hosted.js'

/** Whether a program is missing, as a suffix for titles. In CI nothing may be missing. */
export const lacks = (program: string): string =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 || process.env.CI ? '' : ` (skipped: there is no ${program})`

const fileOf = (name: string): string => fileURLToPath(new URL(`../../deploy/haproxy/${name}`, import.meta.url))

export const EGRESS = fileOf('egress.cfg')
export const FRONT = fileOf('front.cfg')
export const GATEWAYS = fileOf('gateways.cfg')

type Env = Readonly<Record<string, string>>

/** What HAProxy prints about files without running them. */
export function checked(files: readonly string[], env: Env = {}): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync('haproxy', ['-c', ...argsOf(files)], { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } })
  return { status, stderr }
}

const argsOf = (files: readonly string[]): string[] => files.flatMap((file) => ['-f', file])

/** A running HAProxy. */
export class Haproxy {
  private output = ''
  private readonly child: ChildProcess
  readonly ended: Promise<unknown>

  constructor(files: readonly string[], env: Env, args: readonly string[] = []) {
    this.child = spawn('haproxy', ['-db', ...argsOf(files), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...env },
    })
    this.ended = once(this.child, 'exit')
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk
      })
  }

  get pid(): number {
    return this.child.pid as number
  }

  /** What it has logged. */
  get log(): string {
    return this.output
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal)
    await this.ended
  }
}

/** Sends a command to an admin socket. */
function sendCommand(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path).setEncoding('utf8').on('error', reject)
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.write(`${text}\n`)
  })
}

/** HAProxy with `front.cfg` in front of gateways. */
export class Front {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly proxy: Haproxy,
  ) {}

  /** `backend` is the file with the backend `gateways`. */
  static async start(backend: string, env: Env = {}): Promise<Front> {
    const address = `127.0.0.1:${await freePort()}`
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-front-'))
    const variables = { LMS_FRONT_BIND: address, LMS_FRONT_SOCKET: join(folder, 'admin.sock'), ...env }
    const front = new Front(`http://${address}`, folder, new Haproxy([FRONT, backend], variables))
    await until(async () => (await front.status('/haproxy').catch(() => 0)) === 200)
    return front
  }

  async status(path: string, method = 'GET'): Promise<number> {
    const response = await fetch(`${this.url}${path}`, { method, headers: { connection: 'close' } })
    await response.text()
    return response.status
  }

  get log(): string {
    return this.proxy.log
  }

  /** Whether HAProxy has said this about a server since its log had `from` characters. */
  says(server: string, what: 'UP' | 'DOWN', from = 0): boolean {
    return this.log.slice(from).includes(`Server gateways/${server} is ${what}`)
  }

  /** Path of the admin socket. */
  get socket(): string {
    return join(this.folder, 'admin.sock')
  }

  /** Sends a command to the admin socket. */
  command(text: string): Promise<string> {
    return sendCommand(this.socket, text)
  }

  async close(): Promise<void> {
    await this.proxy.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** HAProxy with `egress.cfg` in front of a site. */
export class Egress {
  private readonly folder = mkdtempSync(join(tmpdir(), 'lms-graphql-egress-'))
  private proxies: Haproxy[] = []

  private constructor(
    readonly url: string,
    readonly metrics: string,
    private readonly env: Env,
  ) {}

  static async start(site: string, env: Env = {}): Promise<Egress> {
    const [bind, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    const egress = new Egress(`http://${bind}`, `http://${metrics}/metrics`, {
      LMS_SITE: new URL(site).host,
      LMS_EGRESS_BIND: bind,
      LMS_EGRESS_METRICS: metrics,
      LMS_EGRESS_CHECK_PORT: `${await freePort()}`,
      LMS_SITE_PROBE: '/lms/v2/price-types',
      ...env,
    })
    try {
      await egress.begin()
    } catch (error) {
      await egress.close()
      throw error
    }
    return egress
  }

  private get socket(): string {
    return join(this.folder, 'admin.sock')
  }

  private async begin(env: Env = {}, args: readonly string[] = []): Promise<Haproxy> {
    const proxy = new Haproxy([EGRESS], { ...this.env, LMS_EGRESS_SOCKET: this.socket, ...env }, args)
    this.proxies.push(proxy)
    await Promise.race([
      until(async () => (await this.command('show info').catch(() => '')).includes(`Pid: ${proxy.pid}\n`)),
      proxy.ended.then(() => Promise.reject(new Error(`HAProxy ended: ${proxy.log}`))),
    ])
    return proxy
  }

  /** Sends a command to the admin socket. */
  command(text: string): Promise<string> {
    return sendCommand(this.socket, text)
  }

  /** A value of the statistics of the server or of the backend. */
  async stat(column: string, of: 'site' | 'BACKEND' = 'site'): Promise<string> {
    const [header = '', ...rows] = (await this.command('show stat')).split('\n')
    const row = rows.find((each) => each.startsWith(`site,${of},`))?.split(',') ?? []
    return row[header.replace('# ', '').split(',').indexOf(column)] ?? ''
  }

  /** Replaces the process. Both together make no more calls than the limit. */
  async reload(limit: number): Promise<void> {
    const former = this.proxies.pop() as Haproxy
    const half = Math.floor(limit / 2)
    await this.command(`set maxconn server site/site ${limit - half}`)
    await until(async () => Number(await this.stat('scur')) <= limit - half)
    await this.begin({ LMS_SITE_CALLS: `${half}` }, ['-x', this.socket, '-sf', `${former.pid}`])
    await former.ended
    await this.command(`set maxconn server site/site ${limit}`)
  }

  get log(): string {
    return this.proxies.map(({ log }) => log).join('')
  }

  /** Ends the process; `resume` starts it again. */
  async pause(): Promise<void> {
    await Promise.all(this.proxies.splice(0).map((proxy) => proxy.stop('SIGKILL')))
  }

  async resume(): Promise<void> {
    await this.begin()
  }

  async close(): Promise<void> {
    await this.pause()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
