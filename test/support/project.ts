import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a program printed, and its exit code. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A copy of an example project in a folder outside the repository, with this package and some of its packages installed. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'lms-graphql-project-'))

  constructor(example: string, packages: readonly string[]) {
    cpSync(join(root, example), this.folder, { recursive: true })
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    for (const name of packages) this.#link(name, join(root, 'node_modules', name))
    this.#link('lms-graphql', root)
  }

  /** Runs a program of an installed package, or `node`, in the folder. */
  run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const path = program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program)
    const inherited = { PATH: process.env.PATH, HOME: process.env.HOME }
    return new Promise((resolve) => {
      execFile(path, args, { cwd: this.folder, env: { ...inherited, ...env }, timeout: 100_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
      })
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #link(name: string, target: string): void {
    const link = join(this.folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
}
