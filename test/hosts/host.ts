import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as send } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { FakeSite } from '../support/site.js'
import { authorizationOf, type Login } from '../support/world.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The embedded LMS, behind a proxy that can hold calls. */
export class HeldSite {
  /** Calls whose path has this text are not answered until `release`. */
  held: string | undefined
  private waiting: (() => void)[] = []

  private constructor(
    readonly lms: RunningLms,
    readonly site: FakeSite,
  ) {}

  static async start(): Promise<HeldSite> {
    const lms = await startLms()
    const site = await FakeSite.start()
    const held = new HeldSite(lms, site)
    site.handler = (request, response) => {
      const forward = (): void => {
        const onward = send(`${lms.url}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode as number, answer.headers)
          answer.pipe(response)
        })
        onward.on('error', () => response.destroy())
        request.pipe(onward)
      }
      if (held.held !== undefined && request.url?.includes(held.held)) held.waiting.push(forward)
      else forward()
    }
    return held
  }

  /** How many calls are held. */
  get waits(): number {
    return this.waiting.length
  }

  release(): void {
    this.held = undefined
    for (const forward of this.waiting.splice(0)) forward()
  }

  async close(): Promise<void> {
    await this.site.close()
    await this.lms.close()
  }
}

export interface HostOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** The path of the endpoint. */
  readonly path: string
  readonly site: HeldSite
  readonly env?: Readonly<Record<string, string>>
}

/** A TypeScript program run by Node. */
export const onNode = (file: string): readonly [string, ...string[]] => [process.execPath, '--import', 'tsx', `test/${file}`]

/** A host with a gateway, in a process of its own. */
export class Host {
  private output = ''
  readonly ended: Promise<number | null>

  private constructor(
    readonly child: ChildProcess,
    readonly origin: string,
    readonly path: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk
      })
    this.ended = once(child, 'close').then(([code]) => code as number | null)
  }

  static async start({ command: [program, ...argv], path, site, env = {} }: HostOptions): Promise<Host> {
    const port = await freePort()
    const { PATH, HOME } = process.env
    const child = spawn(program, argv, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, LMS_URL: site.site.url, PORT: String(port), ...env },
    })
    const host = new Host(child, `http://127.0.0.1:${port}`, path)
    for (let attempt = 0; !(await host.answers()); attempt++) {
      if (child.exitCode !== null || attempt > 600) {
        await host.kill()
        throw new Error(`The host did not start: ${host.output}`)
      }
      await sleep(50)
    }
    return host
  }

  private async answers(): Promise<boolean> {
    return fetch(this.origin).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    )
  }

  get url(): string {
    return `${this.origin}${this.path}`
  }

  post(body: object | string, { as, accept, signal }: { as?: Login; accept?: string; signal?: AbortSignal } = {}): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(accept && { accept }),
        ...(as && { authorization: authorizationOf(as) }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    })
  }

  async query(query: string, as?: Login): Promise<any> {
    return (await this.post({ query }, { ...(as && { as }) })).json()
  }

  get printed(): string {
    return this.output
  }

  /** Asks the host to end, and returns its exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM')
    return this.kill(10_000)
  }

  async kill(after = 0): Promise<number | null> {
    const force = setTimeout(() => this.child.kill('SIGKILL'), after)
    try {
      return await this.ended
    } finally {
      clearTimeout(force)
    }
  }
}

/** A port that is free now. It is below those that the system gives to outgoing connections, which could take it before a server does. */
export function freePort(): Promise<number> {
  const port = 12_000 + Math.floor(Math.random() * 20_000)
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(freePort())
      else reject(error)
    })
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
