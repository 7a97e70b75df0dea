import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { getNamedType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema } from '../src/graph/schema.js'

/** Sources by their path below `src`. */
type Sources = Readonly<Record<string, string>>

const root = new URL('../src/', import.meta.url)
const SOURCES: Sources = Object.fromEntries(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    // What is generated keeps no rules.
    .filter((path) => /\.tsx?$/.test(path) && path !== 'documents.ts')
    .sort()
    .map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
)

/** Code without comments; good enough for the style of this code, not for any. */
const bare = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

const IMPORT = /^(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

/** Paths below `src` that a file imports, types included; packages are left out. */
function importsOf(path: string, source: string): string[] {
  const imports = [...bare(source).matchAll(IMPORT)].map(([, from, dynamic]) => (from ?? dynamic) as string)
  return imports.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name).replace(/\.js$/, '.ts'))
}

/** Packages a file imports. */
const packagesOf = (source: string): string[] =>
  [...bare(source).matchAll(IMPORT)].map(([, from, dynamic]) => (from ?? dynamic) as string).filter((name) => /^[@\w]/.test(name))

/** Folders of the registry, in order. */
const registry = [...(SOURCES['graph/index.ts'] as string).matchAll(/import '\.\/([\w-]+)\/(?:type|mutations)\.js'/g)].map(
  ([, folder]) => folder as string,
)

/** Rooms in reading order, then the files that put them together. Files of a room import files of the same room and of those before it. */
const ORDER = [
  'options',
  'operations',
  'upstream',
  'model',
  'plan',
  'load',
  'cost',
  'prefetch',
  'execute',
  'graph/kit',
  'graph',
  'federation',
  'server',
  'accelerators',
  'tuning.ts',
  'parts.ts',
  'assembly.ts',
  'gateway.ts',
  'start.ts',
]

const roomOf = (path: string): string => /^graph\/kit(?=\/)|^[\w.-]+/.exec(path)?.[0] ?? ''

/** Parts of `graph` that more than one resource uses, and which use no resource but users. */
const SHARED = ['graph/post/columns.ts', 'graph/post/filters.ts', 'graph/post/routes.ts', 'graph/changes.ts']

/** What a type may use of `upstream`: errors to refuse input with, and the types of records and queries. */
const UPSTREAM_FOR_TYPES = ['upstream/errors.ts', 'upstream/codec/records.ts', 'upstream/client.ts']

/** What fields that combine several resources use in addition: the routes and columns of records that are no type of the graph. */
const UPSTREAM_FOR_COMPUTED = ['upstream/codec/columns.ts', 'upstream/codec/kinds.ts', 'upstream/roles.ts', 'upstream/routes.ts']

/** The assembly of a gateway, and the server that it listens with. */
const ASSEMBLY = ['assembly.ts', 'gateway.ts', 'start.ts']

/** What the command `serve` starts when no site is configured. */
const LMS_FOR_SERVE = ['lms/seed/people.ts', 'lms/thread.ts']

/** What reads the files of operations. */
const OPERATION_READERS = ['operations', 'check', 'server', 'assembly.ts', 'serve.ts', 'cli.ts']

/** What the checks of operations ask: the graph, and a gateway of the options. */
const FOR_CHECKS = [
  'graph/schema.ts',
  'cost/explain.ts',
  'federation/subgraph.ts',
  'server/limits/rules-on-parts.ts',
  'server/refusals.ts',
  'tuning.ts',
]

/** What the server sends to the page. */
const SENT_TO_PAGE = ['cost/explain.ts', 'server/http/plugins/use-graphiql.ts']

/** Readers of the options of commands. */
const COMMAND_READERS = ['command-line', 'effective', 'help', 'read', 'settings-file'].map((name) => `options/${name}.ts`)

/** Files beside the rooms that nearly all of them may import. */
const ROOT_HELPERS = ['checks.ts', 'maps.ts', 'nearest-name.ts', 'optional-package.ts', 'package-folder.ts', 'package-version.ts']

