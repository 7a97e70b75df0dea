import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, nodeOf } from '../support/nodes.js'
import { type Packed, packInto } from '../support/packed.js'

// The packed file in an empty project, on the Node versions that are supported.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('./programs/', import.meta.url))
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const MOST_BYTES = 10_000_000

const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-package-'))
const started: ChildProcess[] = []

/** Ends a server that the tests have started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

afterAll(async () => {
  await Promise.all(started.map(end))
  rmSync(folder, { recursive: true, force: true })
}, 300_000)

let packed: Packed
beforeAll(() => {
  packed = packInto(folder)
}, 300_000)

describe('the packed file', () => {
  it(`has at most ${MOST_BYTES / 1_000_000} MB`, () => {
    const largest = [...packed.files].sort((a, b) => b.size - a.size).slice(0, 5)
    console.log(
      `${packed.files.length} files, ${packed.unpackedSize} bytes: ${largest.map(({ path, size }) => `${path} ${size}`).join(', ')}`,
    )
    expect(packed.unpackedSize).toBeLessThanOrEqual(MOST_BYTES)
  })

  it('has what it runs, and nothing of the build', () => {
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'LICENSE',
        'docs/getting-started.md',
        'README.md',
        'dist/cli.js',
        'dist/graphiql/licenses.md',
        'dist/lms/school.sqlite.gz',
        'dist/sbom.cdx.json',
        'dist/lms/worker.js',
        'dist/types/index.d.ts',
        'schema/schema.graphql',
      ]),
    )
    expect(paths.filter((path) => /^dist\/graphiql\/index\.html(\.gz)?$/.test(path))).toHaveLength(1)
    expect(paths.filter((path) => /\.map$|tsbuildinfo|^dist\/build|^(src|test)\b|node_modules|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })
})

describe('packing', () => {
  it('leaves out of the manifest what only a checkout needs, and restores the manifest of the checkout', () => {
    const shown = JSON.parse(execFileSync('tar', ['-xzOf', join(folder, packed.filename), 'package/package.json'], { encoding: 'utf8' }))
    const { scripts, devDependencies, overrides, allowScripts, ...others } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect([scripts, devDependencies, overrides, allowScripts]).not.toContain(undefined)
    expect(shown).toEqual(others)
    const restored = JSON.parse(readFileSync(join(packed.checkout, 'package.json'), 'utf8'))
    expect(restored).toEqual({ ...others, devDependencies, overrides, allowScripts, scripts: { ...scripts, build: 'node --version' } })
  })

  it('leaves `npm install` in a clone to build', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.prepare).toBe('npm run build')
  })
})

/** An empty project on one version of Node. */
class Project {
  readonly folder: string
  private readonly env: NodeJS.ProcessEnv

  constructor(
    name: string,
    node: string,
    /** Whether packages for other versions of Node are refused. Libraries of Yoga have some that are not for Node 20, but run there. */
    private readonly isStrict = false,
  ) {
    this.folder = join(folder, name)
    mkdirSync(this.folder)
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
    writeFileSync(join(this.folder, '.npmrc'), `engine-strict=${isStrict}\n`)
    const { PATH } = process.env
    this.env = { ...cleanEnv(), PATH: [dirname(node), PATH].join(delimiter) }
  }

  /** Runs a program to its end. */
  run(program: string, ...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    return spawnSync(program, args, { cwd: this.folder, env: this.env, encoding: 'utf8', timeout: 240_000 })
  }

