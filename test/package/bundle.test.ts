import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLmsThread } from '../../src/lms.js'

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

/** The name of the package that a module or a part of it is from. */
const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

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

describe('`lms-graphql/schema`', () => {
  it('is two files that compile and run without the package, as docs/front-ends/index.md says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-schema-'))
    try {
      copyFileSync(join(DIST, 'schema.js'), join(folder, 'schema.js'))
      copyFileSync(join(DIST, 'types/schema.d.ts'), join(folder, 'schema.d.ts'))
      const program = "import { keys, possibleTypes, scalars } from './schema.js'\n"
      const uses = `${program}export const name: 'string' = scalars.URL.input\nconsole.log(Object.keys(keys).length + possibleTypes.LmsError.length > 20)\n`
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(folder, 'program.ts'), uses)
      const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext', '--types', '', 'program.ts']
      execFileSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' })
      expect(execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' })).toBe('true\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the build', () => {
  it('imports Node, every package that it needs, and its own files that are published', () => {
    expect(published.length).toBeGreaterThan(20)
    const imports = published.flatMap((file) => importsOf(file).map((name) => [file, name] as const))
    const outside = imports.filter(([file, name]) => {
      if (name.startsWith('.'))
        return !existsSync(resolve(dirname(file), name)) || resolve(dirname(file), name).startsWith(join(DIST, 'build/'))
      return !isBuiltin(name) && !INSTALLED.includes(packageOf(name))
    })
    expect(outside.map(([file, name]) => `${relative(DIST, file)}: ${name}`)).toEqual([])
    const named = ['@pothos/core', '@pothos/plugin-dataloader', 'dataloader', 'graphql', 'graphql-yoga']
    expect(imports.map(([, name]) => name)).toEqual(expect.arrayContaining(named))
  })

  it('contains modules of this package only', () => {
    const modules = published.flatMap((file) => readFileSync(file, 'utf8').match(/^\/\/ \S+\.[cm]?[jt]s$/gm) ?? [])
    expect(modules.length).toBeGreaterThan(200)
    expect(modules.filter((module) => !module.startsWith('// src/') && !module.endsWith('rolldown/runtime.js'))).toEqual([])
  })

  it('uses each dependency', () => {
    const texts = published.map((file) => readFileSync(file, 'utf8'))
    const unused = INSTALLED.filter((name) => !texts.some((text) => new RegExp(`["']${name}["'/]`).test(text)))
    // It has types only.
    expect(unused).toEqual(['@graphql-typed-document-node/core'])
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

  it('has a command that can be executed', () => {
    const [command] = Object.values(PACKAGE.bin).map((path) => join(ROOT, path)) as [string]
    expect(statSync(command).mode & 0o111).toBe(0o111)
    expect(readFileSync(command, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    expect(PACKAGE.scripts.start).toBe('node dist/cli.js')
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
      return !isBuiltin(name) && !INSTALLED.includes(packageOf(name))
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

/** The packages of which a program loads modules, those that other packages need included. */
function loadedBy(body: string): string[] {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM(body)], { cwd: ROOT, encoding: 'utf8' })
  const loaded = JSON.parse(text.trim().split('\n').at(-1) as string) as string[]
  const names = loaded.flatMap((module) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [])
  return [...new Set(names)].sort()
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
    const gateway = createGateway({ site: { url: ${JSON.stringify(lms.url)} } })
    const body = JSON.stringify({ query: '{ courses(first: 1) { nodes { title } } }' })
    const response = await gateway.fetch('http://gateway.test/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { data } = await response.json()
    if (!data.courses.nodes[0].title) throw new Error('no course')
    await gateway.close()`

  /** What only the embedded LMS needs. */
  const OF_LMS = ['hono', '@hono/node-server', 'libsql']

  it('loads neither the embedded LMS nor SQLite to answer in front of a site', () => {
    const loaded = loadedBy(asking())
    expect(loaded).toEqual(expect.arrayContaining(['@pothos/core', 'dataloader', 'graphql', 'graphql-yoga', 'undici']))
    expect(loaded.filter((name) => OF_LMS.includes(name))).toEqual([])
  })

  it('loads no package on import that it may not need', () => {
    const loaded = loadedBy(`await import(${address('index.js')})`)
    expect(loaded).toContain('graphql-yoga')
    const unneeded = [
      ...OF_LMS,
      '@theguild/federation-composition',
      'ioredis',
      'jose',
      'pino',
      'pino-pretty',
      'prom-client',
      'undici',
      'yaml',
    ]
    expect(loaded.filter((name) => unneeded.includes(name))).toEqual([])
  })

  it('loads SQLite for the embedded LMS, and no GraphQL', () => {
    const loaded = loadedBy(`const { startLms } = await import(${address('lms.js')}); await (await startLms()).close()`)
    expect(loaded).toEqual(expect.arrayContaining(OF_LMS))
    expect(loaded.filter((name) => ['graphql', 'graphql-yoga', 'undici'].includes(name))).toEqual([])
  })
})
