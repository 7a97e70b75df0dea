import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** What the package has when it is installed. */
const PACKAGE = ['package.json', 'dist', 'schema']

/** The names of the packages in a `node_modules` folder. */
const packagesIn = (modules: string): string[] =>
  readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name]))

/**
 * A copy of an example project in a folder outside the repository. This package is installed there as from a packed file: as files, and not as
 * a link, which build tools treat as a part of the project.
 */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'lms-graphql-project-'))

  /** @param others Further `node_modules` folders with packages that the example uses, besides that of the repository. */
  constructor(example: string, others: readonly string[] = []) {
    cpSync(join(root, example), this.folder, { recursive: true })
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    const installed = join(this.folder, 'node_modules')
    mkdirSync(installed)
    for (const modules of ['node_modules', ...others])
      for (const name of packagesIn(join(root, modules))) {
        const link = join(installed, name)
        mkdirSync(dirname(link), { recursive: true })
        if (!existsSync(link) && name !== 'lms-graphql') symlinkSync(join(root, modules, name), link)
      }
    for (const name of PACKAGE) cpSync(join(root, name), join(installed, 'lms-graphql', name), { recursive: true })
  }

  /** Runs a program of an installed package, or `node`, in the folder. */
  run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const path = program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program)
    const inherited = { PATH: process.env.PATH, HOME: process.env.HOME }
    return new Promise((resolve) => {
      execFile(path, args, { cwd: this.folder, env: { ...inherited, ...env }, timeout: 200_000 }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
      })
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