  install(...args: readonly string[]): void {
    const { status, stderr } = this.run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...args)
    // npm warns about packages with scripts, which it does not run.
    expect(stderr).not.toMatch(this.isStrict ? /EBADENGINE|ERESOLVE|npm error|install-scripts/ : /ERESOLVE|npm error|install-scripts/)
    expect(status).toBe(0)
  }

  get bin(): string {
    return join(this.folder, 'node_modules/.bin/lms-graphql')
  }

  /** Starts the command, and returns the address that it prints. */
  async start(...args: readonly string[]): Promise<{ readonly url: string; readonly child: ChildProcess }> {
    const child = spawn(this.bin, args, { cwd: this.folder, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    let text = ''
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        text += chunk
        const found = /https?:\/\/[\d.:]+/.exec(text)?.[0]
        if (found !== undefined && text.includes('\n')) resolve(found)
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.once('exit', (code) => reject(new Error(`The command ended with ${code}: ${text}`)))
    })
    return { url, child }
  }

  /** The names and versions of the installed packages. */
  versions(): string[] {
    const texts = this.packages((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return `${name} ${version}`
    })
    return [...new Set(texts)].sort()
  }

  /** The installed packages, by the folders that hold them. */
  packages(textOf?: (folder: string) => string): string[] {
    const found: string[] = []
    const search = (modules: string): void => {
      for (const name of readdirSync(modules)) {
        if (name.startsWith('.')) continue
        const names = name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name]
        for (const each of names) {
          found.push(textOf ? textOf(join(modules, each)) : each)
          if (readdirSync(join(modules, each)).includes('node_modules')) search(join(modules, each, 'node_modules'))
        }
      }
    }
    search(join(this.folder, 'node_modules'))
    return found.sort()
  }
}

async function ask(url: string, query: string): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  expect(response.status).toBe(200)
  return response.json()
}

const COURSES = '{ courses(first: 1) { nodes { title lessons(first: 1) { nodes { title } } } } }'

async function expectCourses(url: string): Promise<void> {
  const { data, errors } = await ask(url, COURSES)
  expect(errors).toBeUndefined()
  expect(data.courses.nodes[0].lessons.nodes[0].title).toEqual(expect.any(String))
}

/** What this package is made of. */
const NAMED = ['graphql-yoga', 'undici', 'dataloader', '@pothos/core', '@pothos/plugin-dataloader', 'graphql']

/** The most packages that an installation has. */
const MOST_PACKAGES = 110

