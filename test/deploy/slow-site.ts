import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('slow-site.mjs', import.meta.url))

interface SiteState {
  readonly calls: number
  /** Reads of a record. */
  readonly reads: number
  /** Most calls at a time. */
  readonly most: number
  readonly running: number
  /** Milliseconds of all calls together. A timer of 20 ms takes longer on a busy machine. */
  readonly busy: number
  /** How often each title was written. */
  readonly writes: Readonly<Record<string, number>>
}

/** A site in a process of its own, which counts the calls it works on, as long as it works. */
export class SlowSite {
  private constructor(
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    readonly url: string,
  ) {}

  static async start(service = 20): Promise<SlowSite> {
    const child = spawn(process.execPath, [PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, SERVICE: `${service}` },
    })
    const [line] = await once(child.stdout, 'data')
    return new SlowSite(child, String(line).trim())
  }

  async state(): Promise<SiteState> {
    return (await fetch(`${this.url}/-/state`)).json() as Promise<SiteState>
  }

  /** Begins to count anew. */
  async reset(): Promise<void> {
    await fetch(`${this.url}/-/reset`)
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
  }
}
