import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

// Some suites and scripts use packages that nothing else needs: foreign clients, routers, mutation testing, the builder of the documentation.
// Each of their folders has a `package.json` and a lock file of its own. `npm run packages` installs all of them, `npm run packages docs` one.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Folders with packages of their own. */
export const FOLDERS = ['docs', 'test/clients', 'test/express', 'test/mutants', 'test/routers', 'test/tracing'] as const
export type Folder = (typeof FOLDERS)[number]

const path = (folder: Folder, name: string): string => `${ROOT}${folder}/${name}`

/** A copy of the lock file, which is written when everything is there. */
const INSTALLED = 'node_modules/.installed.json'

/** The names of the packages that a folder asks for. */
export const packagesOf = (folder: Folder): string[] =>
  Object.keys(JSON.parse(readFileSync(path(folder, 'package.json'), 'utf8')).dependencies)

/** Whether the packages of a folder are installed, as its lock file says now. */
export const isInstalled = (folder: Folder): boolean =>
  existsSync(path(folder, INSTALLED)) &&
  readFileSync(path(folder, INSTALLED), 'utf8') === readFileSync(path(folder, 'package-lock.json'), 'utf8')

/** What `npm ci` installs: peers come from the repository, so that there is one `graphql`, one `react` and one `vitest`. */
const NPM = ['ci', '--omit=peer', '--engine-strict', '--ignore-scripts', '--no-audit', '--no-fund']

/** Installs the packages of a folder, unless they are there. In the environment of this process: proxies and certificates apply. */
export async function install(folder: Folder): Promise<void> {
  if (isInstalled(folder)) return
  await promisify(execFile)('npm', NPM, { cwd: path(folder, ''), maxBuffer: 2 ** 26 })
  // A folder with a `package.json` is no part of this package: imports of `lms-graphql` need it among the packages. Only these parts are
  // linked: a link to the repository would be a circle for programs that list files.
  const own = path(folder, 'node_modules/lms-graphql')
  mkdirSync(own)
  for (const part of ['package.json', 'dist', 'schema']) symlinkSync(relative(own, `${ROOT}${part}`), `${own}/${part}`)
  copyFileSync(path(folder, 'package-lock.json'), path(folder, INSTALLED))
}

/** Installs the packages of the named folders, or of all. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !FOLDERS.includes(name as Folder))
  if (unknown.length > 0) throw new Error(`No folder with packages of its own: ${unknown.join(', ')}. There are ${FOLDERS.join(', ')}.`)
  const results = await Promise.allSettled((names.length > 0 ? (names as readonly Folder[]) : FOLDERS).map(install))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.message)] : []))
  if (failures.length > 0) throw new Error(failures.join('\n'))
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2)).catch(({ message }) => {
    console.error(message)
    process.exitCode = 1
  })
