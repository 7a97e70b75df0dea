// Counts the source by room, the settings, and the packages: `node test/count-source.mjs [--json] [CHECKOUT ...]` prints a column for each checkout,
// this one by default. Installed packages and the size of the package are counted where it is installed and built.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const ENGINE_ROOMS = ['graph', 'gateway', 'rest', 'hosting', 'engine', 'schema', 'federation', 'server', 'upstream']
const GENERATED = new Set(['documents.ts'])

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

const NAMED = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm
const ROOM_INDEX = /^engine\/\w+\/index\.ts$/
const namesIn = (list) =>
  list.split(',').map((name) =>
    name
      .trim()
      .replace(/^type /, '')
      .replace(/ as \w+$/, ''),
  )
const resolved = (path, target) => join(dirname(path), target).replace(/\.js$/, '.ts')

/** Import cycles between files, types included. A name imported through the index of an engine room counts as an import of its file. */
function cyclesOf(sources) {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const declaredIn = (index) =>
    new Map([...texts.get(index).matchAll(NAMED)].flatMap(([, names, from]) => namesIn(names).map((name) => [name, resolved(index, from)])))
  const next = new Map(
    sources.map(({ path, text }) => {
      const direct = [...text.matchAll(IMPORT)]
        .map(([, a, b, c]) => resolved(path, a ?? b ?? c))
        .filter((target) => !ROOM_INDEX.test(target))
      const through = [...text.matchAll(NAMED)]
        .map(([, names, from]) => [names, resolved(path, from)])
        .filter(([, target]) => ROOM_INDEX.test(target))
        .flatMap(([names, target]) => namesIn(names).map((name) => declaredIn(target).get(name)))
      return [path, [...direct, ...through].filter((target) => texts.has(target))]
    }),
  )
  let cycles = 0
  const done = new Set()
  const visit = (path, trail) => {
    if (trail.includes(path)) {
      cycles++
      return
    }
    if (done.has(path)) return
    for (const target of next.get(path)) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return cycles
}

function countsOf(root) {
  const sources = sourcesOf(root)
  const inRooms = (rooms) => sources.filter(({ path }) => rooms.includes(path.split('/')[0]))
  const rooms = [...new Set(sources.filter(({ path }) => path.includes('/')).map(({ path }) => path.split('/')[0]))].sort()
  const cost = sources.filter(({ path }) => /^(graph|engine)\/(cost\/|explain\.ts|admission\.ts)/.test(path))
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
    'named types in the engine and around it': sum(inRooms(ENGINE_ROOMS).map(({ text }) => count(text, TYPE))),
    casts: sum(sources.map(({ text }) => count(text, CAST))),
    'casts outside the Pothos plugin': sum(sources.filter((source) => !isOwnPlugin(source)).map(({ text }) => count(text, CAST))),
    'lines of cost, explain and meter': sum(cost.map(({ text }) => linesOf(text))),
    'import cycles': cyclesOf(sources),
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