/** Whether a file may import another one: the rules of `docs/architecture.md`. */
function mayImport(from: string, to: string): boolean {
  const room = roomOf(from)
  // How servers listen, checks of options, maps, similar names, and where this package and optional ones are. They import nothing of ours but each other.
  if (ROOT_HELPERS.includes(to)) return room !== 'rules'
  if (to === 'listening.ts') return room === 'server' || room === 'lms'
  if (ROOT_HELPERS.includes(from) || from === 'listening.ts') return false
  const within = (...folders: string[]): boolean => folders.some((folder) => to.startsWith(`${folder}/`))
  if (to === 'serve.ts') return from === 'cli.ts'
  if (['cli.ts', 'index.ts', 'lms.ts', 'kit.ts'].includes(to)) return false
  if (from === 'cli.ts') return true
  if (from === 'serve.ts')
    return (
      within('options', 'operations', 'server', 'graph', 'federation', 'upstream') ||
      ['start.ts', 'tuning.ts'].includes(to) ||
      LMS_FOR_SERVE.includes(to)
    )
  // Not the embedded LMS: programs without it load no database.
  if (from === 'index.ts') return within('server', 'graph', 'federation', 'upstream', 'options') || ASSEMBLY.includes(to)
  if (from === 'lms.ts') return to === 'lms/index.ts'
  if (from === 'bundle.config.ts') return false
  if (from === 'kit.ts') return ORDER.indexOf(roomOf(to)) <= ORDER.indexOf('graph') && ORDER.includes(roomOf(to))
  if (from === 'make-schema.ts') return to === 'graph/schema.ts' || to === 'package-folder.ts' || within('graph/kit')
  if (COMMAND_READERS.includes(to) && (from === 'options/program.ts' || !['options', 'doctor', 'check', 'serve.ts'].includes(room)))
    return false
  // Types of what the server sends: another test sees to it.
  if (room === 'graphiql' && (within('operations') || SENT_TO_PAGE.includes(to))) return true
  if (within('operations') && !OPERATION_READERS.includes(room)) return false
  if (room === 'operations') return within('operations', 'options')
  if (room === 'check') return within('check', 'operations', 'options') || [...FOR_CHECKS, ...ASSEMBLY].includes(to)
  if (room === 'doctor') return within('doctor', 'upstream', 'options') || /^graph\/[\w-]+\/(columns|routes)\.ts$/.test(to)
  // The switches of the embedded LMS are options too.
  if (from === 'options/lms.ts' && to === 'lms/profile/switches.ts') return true
  if (['rules', 'graphiql', 'lms'].includes(room)) return within(room)
  if (room === 'graph') return mayImportInGraph(from, to)
  if (from === 'server/core.ts' && within('server/http')) return false
  // Nothing depends on them: the assembly passes them in.
  if (within('accelerators')) return room === 'accelerators' || from === 'assembly.ts'
  // Of the resources, what comes later knows only the schema that they make.
  if (ORDER.indexOf(room) > ORDER.indexOf('graph') && roomOf(to) === 'graph' && to !== 'graph/schema.ts') return false
  return ORDER.includes(room) && ORDER.includes(roomOf(to)) && ORDER.indexOf(roomOf(to)) <= ORDER.indexOf(room)
}

/** The types to which all post-like records have a relation. */
const OF_ALL_POSTS = ['graph/user/type.ts', 'graph/featured-image/type.ts', 'graph/lms-term/type.ts']

/** The rules within `graph`: a resource is a folder, and uses those before it in the registry. */
function mayImportInGraph(from: string, to: string): boolean {
  const within = (...folders: string[]): boolean => folders.some((folder) => to.startsWith(`${folder}/`))
  const kit = within('graph/kit', 'model', 'load', 'execute')
  if (from === 'graph/schema.ts') return within('graph/kit') || to === 'graph/index.ts'
  if (to === 'graph/schema.ts') return false
  if (from === 'graph/index.ts')
    return within('upstream', 'graph/computed') || SHARED.includes(to) || /^graph\/[\w-]+\/(type|mutations|routes)\.ts$/.test(to)
  const [, folder = '', file = ''] = /^graph\/([\w-]+)\/([\w-]+)\.ts$/.exec(from) ?? []
  if (folder === 'computed')
    return (
      within('graph/computed', 'rules') ||
      kit ||
      [...UPSTREAM_FOR_TYPES, ...UPSTREAM_FOR_COMPUTED].includes(to) ||
      /^graph\/[\w-]+\/(columns|routes|type)\.ts$/.test(to)
    )
  if (from === 'graph/post/type.ts') return kit || UPSTREAM_FOR_TYPES.includes(to) || SHARED.includes(to) || OF_ALL_POSTS.includes(to)
  if (SHARED.includes(from)) return within('upstream') || SHARED.includes(to)
  const own = within(`graph/${folder}`)
  const above = /^graph\/([\w-]+)\/(type|loader)\.ts$/.exec(to) ?? []
  const isAbove = (of: string): boolean =>
    above[2] === of && registry.includes(above[1] as string) && registry.indexOf(above[1] as string) < registry.indexOf(folder)
  if (file === 'loader') return within('upstream', 'load') || (own && to.endsWith('/routes.ts')) || isAbove('loader')
  if (file === 'type' || file === 'mutations') {
    return own || kit || UPSTREAM_FOR_TYPES.includes(to) || to === 'graph/post/type.ts' || isAbove('type')
  }
  if (file !== 'columns' && file !== 'routes') return false
  return within('upstream') || SHARED.includes(to) || (own && /\/(columns|routes)\.ts$/.test(to))
}

