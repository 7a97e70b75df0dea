import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Command, UNLIMITED_FLAGS } from './command.js'
import { FakeSite, json } from './site.js'

/** Whether the system tells of processes. */
export const TELLS = existsSync('/proc/self/status')

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
    const command = new Command(['--upstream', site.url, '--port', '0', '--max-in-flight', `${MOST}`, ...UNLIMITED_FLAGS, ...flags], env)
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

/** Until something is so. */
export const until = (is: () => unknown, wanted: unknown = true): Promise<void> =>
  expect.poll(is, { timeout: 30_000, interval: 20 }).toEqual(wanted)

export { sleep }