const { dependencies: DEPENDENCIES, optionalDependencies: OPTIONAL }: Readonly<Record<string, Readonly<Record<string, string>>>> =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe.each([20, 24, 26])('the package on Node %s', (major) => {
  const found = nodeOf(major, join(folder, `node-${major}`))
  const missing = 'missing' in found ? found.missing : undefined
  if (missing !== undefined) {
    it.skip(missing, () => {})
    return
  }
  const { node } = found as { readonly node: string }
  let project: Project
  let lean: Project

  beforeAll(() => {
    project = new Project(`project-${major}`, node, major > 20)
    project.install(join(folder, packed.filename))
    lean = new Project(`lean-${major}`, node, major > 20)
    lean.install('--omit=optional', join(folder, packed.filename))
  }, 300_000)

  it('runs on that version', () => {
    expect(project.run('node', '--version').stdout).toMatch(new RegExp(`^v${major}\\.`))
  })

  it('installs the libraries that it names, each once', () => {
    const { status, stdout, stderr } = project.run('npm', 'ls', ...NAMED)
    expect({ status, stderr: stderr.replace(/^npm warn Unknown .*\n/gm, '') }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toMatch(/UNMET DEPENDENCY|invalid|extraneous/)
    for (const name of NAMED) {
      const versions = [...stdout.matchAll(new RegExp(` ${name}@(\\S+)`, 'g'))].map(([, version]) => version)
      expect([name, [...new Set(versions)]]).toEqual([name, [DEPENDENCIES?.[name] ?? expect.stringMatching(/^1[67]\./)]])
    }
    expect(project.packages()).toEqual(expect.arrayContaining(Object.keys({ ...DEPENDENCIES, ...OPTIONAL })))
    expect(project.packages().length).toBeLessThanOrEqual(MOST_PACKAGES)
    expect(lean.packages()).toEqual(expect.arrayContaining(Object.keys(DEPENDENCIES ?? {})))
    expect(lean.packages().filter((name) => name in (OPTIONAL ?? {}))).toEqual([])
  })

  it('prints the versions of all that runs, and has them in its SBOM', () => {
    const lines = (each: Project): string[] => each.run(each.bin, '--versions').stdout.trim().split('\n')
    const [own, ...others] = lines(project)
    expect(own).toBe(`lms-graphql ${VERSION}`)
    expect(others.slice(0, 2)).toEqual([expect.stringMatching(`^Node\\.js ${major}\\.`), expect.stringMatching(/^OpenSSL \d/)])
    const installed = project.versions().filter((each) => !each.startsWith('lms-graphql '))
    expect(others.slice(2)).toEqual(installed)
    expect(lines(lean).slice(3)).toEqual(lean.versions().filter((each) => !each.startsWith('lms-graphql ')))
    const { components } = JSON.parse(readFileSync(join(project.folder, 'node_modules/lms-graphql/dist/sbom.cdx.json'), 'utf8'))
    const listed: string[] = components.map(({ name }: { name: string }) => name)
    // By name: another version of a package may have come out since the release.
    expect(listed).toEqual(expect.arrayContaining(installed.map((each) => each.split(' ')[0])))
    // What the page of GraphiQL contains, and nothing that only development needs.
    expect(listed).toEqual(expect.arrayContaining(['graphiql', 'react']))
    expect(listed.filter((name) => ['vite', 'vitest', 'typescript', 'tsx', '@biomejs/biome'].includes(name))).toEqual([])
  })

  it('starts the command in front of the embedded LMS', async () => {
    const { url, child } = await project.start('--port', '0')
    await expectCourses(url)
    const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<!doctype html>')
    await end(child)
    expect(child.exitCode).toBe(0)
  })

  it('starts the command in front of a site', async () => {
    const site = await project.start('lms', '--port', '0')
    const { url, child } = await project.start('--port', '0', '--upstream', site.url)
    await expectCourses(url)
    await end(child)
    expect(child.exitCode).toBe(0)
    await end(site.child)
  })

  it('prints the graph, its version, and the address of a settings file', () => {
    const settings = join(project.folder, 'settings.yaml')
    writeFileSync(settings, 'port: wrong\n')
    const subgraph = readFileSync(join(ROOT, 'schema/subgraph.graphql'), 'utf8')
    expect(project.run(project.bin, 'schema', '--subgraph').stdout).toBe(subgraph)
    expect(project.run(project.bin, '--version').stdout.trim()).toBe(VERSION)
    const { status, stderr } = project.run(project.bin, '--config', settings)
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('settings.yaml') })
  })

  // README.md, docs/getting-started.md and docs/wordpress.md show this command.
  it('installs as a command', () => {
    const command = 'npm install --global ./lms-graphql-'
    for (const page of ['README.md', 'docs/getting-started.md', 'docs/wordpress.md'])
      expect(readFileSync(join(ROOT, page), 'utf8')).toContain(`\n${command}${VERSION}.tgz\n`)
    expect(packed.filename).toBe(`lms-graphql-${VERSION}.tgz`)
    const prefix = join(folder, `global-${major}`)
    project.install('--global', `--prefix=${prefix}`, join(folder, packed.filename))
    expect(project.run(join(prefix, 'bin', 'lms-graphql'), '--version').stdout.trim()).toBe(VERSION)
  })

  it('runs all entries in one process', () => {
    copyFileSync(join(PROGRAMS, 'runs.mjs'), join(project.folder, 'runs.mjs'))
    const { status, stdout, stderr } = project.run('node', 'runs.mjs')
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'all entries run\n', stderr: '' })
  })

  const sentence = (needs: string, name: string): string =>
    `${needs} the optional package ${name}, which is not installed, or not for this platform. Install it with: npm install ${name}@${OPTIONAL?.[name]}`

  it('needs libsql for the embedded LMS only', async () => {
    const site = await project.start('lms', '--port', '0')
    const { url, child } = await lean.start('--port', '0', '--upstream', site.url)
    await expectCourses(url)
    await Promise.all([end(child), end(site.child)])
    const missing = sentence('The embedded LMS needs', 'libsql')
    for (const args of [[], ['lms'], ['lms', '--data', 'school.sqlite']]) {
      const { status, stderr } = lean.run(lean.bin, ...args, '--port', '0')
      expect({ status, stderr }).toEqual({ status: 1, stderr: `lms-graphql: ${missing}\n` })
    }
    const program = `import('lms-graphql/lms').then(({ startLms }) => startLms()).catch(({ message }) => console.log(message))`
    expect(lean.run('node', '-e', program).stdout).toBe(`${missing}\n`)
  })

  it('says what metrics and Redis need', async () => {
    const site = ['--upstream', 'http://127.0.0.1:9', '--port', '0']
    for (const { folder } of [project, lean]) writeFileSync(join(folder, 'redis.txt'), 'redis://127.0.0.1:9')
    const redis = sentence('Redis needs', 'ioredis')
    const metrics = sentence('The metrics need', 'prom-client')
    for (const [args, missing] of [
      [['--redis-url-file', 'redis.txt'], redis],
      [['--metrics'], metrics],
      [['--metrics', '0'], metrics],
    ] as const) {
      const { status, stderr } = lean.run(lean.bin, ...site, ...args)
      expect({ status, stderr }).toEqual({ status: 1, stderr: `lms-graphql: ${missing}\n` })
    }
    const { url, child } = await project.start(...site, '--metrics', '--redis-url-file', 'redis.txt')
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nlms_redis_up 0\n')
    await end(child)
  })
})