const forbiddenImports = (sources: Sources): string[] =>
  Object.entries(sources).flatMap(([path, source]) =>
    importsOf(path, source)
      .filter((to) => !mayImport(path, to))
      .map((to) => `${path} -> ${to}`),
  )

/** Import paths that lead to no file: the reader above would else be blind to them. */
const dangling = (sources: Sources): string[] =>
  Object.entries(sources).flatMap(([path, source]) =>
    importsOf(path, source)
      .filter((to) => !(to in sources) && !(to.replace(/\.ts$/, '.tsx') in sources) && /\.tsx?$/.test(to))
      .map((to) => `${path} -> ${to}`),
  )

function cycles(sources: Sources): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
      return
    }
    if (done.has(path)) return
    for (const next of importsOf(path, sources[path] ?? '')) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of Object.keys(sources)) visit(path, [])
  return found
}

const LONGEST = 400

/** Longer files, each with its reason. */
const LONG: Readonly<Record<string, string>> = {}

const tooLong = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path, source]) => source.split('\n').length - 1 > LONGEST && !(path in LONG))
    .map(([path]) => path)

interface Ban {
  readonly pattern: RegExp
  readonly why: string
  /** Files and folders in which it is allowed, each with its reason. */
  readonly except: Readonly<Record<string, string>>
}

const ISLANDS = { 'upstream/': 'where wire values are read', 'lms/': 'another island', 'graphiql/': 'another island' }

