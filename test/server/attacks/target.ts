import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TunedOptions } from '../../support/merged.js'
import type { Environment } from './attack.js'
import { type Answer, exchange, type Sent } from './client.js'

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url))

export interface Told {
  /** Bytes in use after a collection. */
  readonly memory: number
  readonly faults: readonly string[]
}

/** A gateway in a process of its own, with options and a tuning. */
export class Target {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  /** Address without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  static async start(environment: Environment, options: TunedOptions): Promise<Target> {
    const child = fork(SERVER, [JSON.stringify(options)], {
      execArgv: ['--expose-gc'],
      env: { PATH: process.env.PATH, NODE_ENV: environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Target(child, port)
  }

  ask(sent: Sent): Promise<Answer> {
    return exchange(this.port, sent)
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  async tell(): Promise<Told> {
    const told = once(this.child, 'message')
    this.child.send('tell')
    return ((await told) as [Told])[0]
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
  }
}
