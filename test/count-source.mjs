// Counts the source by room, the settings, and the packages: `node test/count-source.mjs [--json] [CHECKOUT ...]` prints a column for each checkout,
// this one by default. Installed packages and the size of the package are counted where it is installed and built.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const GENERATED = new Set(['documents.ts', 'options/given.ts'])

const sourcesOf = (root) =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !GENERATED.has(path))
    .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }))

const linesOf = (text) => text.split('\n').length - 1
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
const count = (text, pattern) => (withoutComments(text).match(pattern) ?? []).length

const read = (root, path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
const sizeOf = (object = {}) => Object.keys(object).length

/** Lines of files below a folder, without packages and hidden folders. */
function linesBelow(folder, pattern) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
  return sum(
    entries.map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return linesBelow(path, pattern)
      return pattern.test(entry.name) ? linesOf(readFileSync(path, 'utf8')) : 0
    }),
  )
}

/** The packages of a lock file: `package-lock.json`, or what npm writes of the installed ones. */
function packagesOf(root, lock) {
  const text = read(root, lock)
  return text === undefined ? undefined : Object.keys(JSON.parse(text).packages).filter((path) => path.includes('node_modules/')).length
}

/** The size of the files of the package, in bytes. */
function unpackedSize(root) {
  if (!existsSync(join(root, 'dist/cli.js'))) return
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  return JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))[0].unpackedSize
}

function packageCounts(root) {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(root, 'package.json'))
  const settings = read(root, 'docs/reference/settings.md') ?? ''
  return {
    settings: count(settings, /^### /gm),
    'variables of settings': new Set(settings.match(/(?<=\bvariable `)\w+/g)).size,
    dependencies: sizeOf(dependencies),
    'optional dependencies': sizeOf(optionalDependencies),
    'development dependencies': sizeOf(devDependencies),
    'lock entries': packagesOf(root, 'package-lock.json'),
    'installed packages': packagesOf(root, 'node_modules/.package-lock.json'),
    'unpacked size in bytes': unpackedSize(root),
  }
}

const TYPE = /^(?:export )?(?:abstract )?(?:class|interface|type|enum) \w+/gm
const CAST = /\bas never\b|\bas unknown as\b|\bas any\b/g
const IMPORT = /from '(\.[^']+)'|import\('(\.[^']+)'\)|^import '(\.[^']+)'/gm

const resolved = (path, target) => join(dirname(path), target).replace(/\.js$/, '.ts')

/** How many files can reach themselves by imports, types included. */
function filesInCycles(sources) {
  const known = new Set(sources.map(({ path }) => path))
  const next = new Map(
    sources.map(({ path, text }) => [
      path,
      [...text.matchAll(IMPORT)].map(([, a, b, c]) => resolved(path, a ?? b ?? c)).filter((to) => known.has(to)),
    ]),
  )
  const reaches = (from) => {
    const [seen, open] = [new Set(), [...next.get(from)]]
    for (let path = open.pop(); path !== undefined; path = open.pop()) if (!seen.has(path) && seen.add(path)) open.push(...next.get(path))
    return seen.has(from)
  }
  return [...known].filter(reaches).length
}

function countsOf(root) {
  const sources = sourcesOf(root)
  const inRooms = (rooms) => sources.filter(({ path }) => rooms.includes(path.split('/')[0]))
  const rooms = [...new Set(sources.filter(({ path }) => path.includes('/')).map(({ path }) => path.split('/')[0]))].sort()
  const isOwnPlugin = ({ path }) => /(^|\/)(plugin|refs)\.ts$/.test(path)
  return {
    files: sources.length,
    lines: sum(sources.map(({ text }) => linesOf(text))),
    ...Object.fromEntries(rooms.map((room) => [`lines of ${room}`, sum(inRooms([room]).map(({ text }) => linesOf(text)))])),
    'lines beside the rooms': sum(sources.filter(({ path }) => !path.includes('/')).map(({ text }) => linesOf(text))),
    'mean width of a line': Number(
      (sum(sources.map(({ text }) => text.length)) / sum(sources.map(({ text }) => linesOf(text))) - 1).toFixed(2),
    ),
    'lines of tests': linesBelow(join(root, 'test'), /\.(tsx?|mjs)$/),
    'lines of documentation': linesBelow(join(root, 'docs'), /\.md$/),
    ...packageCounts(root),
    'files below 50 lines': sources.filter(({ text }) => linesOf(text) < 50).length,
    'named types': sum(sources.map(({ text }) => count(text, TYPE))),
    casts: sum(sources.map(({ text }) => count(text, CAST))),
    'casts outside the Pothos plugin': sum(sources.filter((source) => !isOwnPlugin(source)).map(({ text }) => count(text, CAST))),
    'files in import cycles': filesInCycles(sources),
    ...Object.fromEntries(rooms.map((room) => [`named types in ${room}`, sum(inRooms([room]).map(({ text }) => count(text, TYPE)))])),
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false } } })
const roots = positionals.length > 0 ? positionals : ['.']
const columns = roots.map(countsOf)
if (values.json) console.log(JSON.stringify(Object.fromEntries(roots.map((root, index) => [root, columns[index]])), null, 2))
else
  for (const name of new Set(columns.flatMap((column) => Object.keys(column))))
    console.log([name.padEnd(44), ...columns.map((column) => String(column[name] ?? '-').padStart(12))].join(''))