const BANS: Readonly<Record<string, Ban>> = {
  process: {
    pattern: /\bprocess\.(?!cwd)|from 'node:process'/,
    why: 'only the command line may touch the process',
    except: {
      'cli.ts': 'the command line',
      'upstream/transport/memory.ts': 'the memory limit of the container',
      'server/metrics/metrics.ts': 'the version of Node.js',
      'graphiql/vite.config.ts': 'a build script',
      'graphiql/share/programs.ts': 'a program that people copy',
    },
  },
  fetch: {
    pattern: /(?<![\w.])fetch\(/,
    why: 'only the transport talks to the site',
    except: { 'graphiql/': 'runs in the browser' },
  },
  toggles: { pattern: /===? '(on|off|yes|no)'/, why: 'column kinds read toggles', except: ISLANDS },
  numbers: {
    pattern: /(?<!\w)Number\(/,
    why: 'column kinds read numbers',
    except: {
      ...ISLANDS,
      'graph/kit/ids.ts': 'ids in arguments are digits',
      'options/access.ts': 'the user of a key in digits',
      'options/option.ts': 'flags and variables hold digits',
      'options/observe.ts': 'an option with a port',
      'options/site.ts': 'offsets of time zones hold digits',
      'load/windows.ts': 'cursors hold digits',
      'server/http/bodies.ts': 'the length in a header',
      'server/http/media-types.ts': 'quality values of an Accept header',
      'server/http/yoga.ts': 'the length in a header',
      'graph/course-progress/': 'its key is made of two ids',
      'graph/lms-term/': 'its key ends in an id',
    },
  },
  rendered: { pattern: /\.rendered\b(?!['\w])/, why: 'column tables name members', except: ISLANDS },
  reads: {
    pattern: /\bclient[!?]?\.(list|get)\b|\b(list|get)\b[^=]*\} = [\w.]*\bclient\b/,
    why: 'only batch functions read from the site',
    except: {
      'load/': 'batch functions, and the read of the viewer',
      'doctor/': 'examines a site before a gateway serves it',
      'server/site-checks.ts': 'asks whether the site answers',
    },
  },
  writes: {
    pattern: /\bclient[!?]?\.write\b/,
    why: 'a write drops the records that were read',
    except: { 'prefetch/operation.ts': 'drops them' },
  },
  batches: {
    pattern: /(?<!function )\b(readRecords|readLists|lookUp)\(/,
    why: 'only DataLoaders call batch functions',
    except: {
      'load/loaders.ts': 'the DataLoader by id, which is one',
    },
  },
  loaders: {
    pattern: /'dataloader'/,
    why: 'one file decides how DataLoaders are scheduled',
    except: { 'load/loaders.ts': 'that file' },
  },
  undici: {
    pattern: /'undici['/]/,
    why: 'only the transport talks to the site',
    except: { 'upstream/transport/undici': 'its connections', 'upstream/transport/exchange.ts': 'one of its calls' },
  },
}

const banned = (sources: Sources, { pattern, except }: Ban): string[] =>
  Object.entries(sources).flatMap(([path, source]) =>
    Object.keys(except).some((allowed) => path.startsWith(allowed))
      ? []
      : bare(source)
          .split('\n')
          .filter((line) => pattern.test(line))
          .map((line) => `${path}: ${line.trim()}`),
  )

/** Words of the first version that the glossary of `docs/architecture.md` replaces. */
const RETIRED =
  /\b([Cc]rew|[Jj]ournal|[Ll]ifetimes?|[Mm]anners|LIBERTIES|[Ll]iberties|[Ff]illing|Filling|Fill|[Gg]ranted|Noted|UNUSUAL|[Dd]oors?|[Aa]sker|Guest|Seat|[Mm]ended|Sending)\b/

const retired = (sources: Sources): string[] =>
  Object.entries(sources)
    // Texts of the sample school are prose.
    .filter(([path]) => !path.startsWith('lms/seed/'))
    .flatMap(([path, source]) =>
      source
        .split('\n')
        .filter((line) => RETIRED.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )

/** Names of things of the LMS; a user is none: sites of all kinds have users. */
const RESOURCE =
  /\b(Course|Lesson|Quiz|Question|PriceType|GroupCourse|CourseProgress)s?\b|\b(course|lesson|quiz|question|price-?[tT]ype)(s|zes)?\b/

const NAMES_OF_SITES = ['upstream/site/presets.ts', 'upstream/site/unspecified.ts']

const namesResources = (sources: Sources): string[] =>
  Object.entries(sources)
    // Presets are what some sites call things and how they treat them.
    .filter(
      ([path]) =>
        /^(upstream|model|plan|load|cost|prefetch|execute|accelerators|graph\/kit)\//.test(path) && !NAMES_OF_SITES.includes(path),
    )
    .flatMap(([path, source]) =>
      bare(source)
        .split('\n')
        .filter((line) => RESOURCE.test(line.replace(/https?:\S+/g, '')))
        .map((line) => `${path}: ${line.trim()}`),
    )

const DECLARED = /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
const LISTED = /^export (?:type )?\{([^}]*)\}/gm

function exportsOf(source: string): string[] {
  const listed = [...bare(source).matchAll(LISTED)].flatMap(([, names = '']) => names.split(','))
  const names = listed.map((name) =>
    name
      .trim()
      .replace(/^type /, '')
      .replace(/^\w+ as /, ''),
  )
  return [...[...bare(source).matchAll(DECLARED)].map(([, name]) => name as string), ...names.filter((name) => name !== '')]
}

/** Exported values no other source uses, each with its reason. */
const UNUSED: Readonly<Record<string, string>> = {
  'graph/post/columns.ts: menuOrderColumns': 'for resources from outside, by the kit',
  'graph/post/columns.ts: permalinkColumns': 'for resources from outside, by the kit',
  'graph/question/columns.ts: answerColumns': 'a column table, as every record has',
  'gateway.ts: createTuned': 'tests set what only they may set',
  'start.ts: startTuned': 'tests set what only they may set',
  'options/complaints.ts: allowedAs': 'the reference of options, by the documentation',
  'options/help.ts: TITLES': 'the reference of options, by the documentation',
  'options/help.ts: flagText': 'the reference of options, by the documentation',
  'options/command-line.ts: joinValues': 'tested with random words',
  'server/limits/limits.ts: LIMITS': 'compared with what requests exceed',
  'server/limits/measures.ts: nestingOf': 'compared with the lexer of graphql on random documents',
  'upstream/errors.ts: RateLimitedError': 'one of the family',
}

/** Further ones when the accelerators are deleted, which nothing else has to change for. */
const FOR_ACCELERATORS: Readonly<Record<string, string>> = {
  'plan/graphql-js.ts: outputValue': 'differs between the versions of graphql-js',
}

const hasAccelerators = Object.keys(SOURCES).some((path) => path.startsWith('accelerators/'))

/**
 * Exports that no other source file names. Those of `index.ts`, `kit.ts` and `lms.ts` are for everybody, the lists of the LMS's specification stand
 * together, and a type may be exported because it is part of another export of its file.
 */
function unusedExports(sources: Sources): string[] {
  const importers = new Map<string, string[]>()
  for (const [path, source] of Object.entries(sources)) {
    for (const to of importsOf(path, source)) importers.set(to, [...(importers.get(to) ?? []), bare(source)])
  }
  const isPartOfAnother = (source: string, name: string): boolean =>
    new RegExp(`^export (type|interface) ${name}\\b|^export .*\\btype ${name}\\b`, 'm').test(source) &&
    (bare(source).match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1
  return Object.entries(sources)
    .filter(([path]) => !['index.ts', 'kit.ts', 'lms.ts'].includes(path) && !path.startsWith('graphiql/') && !path.startsWith('lms/spec/'))
    .flatMap(([path, source]) =>
      exportsOf(source)
        .filter((name) => !importers.get(path)?.some((importer) => new RegExp(`\\b${name}\\b`).test(importer)))
        .filter((name) => !isPartOfAnother(source, name))
        .map((name) => `${path}: ${name}`),
    )
}

/** Types in the folder of another one. */
const IN_FOLDER: Readonly<Record<string, string>> = { CourseStep: 'course-progress' }

const folderOf = (type: string): string => IN_FOLDER[type] ?? type.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()

/** Relations of a file by the type they start from: fields of `implement`, and fields that are added to types above in the registry. */
function relationsIn(source: string): { readonly start: string; readonly field: string }[] {
  const code = bare(source)
  const added = [...code.matchAll(/\bobjectField\(\s*(\w+),\s*'(\w+)',\s*\(t\)\s*=>\s*t\.lms\w+\(/g)]
  const implemented = [...code.matchAll(/^(?:export )?(\w+)\.implement\(\{\n([\s\S]*?)^\}\)/gm)].flatMap(([, start, body = '']) =>
    [...body.matchAll(/\b(\w+): t\.lms\w+\(/g)].map(([, field]) => [start, field]),
  )
  return [...added.map(([, start, field]) => [start, field]), ...implemented].map(([start = '', field = '']) => ({ start, field }))
}

/** Relations that are not declared beside the lower of their two ends. */
function misplacedEdges(sources: Sources): string[] {
  const place = (type: string): number => registry.indexOf(folderOf(type))
  return Object.entries(sources).flatMap(([path, source]) => {
    const folder = /^graph\/(?!computed|post|kit)([\w-]+)\/type\.ts$/.exec(path)?.[1]
    if (folder === undefined) return []
    return relationsIn(source).flatMap(({ start, field }) => {
      const type = graphSchema().getType(start)
      if (!isObjectType(type)) return [`${path}: ${start}.${field} starts at no type`]
      const end = getNamedType(type.getFields()[field]!.type).name.replace(/Connection$/, '')
      // Lists that have a folder of their own lead from both ends.
      if (place(end) < 0) return place(start) <= registry.indexOf(folder) ? [] : [`${path}: ${start}.${field} belongs to a later folder`]
      const lower = place(start) > place(end) ? start : end
      return place(lower) === registry.indexOf(folder) ? [] : [`${path}: ${start}.${field} belongs to ${folderOf(lower)}`]
    })
  })
}

/** The packages that each file imports, without those of Node. The page of GraphiQL is built with its own. */
const packagesIn = (sources: Sources): (readonly [path: string, name: string])[] =>
  Object.entries(sources)
    .filter(([path]) => path !== 'bundle.config.ts' && !path.startsWith('graphiql/'))
    .flatMap(([path, source]) => packagesOf(source).map((name) => [path, name] as const))
    .filter(([, name]) => !name.startsWith('node:'))
    .map(([path, name]) => [path, name.split('/', name.startsWith('@') ? 2 : 1).join('/')] as const)

/** The sources with one file added or replaced. */
const withFile = (path: string, source: string): Sources => ({ ...SOURCES, [path]: source })

describe('imports', () => {
  it('are all seen', () => {
    expect(Object.keys(SOURCES).length).toBeGreaterThan(80)
    expect(Object.entries(SOURCES).flatMap(([path, source]) => importsOf(path, source)).length).toBeGreaterThan(200)
    expect(dangling(SOURCES)).toEqual([])
    expect(registry.length).toBe(14)
  })

  it('keep to the rules', () => {
    expect(forbiddenImports(SOURCES)).toEqual([])
  })

  it('give the page in the browser nothing but types of what is outside of its room', () => {
    const isOutside = (to: string): boolean => !to.startsWith('graphiql/') && !ROOT_HELPERS.includes(to)
    const lines = Object.entries(SOURCES)
      .filter(([path]) => path.startsWith('graphiql/'))
      .flatMap(([path, source]) => source.split('\n').filter((line) => importsOf(path, line).some(isOutside)))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => !line.startsWith('import type '))).toEqual([])
  })

  it.each([
    ['upstream/new.ts', "import { x } from '../graph/kit/ids.js'"],
    ['upstream/new.ts', "export { x } from '../graph/post/columns.js'"],
    ['upstream/new.ts', "import type { Edge } from '../model/edge.js'"],
    ['model/new.ts', "import type { Plan } from '../plan/plan.js'"],
    ['plan/new.ts', "import type { RecordState } from '../load/records.js'"],
    ['load/new.ts', "import type { Operation } from '../prefetch/operation.js'"],
    ['load/new.ts', "import { Meter } from '../cost/budget.js'"],
    ['cost/new.ts', "import type { Operation } from '../prefetch/operation.js'"],
    ['prefetch/new.ts', "import type { GraphContext } from '../execute/context.js'"],
    ['execute/new.ts', "import { builder } from '../graph/kit/builder.js'"],
    ['execute/new.ts', "import { x } from '../gateway.js'"],
    ['lms/new.ts', "import type { Site } from '../upstream/site/site.js'"],
    ['rules/new.ts', "import { Store } from '../lms/store.js'"],
    ['graphiql/new.ts', "const x = await import('../graph/kit/ids.js')"],
    ['graph/kit/new.ts', "import '../index.js'"],
    ['graph/kit/new.ts', "import { x } from '../schema.js'"],
    ['graph/kit/new.ts', "import { x } from '../../gateway.js'"],
    ['graph/course/columns.ts', "import { builder } from '../kit/builder.js'"],
    ['graph/course/routes.ts', "import { Course } from './type.js'"],
    ['graph/course/routes.ts', "import { courses } from './loader.js'"],
    ['graph/course/loader.ts', "import { Course } from './type.js'"],
    ['graph/course/loader.ts', "import { groupList } from '../group/routes.js'"],
    ['graph/course/columns.ts', "import { lessonColumns } from '../lesson/columns.js'"],
    ['graph/course/type.ts', "import {\n  Lesson,\n} from '../lesson/type.js'"],
    ['graph/lesson/type.ts', "import { courseColumns } from '../course/columns.js'"],
    ['graph/course/type.ts', "import { Client } from '../../upstream/transport/transport.js'"],
    ['graph/course/type.ts', "import '../schema.js'"],
    ['graph/course/extra.ts', "import { builder } from '../kit/builder.js'"],
    ['server/new.ts', "import { Course } from '../graph/course/type.js'"],
    ['server/new.ts', "import { courseList } from '../graph/course/routes.js'"],
    ['server/core.ts', "import { send } from './http/responses.js'"],
    ['server/new.ts', "import type { Gateway } from '../gateway.js'"],
    ['gateway.ts', "import { startGateway } from './start.js'"],
    ['execute/new.ts', "import { BAILOUT } from '../accelerators/field-writers.js'"],
    ['server/new.ts', "import type { CompiledWriters } from '../accelerators/response-writer.js'"],
    ['gateway.ts', "import { ACCELERATORS } from './accelerators/index.js'"],
    ['accelerators/new.ts', "import type { Gateway } from '../gateway.js'"],
    ['accelerators/new.ts', "import { Course } from '../graph/course/type.js'"],
    ['gateway.ts', "import { readOptions } from './options/read.js'"],
    ['gateway.ts', "import { Course } from './graph/course/type.js'"],
    ['serve.ts', "import { createGateway } from './gateway.js'"],
    ['server/new.ts', "import { startLms } from '../lms/index.js'"],
    ['server/new.ts', "import { readOptions } from '../options/read.js'"],
    ['options/program.ts', "import { readOptions } from './read.js'"],
    ['checks.ts', "import { Site } from './upstream/site/site.js'"],
    ['options/new.ts', "import { defineSite } from '../upstream/site/site.js'"],
    ['options/new.ts', "import { startLms } from '../lms/index.js'"],
    ['options/new.ts', "import { createGateway } from '../gateway.js'"],
    ['parts.ts', "import { assemble } from './assembly.js'"],
    ['server/new.ts', "import { x } from '../index.js'"],
    ['index.ts', "export { startLms } from './lms/index.js'"],
    ['index.ts', "export { startLms } from './lms.js'"],
    ['lms.ts', "export { createGateway } from './gateway.js'"],
    ['bundle.config.ts', "import { OPTIONS } from './options/table.js'"],
    ['package-folder.ts', "import { OPTIONS } from './options/table.js'"],
    ['rules/new.ts', "import { PACKAGE_FOLDER } from '../package-folder.js'"],
    ['make-schema.ts', "import { x } from './gateway.js'"],
    ['server/new.ts', "import { examine } from '../doctor/examine.js'"],
    ['options/new.ts', "import { examine } from '../doctor/examine.js'"],
    ['doctor/new.ts', "import { Course } from '../graph/course/type.js'"],
    ['doctor/new.ts', "import { createGateway } from '../gateway.js'"],
    ['operations/new.ts', "import type { Role } from '../upstream/roles.js'"],
    ['upstream/new.ts', "import { readCollection } from '../operations/collection.js'"],
    ['check/new.ts', "import { Course } from '../graph/course/type.js'"],
    ['server/new.ts', "import { check } from '../check/check.js'"],
    ['serve.ts', "import { check } from './check/check.js'"],
    ['serve.ts', "import { startLms } from './lms/index.js'"],
    ['server/new.ts', "import { serve } from '../serve.js'"],
    ['options/new.ts', "import { startGateway } from '../start.js'"],
    ['federation/new.ts', "import { x } from '../gateway.js'"],
    ['rules/new.ts', "import type { Site } from '../upstream/site/site.js'"],
    ['rules/new.ts', "import { checkOptions } from '../checks.js'"],
    ['rules/new.ts', "import { Course } from '../graph/course/type.js'"],
    ['graph/kit/new.ts', "import { courseAccess } from '../../rules/access.js'"],
    ['execute/new.ts', "import type { Access } from '../rules/access.js'"],
    ['server/new.ts', "import { courseAccess } from '../rules/access.js'"],
    ['kit.ts', "export { courseAccess } from './rules/access.js'"],
    ['graph/course/type.ts', "import { courseAccess } from '../../rules/access.js'"],
    ['graph/course/type.ts', "import { learnerOf } from '../computed/facts.js'"],
    ['graph/computed/new.ts', "import { Client } from '../../upstream/transport/transport.js'"],
    ['graph/computed/new.ts', "import '../index.js'"],
    ['graph/computed/new.ts', "import { x } from '../schema.js'"],
  ])('of %s that break a rule are found: %s', (path, source) => {
    expect(forbiddenImports(withFile(path, source))).toHaveLength(1)
  })

  it('have no cycles', () => {
    expect(cycles(SOURCES)).toEqual([])
  })

  it.each<[kind: string, sources: Sources]>([
    ['of two files', { 'a.ts': "import { b } from './b.js'", 'b.ts': "import { a } from './a.js'" }],
    ['of types', { 'a.ts': "import type { B } from './b.js'", 'b.ts': "import { type A } from './a.js'" }],
    ['through a file between them', { 'a.ts': "import './b.js'", 'b.ts': "import './c.js'", 'c.ts': "import { a } from './a.js'" }],
    [
      'through an index file that only re-exports',
      {
        'x/index.ts': "export { a } from './a.js'\nexport { b } from './b.js'",
        'x/a.ts': 'export const a = 1',
        'x/b.ts': "import { a } from './index.js'",
      },
    ],
    ['through a re-export of everything', { 'a.ts': "export * from './b.js'", 'b.ts': "import { c } from './a.js'" }],
    ['through an import at run time', { 'a.ts': "import { b } from './b.js'", 'b.ts': "const { a } = await import('./a.js')" }],
    ['of two rooms', { 'x/a.ts': "import { b } from '../y/b.js'", 'y/b.ts': "import type { A } from '../x/a.js'" }],
  ])('in a cycle %s are found', (_, sources) => {
    expect(cycles(sources)).toHaveLength(1)
    expect(cycles({ ...SOURCES, ...sources })).not.toEqual([])
  })

  it('of packages are dependencies', () => {
    const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as Record<string, Record<string, string>>
    const installed = { ...dependencies, ...peerDependencies, ...optionalDependencies }
    const outside = (sources: Sources): string[] =>
      packagesIn(sources)
        .filter(([, name]) => !(name in installed))
        .map(([path, name]) => `${path}: ${name}`)
    expect(outside(SOURCES)).toEqual([])
    expect(outside(withFile('upstream/new.ts', "import x from 'left-pad'"))).toEqual(['upstream/new.ts: left-pad'])
    const ofRules = (sources: Sources): string[] =>
      packagesIn(sources)
        .filter(([path]) => path.startsWith('rules/'))
        .map(([, name]) => name)
    expect(ofRules(SOURCES)).toEqual([])
    expect(ofRules(withFile('rules/new.ts', "import { DateTime } from 'luxon'"))).toEqual(['luxon'])
  })
})

describe('code', () => {
  it(`has at most ${LONGEST} lines in a file`, () => {
    expect(tooLong(SOURCES)).toEqual([])
    expect(tooLong(withFile('upstream/new.ts', 'x\n'.repeat(LONGEST + 1)))).toEqual(['upstream/new.ts'])
    expect(Object.keys(LONG).filter((path) => (SOURCES[path] ?? '').split('\n').length - 1 <= LONGEST)).toEqual([])
  })

  it.each(Object.entries(BANS))('keeps %s where they belong', (_, ban) => {
    expect(banned(SOURCES, ban)).toEqual([])
  })

  it.each([
    ['process', 'const x = process.env.HOME'],
    ['fetch', 'const x = await fetch(url)'],
    ['toggles', "const x = raw === 'on'"],
    ['numbers', 'const x = Number(raw)'],
    ['rendered', 'const x = raw.title.rendered'],
    ['undici', "import { request } from 'undici'"],
    ['reads', 'const { rows } = await client.list(route, {}, {}, call)'],
    ['reads', 'const row = await this.upstream.client.get(route, {}, {}, call)'],
    ['reads', 'const { list } = this.client'],
    ['writes', 'await client.write(method, route, {}, {}, call)'],
    ['batches', 'await Promise.all(readRecords(reads, context))'],
    ['loaders', "import DataLoader from 'dataloader'"],
  ])('finds misplaced %s', (name, source) => {
    expect(banned(withFile('server/new.ts', source), BANS[name]!)).toEqual([`server/new.ts: ${source}`])
  })

  it.each(Object.entries(BANS))('has a use for every exception of %s', (_, { pattern, except }) => {
    const unused = Object.keys(except).filter(
      (allowed) => !Object.entries(SOURCES).some(([path, source]) => path.startsWith(allowed) && pattern.test(bare(source))),
    )
    expect(unused.filter((allowed) => !(allowed in ISLANDS))).toEqual([])
  })

  it('uses no word that the glossary replaces', () => {
    expect(retired(SOURCES)).toEqual([])
    expect(retired(withFile('server/new.ts', 'const crew = 1 // The journal'))).toHaveLength(1)
  })

  it('has a glossary of at most 30 terms', () => {
    const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
    const terms = page.split('## Glossary')[1]?.match(/^\| \*\*[^*]+\*\* \|/gm) ?? []
    expect(terms.length).toBeGreaterThan(20)
    expect(terms.length).toBeLessThanOrEqual(30)
    expect(new Set(terms).size).toBe(terms.length)
  })

  it('has every file and folder that the page on the architecture names', () => {
    const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
    const named = [
      ...page.matchAll(
        /`((?:server|graph|model|plan|load|cost|prefetch|execute|upstream|federation|accelerators|operations|options|check|lms|doctor|graphiql)\/[\w/.-]*)`/g,
      ),
    ]
    expect(named.length).toBeGreaterThan(40)
    // This folder can be deleted without another change.
    const paths = named.map(([, path]) => path as string).filter((path) => hasAccelerators || !path.startsWith('accelerators/'))
    expect(paths.filter((path) => !Object.keys(SOURCES).some((known) => known === path || known.startsWith(path)))).toEqual([])
  })

  it('names no resource before the folders of resources', () => {
    expect(namesResources(SOURCES)).toEqual([])
    expect(namesResources(withFile('load/new.ts', "const x = 'Course'"))).toHaveLength(1)
    expect(namesResources(withFile('upstream/new.ts', 'const lessons = 1'))).toHaveLength(1)
  })

  it('declares each relation beside the lower of its ends', () => {
    const relations = Object.values(SOURCES).flatMap(relationsIn)
    expect(relations.length).toBeGreaterThan(15)
    expect(misplacedEdges(SOURCES)).toEqual([])
    for (const source of [
      "builder.objectField(Course, 'lessons', (t) =>\n  t.lmsConnection(Lesson, {}),\n)",
      'Course.implement({\n  fields: (t) => ({\n    lessons: t.lmsConnection(Lesson, {}),\n  }),\n})',
    ])
      expect(misplacedEdges(withFile('graph/course/type.ts', source))).toEqual(['graph/course/type.ts: Course.lessons belongs to lesson'])
  })

  it('exports nothing for tests only', () => {
    const without = Object.fromEntries(Object.entries(SOURCES).filter(([path]) => !path.startsWith('accelerators/')))
    const known = { ...UNUSED, ...FOR_ACCELERATORS }
    expect(unusedExports(without).sort()).toEqual(Object.keys(known).sort())
    if (hasAccelerators) expect(unusedExports(SOURCES).sort()).toEqual(Object.keys(UNUSED).sort())
    const added =
      'export const onlyForTests = 1\nexport { a as b }\nexport type Lonely = 1\nexport interface Part {}\nexport const whole: Part = {}'
    const found = unusedExports(withFile('upstream/new.ts', added)).filter((name) => name.startsWith('upstream/new.ts'))
    expect(found.map((name) => name.slice('upstream/new.ts: '.length)).sort()).toEqual(['Lonely', 'b', 'onlyForTests', 'whole'])
  })
})