describe('a strict program', () => {
  let project: Project
  beforeAll(() => {
    project = new Project('types', process.execPath)
    const types = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies['@types/node']
    project.install(join(folder, packed.filename), `@types/node@${types}`)
    for (const name of readdirSync(PROGRAMS).filter((each) => each.endsWith('.ts')))
      copyFileSync(join(PROGRAMS, name), join(project.folder, name))
    const picture = readFileSync(join(ROOT, 'test/kit/picture.ts'), 'utf8').replace('../../src/kit.js', 'lms-graphql/kit')
    writeFileSync(join(project.folder, 'kit.ts'), picture)
  }, 300_000)

  /**
   * Compiles one program alone: the types that another one loads would hide what is missing. Returns complaints about the program, or with
   * `ofLibraries` those about the types of this package too. The types of other packages have errors of their own for such programs.
   */
  function compile(tsc: string, name: string, ofLibraries = false): string {
    const compilerOptions = {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: !ofLibraries,
      noEmit: true,
    }
    const config = join(project.folder, `tsconfig.${name}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
    const complaints = project.run(tsc, '-p', config).stdout.split(/\n(?! )/)
    return complaints.filter((complaint) => !/^node_modules\/(?!lms-graphql\/)/.test(complaint)).join('\n')
  }

  // Another package has a command `tsc` too, of an older version.
  it('is compiled with the TypeScript of this repository', () => {
    const { typescript } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies
    expect(project.run(join(ROOT, 'node_modules/.bin/tsc'), '--version').stdout.trim()).toBe(`Version ${typescript}`)
  })

  const names = ['gateway', 'front-end', 'kit', 'lms']

  it.each(names)('with `%s` compiles, and the types of this package do', (name) => {
    expect(compile(join(ROOT, 'node_modules/.bin/tsc'), name)).toBe('')
    expect(compile(join(ROOT, 'node_modules/.bin/tsc'), name, true)).toBe('')
  })

  it('compiles with TypeScript 5.9', { timeout: 300_000 }, ({ skip }) => {
    const compiler = new Project('typescript', process.execPath)
    const { status, stderr } = compiler.run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', 'typescript@5.9')
    if (status !== 0 && process.env.CI === 'true') throw new Error(stderr)
    if (status !== 0) skip('TypeScript 5.9 is not here, and npm cannot install it.')
    const tsc = join(compiler.folder, 'node_modules/.bin/tsc')
    const found = names.map((name) => [name, compile(tsc, name), compile(tsc, name, true)])
    expect(found).toEqual(names.map((name) => [name, '', '']))
  })

  it('with an error does not compile', () => {
    writeFileSync(
      join(project.folder, 'wrong.ts'),
      "import { createGateway } from 'lms-graphql'\ncreateGateway({ protection: { maxInFlight: 'four' } })\n",
    )
    expect(compile(join(ROOT, 'node_modules/.bin/tsc'), 'wrong')).toContain("Type 'string' is not assignable to type 'number'")
  })
})
