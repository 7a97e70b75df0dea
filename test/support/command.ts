import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The built command line. */
export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** Flags of a gateway that does not limit clients, for tests that load it from one address. */
export const UNLIMITED_FLAGS = ['operations', 'calls', 'document-cost'].flatMap((each) => [`--${each}-per-minute`, '0'])

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A run of the built command line, or of another script, in a process of its own. */
export class Command {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>
  private stdout = ''
  private stderr = ''

  constructor(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
    nodeFlags: readonly string[] = [],
    { program = process.execPath, script = CLI, cwd }: { readonly program?: string; readonly script?: string; readonly cwd?: string } = {},
  ) {
    // No other variables: settings of the machine must not apply.
    const { PATH } = process.env
    const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
    this.child = spawn(program, [...nodeFlags, script, ...argv], { stdio, cwd, env: { PATH, ...env } })
    this.child.stdout.on('data', (chunk) => {
      this.stdout += chunk
    })
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.ended = once(this.child, 'close').then(([code]) => ({ code: code as number | null, stdout: this.stdout, stderr: this.stderr }))
  }

  /** What it has printed so far. */
  get printed(): string {
    return this.stdout
  }

  /** The address in the line that says where it listens. Lines of the log may come before. */
  async address(): Promise<string> {
    const found = (): string | undefined => / at (https?:\/\/[\w.:[\]-]+)/.exec(this.stdout)?.[1]
    const printed = (async () => {
      while (found() === undefined) await once(this.child.stdout, 'data')
    })()
    const ended = this.ended.then(({ code, stderr }) => Promise.reject(new Error(`It ended with ${code}: ${stderr}`)))
    await Promise.race([printed, ended])
    return found() as string
  }

  /** Sends a signal and waits for the end; kills the process after a while. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal)
    const force = setTimeout(() => this.child.kill('SIGKILL'), 15_000)
    try {
      return await this.ended
    } finally {
      clearTimeout(force)
    }
  }
}
