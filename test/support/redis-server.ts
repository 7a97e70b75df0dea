import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../hosts/host.js'

/** Why tests with Redis can't run on this machine. */
export const WITHOUT_REDIS = spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'there is no redis-server'

/** A real Redis on the loopback interface, which can be killed and started again with or without its data. */
export class RedisServer {
  private child: ChildProcess | undefined

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly flags: readonly string[],
  ) {}

  static async start(...flags: readonly string[]): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const server = new RedisServer(await freePort(), mkdtempSync(join(tmpdir(), 'lms-graphql-redis-')), flags)
      try {
        await server.begin()
        return server
      } catch (error) {
        // A node of a cluster takes a second port, 10,000 above the first one.
        if (attempt === 5 || !String(error).includes('Address already in use')) throw error
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts it, with the data of the last snapshot. */
  async begin(): Promise<void> {
    const fixed = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', '', '--appendonly', 'no']
    const child = spawn('redis-server', [...fixed, ...this.flags], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child = child
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += chunk
      if (printed.includes('Ready to accept connections')) return void child.stdout.resume()
    }
    throw new Error(`redis-server ended: ${printed}`)
  }

  /** Runs a command, and returns what redis-cli prints. */
  cli(...argv: readonly string[]): string {
    const { stdout, stderr, status } = spawnSync('redis-cli', ['-p', String(this.port), ...argv], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout.trim()
  }

  /** Waits until gateways have shared a number of answers. They answer before that. */
  async shares(answers: number): Promise<void> {
    while (this.cli('KEYS', '*:a:*').split('\n').filter(Boolean).length < answers) await sleep(10)
  }

  /** Removes the snapshot. */
  forget(): void {
    rmSync(join(this.folder, 'dump.rdb'), { force: true })
  }

  /** Ends it without a chance to store anything. */
  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A network path to a Redis that can be cut. */
export class CuttablePath {
  private readonly sockets = new Set<Socket>()
  private isCut = false

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(port: number): Promise<CuttablePath> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const path = new CuttablePath(server, `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    server.on('connection', (near) => path.join(near, port))
    return path
  }

  /** Breaks all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.isCut = true
    for (const socket of this.sockets) socket.destroy()
  }

  mend(): void {
    this.isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    this.server.close()
  }

  private join(near: Socket, port: number): void {
    if (this.isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
