import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLmsThread } from '../../src/lms.js'
import { V8_FLAGS } from '../support/v8-flags.js'

// What the build writes, and what programs load of it.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIST = join(ROOT, 'dist')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const PACKAGE = readJson('package.json') as Manifest
const INSTALLED = Object.keys({ ...PACKAGE.dependencies, ...PACKAGE.peerDependencies, ...PACKAGE.optionalDependencies })

/** The modules in each file of the bundle, by their paths below the root of the repository. */
const MODULES = readJson('dist/build/modules.json') as Readonly<Record<string, readonly string[]>>
const ALL = Object.values(MODULES).flat()

/** The folder of the package that a module is from; undefined for modules of this repository. */
const folderOf = (module: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]
const FOLDERS = [...new Set(ALL.flatMap((module) => folderOf(module) ?? []))].sort()
const nameOf = (folder: string): string => folder.split('node_modules/').at(-1) as string

function staticImportsOf(path: string, text: string): string[] {
  const { module } = parseSync(path, text)
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  ]
}

/** What a JavaScript file imports, dynamically too. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const dynamic = parseSync(file, text).module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end))
  // Only texts: an address that is computed is that of a file of the package.
  return [...staticImportsOf(file, text), ...dynamic.flatMap((each) => /^["']([^"']+)["']$/.exec(each)?.[1] ?? [])]
}

const published = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.js$/.test(path) && !/^(build|graphiql)\b/.test(path))
  .map((path) => join(DIST, path))

describe('the bundle', () => {
  it('has each module once', () => {
    expect(ALL.length).toBeGreaterThan(500)
    const repeated = ALL.filter((module, index) => !module.startsWith('\0') && ALL.indexOf(module) !== index)
    expect(repeated).toEqual([])
  })

  it('has no module of a package that programs install', () => {
    expect(FOLDERS.length).toBeGreaterThan(30)
    expect(FOLDERS.map(nameOf).filter((name) => INSTALLED.includes(name))).toEqual([])
    expect(FOLDERS.map(nameOf)).toEqual(expect.arrayContaining(['graphql-yoga', 'undici', '@whatwg-node/promise-helpers', 'zod', 'hono']))
  })

  it('imports only Node, installed packages and its own files', () => {
    expect(published.length).toBeGreaterThan(20)
    const outside = published.flatMap((file) =>
      importsOf(file)
        .filter((name) => {
          if (name.startsWith('.')) return !existsSync(resolve(dirname(file), name))
          return !isBuiltin(name) && !INSTALLED.includes(name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
        })
        .map((name) => `${relative(DIST, file)}: ${name}`),
    )
    expect(outside).toEqual([])
  })

  it('names each bundled package with its version and licence', () => {
    const sections = readFileSync(join(DIST, 'THIRD-PARTY-LICENSES.md'), 'utf8').split(/^## /m).slice(1)
    const listed = new Map(sections.map((section) => [section.split(' (')[0] as string, section.split('\n').slice(1).join('\n').trim()]))
    const bundled = FOLDERS.map((folder) => {
      const { name, version } = readJson(`${folder}/package.json`) as Manifest
      return `${name} - ${version}`
    })
    expect([...listed.keys()].sort()).toEqual([...new Set(bundled)].sort())
    const withoutText = [...listed].filter(([, text]) => text.length < 300).map(([name]) => name)
    expect(withoutText).toEqual([])
  })
})

describe('the package', () => {
  it('has every file that it names', () => {
    const named = Object.values(PACKAGE.exports).flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
    expect(named.length).toBe(15)
    expect([...named, ...Object.values(PACKAGE.bin)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const first = Object.values(PACKAGE.exports).flatMap((target) => (typeof target === 'string' ? [] : [Object.keys(target)[0]]))
    expect(first).toEqual(['types', 'types', 'types', 'types', 'types'])
  })

  it('has a command that can be executed, and gives Node its flags, as the scripts do', () => {
    const [command] = Object.values(PACKAGE.bin).map((path) => join(ROOT, path)) as [string]
    expect(statSync(command).mode & 0o111).toBe(0o111)
    expect(readFileSync(command, 'utf8').split('\n')[0]).toBe(
      '#!/usr/bin/env -S node --max-semi-space-size=48 --min-semi-space-size=48 --no-parallel-scavenge --no-allocation-site-pretenuring',
    )
    expect(PACKAGE.scripts.start).toBe(`node ${V8_FLAGS.join(' ')} dist/cli.js`)
    expect(PACKAGE.scripts.dev).toBe(`tsx watch ${V8_FLAGS.join(' ')} src/cli.ts`)
  })

  it('has types that import installed packages only', () => {
    const types = readdirSync(join(DIST, 'types'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'))
    expect(types.length).toBeGreaterThan(50)
    const names = types.flatMap((path) => {
      const text = readFileSync(join(DIST, 'types', path), 'utf8')
      const inTypes = [...text.matchAll(/\bimport\(["']([^"']+)["']\)/g)].map(([, name = '']) => name)
      return [...staticImportsOf(path, text), ...inTypes].map((name) => [path, name] as const)
    })
    const missing = names.filter(([path, name]) => {
      if (name.startsWith('.')) return !existsSync(join(DIST, 'types', dirname(path), name.replace(/\.js$/, '.d.ts')))
      return !isBuiltin(name) && !INSTALLED.includes(name)
    })
    expect(missing).toEqual([])
    expect(names.length).toBeGreaterThan(100)
  })
})

/** Loads modules, and reports their addresses, the modules of CommonJS and the native libraries of the process. */
const PROGRAM = (body: string) => `
  import { createRequire, register } from 'node:module'
  import { MessageChannel } from 'node:worker_threads'
  const hooks = "let port; export const initialize = (data) => { port = data.port }; " +
    "export const load = async (url, context, next) => { port.postMessage(url); return next(url, context) }"
  const { port1, port2 } = new MessageChannel()
  const urls = []
  port1.on('message', (url) => urls.push(url))
  port1.unref()
  register('data:text/javascript,' + encodeURIComponent(hooks), import.meta.url, { data: { port: port2 }, transferList: [port2] })
  ${body}
  await new Promise((resolve) => setTimeout(resolve, 200))
  const loaded = [...urls, ...Object.keys(createRequire(import.meta.url).cache), ...process.report.getReport().sharedObjects]
  console.log(JSON.stringify(loaded))
  process.exit()`

