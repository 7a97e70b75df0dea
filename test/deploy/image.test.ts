import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/hosted.js'
import { Load } from '../support/load.js'
import { cleanEnv, nodeOf } from '../support/nodes.js'
import { FakeSite, json } from '../support/site.js'

// Builds the image with buildah on a base of its own, and runs it with runc: a container with its own processes and network, as a user that is
// not root, without capabilities, with a read-only root and a limit of memory. Docker and Kubernetes start containers with the same program.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOST_BYTES = 60_000_000
const PROGRAMS = ['buildah', 'mmdebstrap', 'runc', 'ip']
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const lacking = PROGRAMS.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
const reason = process.getuid?.() !== 0 ? 'only root can build' : lacking.length > 0 ? `there is no ${lacking.join(', ')}` : undefined
const missing = reason === undefined || process.env.CI ? '' : ` (skipped: ${reason})`

/** A network for documentation that no card of this machine is in: a real one would be out of reach during the test. */
const NETWORK = ['198.51.100', '203.0.113', '192.0.2'].find((prefix) =>
  Object.values(networkInterfaces()).every((cards) => cards?.every(({ address }) => !address.startsWith(`${prefix}.`))),
)
/** Addresses of the two ends of the cable between this machine and the container. */
const HERE = `${NETWORK}.1`
const THERE = `${NETWORK}.2`

interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Labels: Readonly<Record<string, string>>
  readonly ExposedPorts: object
  readonly Healthcheck: { readonly Test: readonly string[] }
}

