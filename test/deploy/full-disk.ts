import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from '../support/command.js'
import type { Watched } from './watched.js'

/** Bytes that are left on the disk: less than one write needs. */
const LEFT = 60_000

/** The embedded LMS with its data on a small disk, which can be filled. Without the right to mount one, the proxy answers as the LMS does. */
export class FullDisk {
  private constructor(
    private readonly folder: string,
    private readonly isMounted: boolean,
    private readonly lms: Command,
    readonly url: string,
  ) {}

  static async start(): Promise<FullDisk> {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-disk-'))
    let isMounted = true
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'ignore' })
    } catch {
      isMounted = false
    }
    const lms = new Command(['lms', '--port', '0', '--data', join(folder, 'school.sqlite')])
    return new FullDisk(folder, isMounted, lms, await lms.address())
  }

  fill({ proxy }: Watched): void {
    if (!this.isMounted) {
      const error = { code: 'rest_insufficient_storage', message: 'The disk of the site is full.', data: { status: 507 } }
      const headers = { 'content-type': 'application/json' }
      proxy.strikes = (asked) =>
        asked.startsWith('POST ') ? (response) => response.writeHead(507, headers).end(JSON.stringify(error)) : undefined
      return
    }
    const { bavail, bsize } = statfsSync(this.folder)
    writeFileSync(join(this.folder, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - LEFT)))
  }

  empty(): void {
    rmSync(join(this.folder, 'ballast'), { force: true })
  }

  async close(): Promise<void> {
    await this.lms.stop('SIGKILL')
    if (this.isMounted) execFileSync('umount', [this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }
}
