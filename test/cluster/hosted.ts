import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'

/** Whether the system tells of processes and their connections. */
export const TELLS = existsSync('/proc/net/tcp')

/** Milliseconds the site takes for an answer. */
const SERVICE = 15
/** REST calls it may be asked at a time. */
export const MOST = 4

/** A site that counts, and the real command in front of it. */
export class Hosted {
  private constructor(
    readonly site: FakeSite,
    readonly command: Command,
    readonly url: string,
  ) {}

  static async start(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Hosted> {
    const site = await FakeSite.start((request, response) => {
      const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1])
      setTimeout(() => json(response, { id, title: { rendered: `Title ${id}` } }), SERVICE)
    })
    const command = new Command(['--upstream', site.url, '--port', '0', '--max-in-flight', `${MOST}`, ...flags], env)
    try {
      return new Hosted(site, command, await command.address())
    } catch (error) {
      await command.stop('SIGKILL')
      throw error
    }
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Ids of the processes it has started. */
  get workers(): readonly number[] {
    return childrenOf(this.command.child.pid as number)
  }

  async close(): Promise<void> {
    await this.command.stop('SIGKILL')
    await this.site.close()
  }
}

export function childrenOf(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

/** Whether a process runs; those that have ended and wait to be noticed do not. */
export const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** Ports of the clients whose connections to `port` a process has. */
export function clientsOf(pid: number, port: number): ReadonlySet<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        // It has been closed meanwhile.
        return []
      }
    }),
  )
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
  const portOf = (address = ''): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
  return new Set(rows.filter((row) => inodes.has(row[9] ?? '') && portOf(row[1]) === port).map((row) => portOf(row[2])))
}

/** Until something is so. */
export const until = (is: () => unknown, wanted: unknown = true): Promise<void> =>
  expect.poll(is, { timeout: 30_000, interval: 20 }).toEqual(wanted)

export { sleep }