interface Loaded {
  /** Modules of this repository, and packages in the bundle. */
  readonly bundled: readonly string[]
  /** Installed packages. */
  readonly installed: readonly string[]
}

function loadedBy(body: string): Loaded {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM(body)], { cwd: ROOT, encoding: 'utf8' })
  const paths = (JSON.parse(text.trim().split('\n').at(-1) as string) as string[]).map((name) =>
    name.startsWith('file:') ? fileURLToPath(name) : name,
  )
  const files = paths.filter((path) => path.startsWith(`${DIST}/`)).map((path) => relative(DIST, path))
  const modules = files.flatMap((file) => MODULES[file] ?? [])
  return {
    bundled: [...new Set(modules.map((module) => (folderOf(module) ? nameOf(folderOf(module) as string) : module)))].sort(),
    installed: [...new Set(paths.flatMap((path) => (path.startsWith(DIST) ? [] : (folderOf(`${path}/`) ?? []))).map(nameOf))].sort(),
  }
}

describe('lms-graphql', () => {
  let lms: RunningLms
  beforeAll(async () => {
    // In a thread: this one waits for child processes.
    lms = await startLmsThread()
  })
  afterAll(() => lms.close())

  const address = (name: string) => JSON.stringify(pathToFileURL(join(DIST, name)).href)
  const asking = () => `
    const { createGateway } = await import(${address('index.js')})
    const gateway = createGateway({ upstream: ${JSON.stringify(`${lms.url}`)} })
    const body = JSON.stringify({ query: '{ courses(first: 1) { nodes { title } } }' })
    const response = await gateway.fetch('http://gateway.test/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { data } = await response.json()
    if (!data.courses.nodes[0].title) throw new Error('no course')
    await gateway.close()`

  it('loads neither the embedded LMS nor SQLite to answer in front of a site', () => {
    const { bundled, installed } = loadedBy(asking())
    expect(bundled).toContain('src/server/gateway.ts')
    // Settings take the values that they allow from the tables of profiles.
    expect(bundled.filter((module) => module.startsWith('src/lms/') && !module.startsWith('src/lms/profile/'))).toEqual([])
    expect(bundled.filter((name) => ['hono', '@hono/node-server'].includes(name))).toEqual([])
    expect(installed).toEqual([
      '@pothos/core',
      '@pothos/plugin-dataloader',
      '@pothos/plugin-errors',
      '@pothos/plugin-relay',
      'dataloader',
      'graphql',
    ])
  })

  it('loads no package on import that it may not need', () => {
    const { bundled } = loadedBy(`await import(${address('index.js')})`)
    expect(bundled).toContain('graphql-yoga')
    expect(bundled.filter((name) => ['jose', 'pino', 'pino-pretty', 'yaml', 'hono'].includes(name))).toEqual([])
  })

  it('loads SQLite for the embedded LMS', () => {
    const { bundled, installed } = loadedBy(`const { startLms } = await import(${address('lms.js')}); await (await startLms()).close()`)
    expect(bundled).toContain('src/lms/store.ts')
    expect(bundled).not.toContain('src/server/gateway.ts')
    expect(installed).toContain('libsql')
    expect(installed).not.toContain('graphql')
  })
})
