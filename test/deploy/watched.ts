import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Tuning } from '../../src/tuning.js'
import { freePort } from '../hosts/host.js'
import { sleep } from '../support/hosted.js'
import { TroubledProxy } from '../support/troubled-proxy.js'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** A program with a tuning. */
export const TUNED = fileURLToPath(new URL('tuned-gateway.mjs', import.meta.url))

/** What one client asks, again and again. */
export interface Asking {
  readonly query?: string
  readonly variables?: object
  readonly extensions?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Clients that ask one thing after the other. */
export interface Traffic {
  /** What is asked as the `count`-th by the client `lane`. */
  readonly next: (count: number, lane: number) => Asking
  /** Clients; 1 by default. */
  readonly lanes?: number
  /** Milliseconds between a response and the next request; 200 by default. */
  readonly pause?: number
}

export interface WatchedOptions {
  readonly instance: string
  /** Address of the site. */
  readonly site: string
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A tuning: a program with fields that fail runs in place of the command then, without flags. */
  readonly tuning?: Tuning | undefined
  /** The most file descriptors of the process. */
  readonly files?: number | undefined
}

/** A gateway in a process of its own, in front of a proxy in front of a site, with steady traffic. */
export class Watched {
  /** Responses by HTTP status; 0 for requests without a response. */
  readonly statuses = new Map<number, number>()
  private child: ChildProcess | undefined
  private output = ''
  private traffic: Traffic | undefined
  private ended: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly options: WatchedOptions,
    readonly proxy: TroubledProxy,
    readonly port: number,
    readonly metricsPort: number,
  ) {}

  static async start(options: WatchedOptions): Promise<Watched> {
    const proxy = await TroubledProxy.start(options.site)
    const watched = new Watched(options, proxy, await freePort(), await freePort())
    try {
      await watched.run()
    } catch (error) {
      await watched.close()
      throw error
    }
    return watched
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.child?.pid as number
  }

  /** Starts the process; also again, with the same ports. */
  async run(): Promise<void> {
    const { tuning, files, flags = [], env = {} } = this.options
    const [site, port, metrics] = [this.proxy.url, this.port, this.metricsPort]
    const options = { site: { url: site }, http: { port }, observe: { metrics }, tuning }
    const argv = tuning
      ? [TUNED, JSON.stringify(options)]
      : [CLI, '--upstream', site, '--port', `${port}`, '--metrics', `${metrics}`, '--log-level', 'warn', ...flags]
    const command = [process.execPath, ...argv]
    const [program, ...words] = files === undefined ? command : ['sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh', ...command]
    const child = spawn(program as string, words, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child = child
    this.output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        this.output = `${this.output}${chunk}`.slice(-20_000)
      })
    while (!/https?:\/\/127\.0\.0\.1/.test(this.output)) {
      if (child.exitCode !== null) throw new Error(`${this.options.instance} has ended: ${this.output}`)
      await sleep(20)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal)
  }

  /** Waits until the process has ended. */
  async exit(): Promise<void> {
    const { child } = this
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  /** Replaces the traffic. */
  ask(traffic: Traffic | undefined): void {
    this.traffic = traffic
    if (!traffic) return
    const lanes = Array.from({ length: traffic.lanes ?? 1 }, (_, lane) => this.lane(traffic, lane))
    this.ended = Promise.all([this.ended, ...lanes])
  }

  /** Sends one operation. Returns the body of the response, or undefined without one. */
  async send({ headers, ...body }: Asking): Promise<any> {
    const sent = { 'content-type': 'application/json', ...headers }
    try {
      const response = await fetch(`${this.url}/graphql`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
      const answer = await response.json()
      this.count(response.status)
      return answer
    } catch {
      this.count(0)
      return undefined
    }
  }

  async close(): Promise<void> {
    this.traffic = undefined
    this.signal('SIGKILL')
    await this.exit()
    await this.proxy.close()
    await this.ended
  }

  private count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }

  private async lane(traffic: Traffic, lane: number): Promise<void> {
    const { next, pause = 200 } = traffic
    for (let count = 0; this.traffic === traffic; count++) {
      await this.send(next(count, lane))
      await sleep(pause)
    }
  }
}
