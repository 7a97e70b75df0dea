import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./versioned-site.mjs', import.meta.url))

/** How the site was called. */
export interface SiteCounts {
  readonly reads: number
  readonly writes: number
  /** Most calls at a time. */
  readonly most: number
}

/** A site in a process of its own whose records have versions; see `versioned-site.mjs`. */
export class VersionedSite {
  private constructor(
    private readonly child: ChildProcess,
    private readonly origin: string,
    readonly courses: number,
    readonly groups: number,
  ) {}

  /** `longest` is how many milliseconds each half of a call takes at most. */
  static async start(courses: number, groups: number, longest: number): Promise<VersionedSite> {
    const child = spawn(process.execPath, [PROGRAM, ...[courses, groups, longest].map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return new VersionedSite(child, line.toString().trim(), courses, groups)
  }

  get url(): string {
    return this.origin
  }

  async counts(): Promise<SiteCounts> {
    return (await (await fetch(`${this.origin}/counts`)).json()) as SiteCounts
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }
}