/** Runs a program to its end, and prints what it says when it fails. */
function run(program: string, args: readonly string[], options: { readonly env?: NodeJS.ProcessEnv } = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1e9, env: cleanEnv(), cwd: ROOT, ...options })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout.slice(-2_000)}\n${stderr.slice(-4_000)}`)
  return stdout.trim()
}

/** A store of images in a folder of its own. */
class Images {
  readonly folder = mkdtempSync(join(tmpdir(), 'lms-graphql-image-'))
  private readonly store = ['--storage-driver=vfs', `--root=${this.folder}/images`, `--runroot=${this.folder}/state`]

  buildah(...args: readonly string[]): string {
    // Without namespaces of its own, which need more rights than a container of a CI server has.
    return run('buildah', [...this.store, ...args], { env: { ...cleanEnv(), BUILDAH_ISOLATION: 'chroot', TMPDIR: this.folder } })
  }

  /** The files of the base, with their bytes. */
  filesOfBase: ReadonlyMap<string, number> = new Map()

  /** Debian with Node.js and npm, like the default base of the Dockerfile. */
  makeBase(): void {
    const found = nodeOf(24, join(this.folder, 'node'))
    if ('missing' in found) throw new Error(found.missing)
    // The folder of the package is two levels above its command.
    const npm = join(realpathSync(run('sh', ['-c', 'command -v npm'])), '../..')
    const base = this.buildah('from', 'scratch')
    const root = this.buildah('mount', base)
    run('mmdebstrap', ['--format=directory', '--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', root])
    this.buildah('copy', '--quiet', base, realpathSync(found.node), '/usr/local/bin/node')
    this.buildah('copy', '--quiet', base, npm, '/usr/local/lib/node_modules/npm')
    this.buildah('run', base, '--', 'ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm')
    this.buildah('config', '--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', base)
    this.filesOfBase = filesOf(root)
    this.buildah('commit', '--quiet', '--rm', base, 'base')
  }

  /** Builds with the npm settings of this machine, as a secret: its registry, its certificates and its cache. */
  build(): void {
    const certificates = process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt'
    const npmrc = join(this.folder, 'npmrc')
    const settings = [
      `registry=${run('npm', ['config', 'get', 'registry'])}`,
      'cafile=/etc/ssl/certs/ca-certificates.crt',
      'cache=/mnt',
      SECRET,
    ]
    writeFileSync(npmrc, settings.join('\n'))
    const cache = run('npm', ['config', 'get', 'cache'])
    mkdirSync(cache, { recursive: true })
    const mounts = [`--volume=${cache}:/mnt`, `--volume=${certificates}:/etc/ssl/certs/ca-certificates.crt:ro`]
    const how = ['--format=docker', '--layers=false', '--pull-never', '--build-arg=BASE=localhost/base', `--secret=id=npmrc,src=${npmrc}`]
    this.buildah('bud', ...how, ...mounts, '--file=deploy/docker/Dockerfile', '--tag=image', '.')
  }

  /** What the image says about itself; with `HEALTHCHECK`, which only the format of Docker has. */
  config(): ImageConfig {
    const { OCIv1, Docker } = JSON.parse(this.buildah('inspect', '--type=image', 'image'))
    return { ...OCIv1.config, ...Docker.config }
  }

  /** The folder with the files of the image. */
  mount(): string {
    return this.buildah('mount', this.buildah('from', '--pull-never', 'localhost/image'))
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const SECRET = '//registry.example.org/:_authToken=token-of-the-build'

/** Every file below a folder, with its bytes. */
const filesOf = (folder: string): ReadonlyMap<string, number> =>
  new Map(
    run('find', [folder, '-not', '-type', 'd', '-printf', '%P\\t%s\\n'])
      .split('\n')
      .map((line) => {
        const [path, bytes] = line.split('\t') as [string, string]
        return [path, Number(bytes)]
      }),
  )

describe.skipIf(missing !== '')(`the image${missing}`, () => {
  const images = new Images()
  const network = `lms-${process.pid}`
  let config: ImageConfig
  let root: string
  const started: Container[] = []

  /** A container of the image, with the options of a strict host. */
  class Container {
    private readonly name = `lms-graphql-${process.pid}-${started.length}`
    private readonly bundle = join(images.folder, this.name)
    private readonly child: ChildProcess
    /** The exit code, and what it has printed. */
    readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
    output = ''

    constructor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}, entrypoint = config.Entrypoint) {
      mkdirSync(this.bundle)
      run('runc', ['spec', '--bundle', this.bundle])
      const spec = JSON.parse(readFileSync(join(this.bundle, 'config.json'), 'utf8'))
      const [uid, gid] = config.User.split(':').map(Number)
      const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
      const args_ = [...entrypoint, ...args]
      spec.process = {
        ...spec.process,
        terminal: false,
        user: { uid, gid },
        args: args_,
        env: variables,
        capabilities: {},
        noNewPrivileges: true,
      }
      spec.root = { path: root, readonly: true }
      spec.linux.resources.memory = { limit: 512_000_000 }
      const namespaces = spec.linux.namespaces.filter(({ type }: { type: string }) => type !== 'network')
      spec.linux.namespaces = [...namespaces, { type: 'network', path: `/run/netns/${network}` }]
      writeFileSync(join(this.bundle, 'config.json'), JSON.stringify(spec))
      const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
      this.child = spawn('runc', [...this.state, 'run', '--bundle', this.bundle, this.name], { stdio })
      for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk) => (this.output += chunk))
      this.ended = once(this.child, 'close').then(([code]) => ({ code, output: this.output }))
      started.push(this)
    }

    private readonly state = ['--root', join(images.folder, 'runc')]

    /** Runs a command in the container, as `docker exec` does. */
    exec(command: readonly string[], env: readonly string[] = []): number | null {
      return spawnSync('runc', [...this.state, 'exec', ...env.flatMap((each) => ['--env', each]), this.name, ...command]).status
    }

    /** Sends a signal to the first process. It may have ended meanwhile. */
    signal(signal: string): void {
      spawnSync('runc', [...this.state, 'kill', this.name, signal])
    }

    get isRunning(): boolean {
      const { status, stdout } = spawnSync('runc', [...this.state, 'state', this.name], { encoding: 'utf8' })
      return status === 0 && JSON.parse(stdout).status === 'running'
    }

    /** Until it has printed its address. */
    async address(): Promise<string> {
      await until(() => /http:\/\/[\w.:]+\/graphql/.test(this.output) || this.child.exitCode !== null)
      if (this.child.exitCode !== null) throw new Error(`It has ended: ${this.output}`)
      return `http://${THERE}:4000`
    }

    async stop(): Promise<void> {
      if (this.isRunning) this.signal('KILL')
      await this.ended
    }
  }

  beforeAll(() => {
    if (reason !== undefined) throw new Error(reason)
    const times = [Date.now()]
    images.makeBase()
    times.push(Date.now())
    images.build()
    times.push(Date.now())
    config = images.config()
    root = images.mount()
    const [made, built] = times.slice(1).map((time, index) => ((time - (times[index] as number)) / 1000).toFixed())
    console.log(`the base took ${made} s, the image ${built} s`)
    run('ip', ['netns', 'add', network])
    run('ip', ['link', 'add', network, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network])
    run('ip', ['address', 'add', `${HERE}/30`, 'dev', network])
    run('ip', ['link', 'set', network, 'up'])
    for (const args of [`address add ${THERE}/30 dev eth0`, 'link set eth0 up', 'link set lo up'])
      run('ip', ['-n', network, ...args.split(' ')])
  }, 600_000)
  afterEach(async () => {
    await Promise.all(started.map((container) => container.stop()))
  })
  afterAll(() => {
    // The other end of the cable goes with the network.
    spawnSync('ip', ['netns', 'delete', network])
    spawnSync('ip', ['link', 'delete', network])
    images.close()
  })

  it('says how it runs', () => {
    expect(config).toMatchObject({ Entrypoint: ['lms-graphql'], User: '10001:10001', ExposedPorts: { '4000/tcp': {} } })
    expect(config.Env).toEqual([expect.stringMatching(/^PATH=/), 'NODE_ENV=production', 'HOST=0.0.0.0'])
    expect(config.Healthcheck.Test.slice(0, 2)).toEqual(['CMD', 'node'])
    const { name, version, license } = manifest
    const labels = Object.entries({ title: name, version, licenses: license }).map(([key, value]) => [
      `org.opencontainers.image.${key}`,
      value,
    ])
    expect(config.Labels).toMatchObject(Object.fromEntries(labels))
  })

  it(`has at most ${MOST_BYTES / 1_000_000} MB more than its base, and only what runs`, () => {
    const added = [...filesOf(root)].filter(([path, bytes]) => images.filesOfBase.get(path) !== bytes)
    const size = added.reduce((sum, [, bytes]) => sum + bytes, 0)
    console.log(`${added.length} files, ${(size / 1_000_000).toFixed(1)} MB above the base`)
    expect(images.filesOfBase.size).toBeGreaterThan(1_000)
    expect(size).toBeLessThanOrEqual(MOST_BYTES)
    const own = /^usr\/local\/lib\/lms-graphql\/(?:LICENSE$|package\.json$|dist\/|node_modules\/)|^usr\/local\/bin\/lms-graphql$/
    const notices = /^usr\/share\/doc\/lms-graphql\/(?:LICENSE|licenses\.md|sbom\.cdx\.json)$/
    expect(added.map(([path]) => path).filter((path) => !own.test(path) && !notices.test(path))).toEqual([])
    expect(added.map(([path]) => path).filter((path) => /\.npmrc|\/dist\/(build|types)\/|_cacache|\.test\./.test(path))).toEqual([])
    // npm has no use in a running container.
    expect(existsSync(join(root, 'usr/local/lib/node_modules'))).toBe(false)
    expect(readdirSync(join(root, 'usr/local/lib/lms-graphql/node_modules/@libsql'))).toEqual([`linux-${process.arch}-gnu`])
  })

  it('has no settings of the machine that built it', () => {
    const history = images.buildah('inspect', '--type=image', 'image')
    expect(history).not.toContain('token-of-the-build')
    const found = spawnSync('grep', [
      '-rlE',
      'token-of-the-build|_authToken=',
      ...['root', 'etc', 'usr/local', 'mnt', 'tmp'].map((path) => join(root, path)),
    ])
    expect(found.stdout.toString().replaceAll(`${root}/`, '')).toBe('')
  })

  it('lists all packages with their licences', () => {
    const notices = (name: string): string => readFileSync(join(root, 'usr/share/doc/lms-graphql', name), 'utf8')
    const { components, dependencies, metadata } = JSON.parse(notices('sbom.cdx.json'))
    const known = new Map<string, any>(components.map((component: { purl: string }) => [component.purl, component]))
    const modules = join(root, 'usr/local/lib/lms-graphql/node_modules')
    const installed = readdirSync(modules, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('/package.json'))
      .map((path) => JSON.parse(readFileSync(join(modules, path), 'utf8')))
      // Other files of this name in packages only choose the kind of modules.
      .flatMap(({ name, version }) => (version === undefined ? [] : [`${name} - ${version}`]))
    const dist = join(root, 'usr/local/lib/lms-graphql/dist')
    const bundled = ['THIRD-PARTY-LICENSES.md', 'graphiql/licenses.md']
      .flatMap((file) => readFileSync(join(dist, file), 'utf8').match(/(?<=^## )\S+ - \S+/gm) ?? [])
      .filter((each) => !installed.includes(each))
    expect(installed).toEqual(expect.arrayContaining([expect.stringMatching(/^graphql - 16\./), expect.stringMatching(/^libsql - /)]))
    expect(bundled).toEqual(expect.arrayContaining([expect.stringMatching(/^undici - /), expect.stringMatching(/^graphql-yoga - /)]))
    const purl = (each: string): string => `pkg:npm/${each.replace(/^@/, '%40').replace(' - ', '@')}`
    expect([...known.keys()].sort()).toEqual([...new Set([...installed, ...bundled])].map(purl).sort())
    for (const [name, { licenses }] of known)
      expect([name, licenses[0].license?.id ?? licenses[0].expression]).toEqual([name, expect.any(String)])
    expect(metadata.component).toMatchObject({ name: manifest.name, version: manifest.version, type: 'application' })
    expect(dependencies.map(({ ref }: { ref: string }) => ref)).toHaveLength(components.length + 1)
    const texts = notices('licenses.md').match(/(?<=^## )\S+ - \S+/gm)
    expect(texts).toEqual(expect.arrayContaining([...installed, ...bundled]))
    expect(notices('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
  })

  it('runs as a user that can write nowhere', async () => {
    const program = `
      const fs = require('fs')
      const written = ['/', '/tmp', '/var/tmp', '/usr/local/lib/lms-graphql', '/root', '/etc'].filter((folder) => {
        try { fs.writeFileSync(folder + '/new', ''); return true } catch { return false }
      })
      const [, capabilities] = /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))
      console.log(JSON.stringify({ pid: process.pid, uid: process.getuid(), gid: process.getgid(), written, capabilities }))`
    const { code, output } = await new Container(['-e', program], {}, ['node']).ended
    expect({ code, ...JSON.parse(output) }).toEqual({
      code: 0,
      pid: 1,
      uid: 10_001,
      gid: 10_001,
      written: [],
      capabilities: '0000000000000000',
    })
  })

  it('answers in front of the embedded LMS, and its health check notices when it does not', async () => {
    const container = new Container(['--embedded'])
    const url = await container.address()
    const body = JSON.stringify({ query: '{ courses(first: 1) { nodes { title } } }' })
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body,
    })
    expect(await answer.json()).toEqual({ data: { courses: { nodes: [{ title: expect.any(String) }] } } })
    const [, ...check] = config.Healthcheck.Test
    expect(container.exec(check)).toBe(0)
    expect(container.exec(check, ['PORT=4009'])).toBe(1)
    container.signal('TERM')
    expect((await container.ended).code).toBe(0)
  })

  const site = (): Promise<FakeSite> =>
    FakeSite.start((request, response) => {
      const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1])
      setTimeout(() => json(response, { id, title: { rendered: `Title ${id}` } }), 15)
    }, HERE)

  it('ends by SIGTERM under load without a lost request', async () => {
    const lms = await site()
    const container = new Container([], { LMS_URL: lms.url })
    const load = new Load(await container.address(), 20)
    try {
      await until(() => load.total > 200)
      const asked = Date.now()
      container.signal('TERM')
      const { code, output } = await container.ended
      const took = Date.now() - asked
      console.log(`ended after ${took} ms, ${load.total} requests answered, ${load.lost.length} lost`)
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(took).toBeLessThan(10_000)
    } finally {
      await load.stop()
      await lms.close()
    }
    expect({ lost: load.lost, wrong: load.wrong }).toEqual({ lost: [], wrong: [] })
  })

  it('ends by a signal that arrives while it starts', async () => {
    const container = new Container(['--embedded'])
    await until(() => container.isRunning)
    // The kernel drops what arrives before Node.js itself has started.
    const repeated = setInterval(() => container.signal('TERM'), 50)
    const ended = await container.ended
    clearInterval(repeated)
    // As any other process that gets this signal. It has not started to serve before.
    expect(ended).toEqual({ code: 128 + 15, output: '' })
  })
})
