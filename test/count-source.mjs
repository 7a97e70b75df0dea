// Counts the source by room: `node test/count-source.mjs [ROOT ...]`. Compares the columns of several checkouts.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
    'files below 50 lines': sources.filter(({ text }) => linesOf(text) < 50).length,
    'named types in the engine and around it': sum(inRooms(ENGINE_ROOMS).map(({ text }) => count(text, TYPE))),
    casts: sum(sources.map(({ text }) => count(text, CAST))),
    'casts outside the Pothos plugin': sum(sources.filter((source) => !isOwnPlugin(source)).map(({ text }) => count(text, CAST))),
    'lines of cost, explain and meter': sum(cost.map(({ text }) => linesOf(text))),
    'import cycles': cyclesOf(sources),
    ...Object.fromEntries(rooms.map((room) => [`named types in ${room}`, sum(inRooms([room]).map(({ text }) => count(text, TYPE)))])),
  }
}

const roots = process.argv.length > 2 ? process.argv.slice(2) : ['.']
const columns = roots.map(countsOf)
for (const name of new Set(columns.flatMap((column) => Object.keys(column))))
  console.log([name.padEnd(44), ...columns.map((column) => String(column[name] ?? '-').padStart(7))].join(''))
