// Runs the tests with graphql-js 17, which needs Node 22: `npm run test:graphql-17 -- [--in FOLDER] [--version 17.1.0] [arguments of vitest]`. The
// checkout is copied to a folder of its own, where each copy of graphql is replaced and the package is built. `--in` keeps this folder.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { copySources, linkPackages } from './support/checkout.js'

/** The version that was tested. */
const TESTED = '17.1.0'

/** Runs a program, and ends with its exit code when it fails. Its output is returned with `read`, and else shown. */
function run(program: string, args: readonly string[], folder: string, read = false): string {
  // Programs of npm start the Node that runs this script.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
  const { status, error, stdout } = spawnSync(program, args, {
    cwd: folder,
    env,
    stdio: ['inherit', read ? 'pipe' : 'inherit', 'inherit'],
    maxBuffer: 2 ** 26,
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
  return read ? stdout.toString() : ''
}

/** Folders whose packages are linked: that of the repository, and those of suites. Composers and routers need graphql-js 16. */
const WITH_PACKAGES = ['.', 'docs', 'test/clients', 'test/express', 'test/tracing']

/** Folders of a package in `node_modules`, and in those of other packages. */
function copiesOf(name: string, modules: string): string[] {
  const packages = readdirSync(modules, { withFileTypes: true }).flatMap(({ name: entry }) =>
    entry.startsWith('@') ? readdirSync(join(modules, entry)).map((inner) => join(modules, entry, inner)) : [join(modules, entry)],
  )
  const nested = packages.map((folder) => join(folder, 'node_modules')).filter((folder) => existsSync(folder))
  return [...packages.filter((folder) => folder === join(modules, name)), ...nested.flatMap((folder) => copiesOf(name, folder))]
}

/** Replaces each copy of graphql. The files are new ones: those of the checkout are linked. */
function replaceGraphql(folder: string, version: string): void {
  const packed = join(folder, 'node_modules', '.graphql')
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed)
  const [{ filename }] = JSON.parse(run('npm', ['pack', `graphql@${version}`, '--json', '--pack-destination', packed], folder, true))
  run('tar', ['-xzf', join(packed, filename), '-C', packed], folder)
  for (const copy of copiesOf('graphql', join(folder, 'node_modules'))) {
    rmSync(copy, { recursive: true })
    cpSync(join(packed, 'package'), copy, { recursive: true })
  }
  rmSync(packed, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  manifest.devDependencies.graphql = version
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const own = process.argv.slice(2)
const rest = own.findIndex((arg, index) => !['--in', '--version'].includes(arg) && !['--in', '--version'].includes(own[index - 1] ?? ''))
const { values } = parseArgs({
  args: rest < 0 ? own : own.slice(0, rest),
  options: { in: { type: 'string' }, version: { type: 'string', default: TESTED } },
})
const folder = values.in === undefined ? mkdtempSync(join(tmpdir(), 'lms-graphql-17-')) : resolve(values.in)
if (values.in === undefined) process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
mkdirSync(folder, { recursive: true })
copySources(folder)
for (const name of WITH_PACKAGES) linkPackages(folder, name)
replaceGraphql(folder, values.version)
// No SBOM: the lock file has another version of graphql-js.
for (const step of ['build:server', 'build:graphiql']) run('npm', ['run', step], folder)
run('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...(rest < 0 ? [] : own.slice(rest))], folder)
