import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { startLms } from '../../src/lms/index.js'
import { readOptions } from '../../src/options/read.js'
import { ENTRIES, type Options } from '../../src/options/table.js'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'

// The manifest of `deploy/kubernetes`, which docs/kubernetes.md describes: as it is, and with its optional lines.

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const MANIFEST = read('deploy/kubernetes/lms-graphql.yaml')
const { version } = JSON.parse(read('package.json')) as { version: string }

/** Variables that the image sets. */
const OF_IMAGE = Object.fromEntries(
  /^ENV (.*)$/m
    .exec(read('deploy/docker/Dockerfile'))![1]!
    .split(' ')
    .map((pair) => pair.split('=')),
) as Record<string, string>

/** The files of the secret, with values that the gateway accepts. */
const SECRETS: Readonly<Record<string, string>> = {
  'lms-password': 'admin-demo\n',
  'api-keys': 'a-key-of-at-least-sixteen-characters\n',
  'redis-url': 'redis://lms-graphql:password@redis:6379',
}

/** An object of Kubernetes. */
type Manifest = any

const API_VERSIONS = {
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
  Ingress: 'networking.k8s.io/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
}

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe']

/** Whether every label of a selector is on the pods. */
const selects = (selector: Manifest, labels: Readonly<Record<string, string>>): boolean =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)

describe.each([
  { name: 'the manifest', text: MANIFEST, isWhole: false },
  { name: 'the manifest with its optional lines', text: MANIFEST.replace(/^#(?= {4})/gm, ''), isWhole: true },
])('$name', ({ text, isWhole }) => {
  let objects: Record<string, Manifest>
  let pod: Manifest
  let container: Manifest
  let variables: Record<string, string>
  let options: Options

  beforeAll(() => {
    const documents = parseAllDocuments(text, { uniqueKeys: true })
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
    const found: Manifest[] = documents.map((document) => document.toJS())
    expect(found.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual(Object.entries(API_VERSIONS))
    objects = Object.fromEntries(found.map((object) => [object.kind, object]))
    pod = objects.Deployment.spec.template.spec
    expect(pod.containers).toHaveLength(1)
    container = pod.containers[0]
    variables = { ...OF_IMAGE, ...Object.fromEntries(container.env.map((each: Manifest) => [each.name, each.value])) }
    const result = readOptions(container.args ?? [], variables, (path) => {
      const { mountPath } = container.volumeMounts[0]
      expect(path.startsWith(`${mountPath}/`)).toBe(true)
      return SECRETS[path.slice(mountPath.length + 1)]!
    })
    if (result.kind !== 'options') throw new Error(JSON.stringify(result))
    options = result.options
  })

  it('has one name and one label for all objects, and selectors that match the pods', () => {
    const { labels } = objects.Deployment.spec.template.metadata
    const metadata = { name: 'lms-graphql', labels: { 'app.kubernetes.io/name': 'lms-graphql' } }
    for (const object of Object.values(objects)) expect([object.kind, object.metadata]).toEqual([object.kind, metadata])
    const selectors = [
      objects.Deployment.spec.selector.matchLabels,
      objects.Service.spec.selector,
      objects.PodDisruptionBudget.spec.selector.matchLabels,
      objects.NetworkPolicy.spec.podSelector.matchLabels,
      ...pod.topologySpreadConstraints.map(({ labelSelector }: Manifest) => labelSelector.matchLabels),
    ]
    expect(selectors).toHaveLength(5)
    for (const selector of selectors) expect([selector, selects(selector, labels)]).toEqual([selector, true])
  })

  it('has the ports and the path of the settings everywhere', () => {
    const { host, port } = options.http
    const { metrics } = options.observe
    expect([host, typeof metrics]).toEqual(['0.0.0.0', 'number'])
    expect(container.ports).toEqual([
      { name: 'http', containerPort: port },
      { name: 'metrics', containerPort: metrics },
    ])
    for (const probe of PROBES) expect(container[probe].httpGet.port).toBe('http')
    expect(objects.Service.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
    const { tls, rules } = objects.Ingress.spec
    expect(rules.map((rule: Manifest) => rule.host)).toEqual(tls[0].hosts)
    const backend = { service: { name: objects.Service.metadata.name, port: { name: 'http' } } }
    expect(rules[0].http.paths).toEqual([{ path: '/graphql', pathType: 'Prefix', backend }])
    expect(objects.Deployment.spec.template.metadata.annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': `${metrics}`,
      'prometheus.io/path': '/metrics',
    })
    const { ingress, policyTypes } = objects.NetworkPolicy.spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(ingress.map(({ ports }: Manifest) => ports)).toEqual([[{ port }], [{ port: metrics }]])
    // None of them allows every pod of a namespace to connect with an address that is trusted.
    const peers = ingress[0].from.map(({ podSelector }: Manifest) => Object.keys(podSelector.matchLabels).length)
    expect(peers).toEqual([1, 1])
  })

  it('names settings that exist, and secrets only as files that are mounted', () => {
    const known = ENTRIES.map(({ env }) => env)
    for (const { name, ...value } of container.env)
      expect([name, known.includes(name), Object.entries(value)]).toEqual([name, true, [['value', expect.any(String)]]])
    const secrets = Object.keys(variables).filter((name) => /PASSWORD|KEY|REDIS_URL/.test(name))
    expect(secrets).toEqual(isWhole ? ['LMS_PASSWORD_FILE', 'GATEWAY_API_KEYS_FILE', 'REDIS_URL_FILE'] : [])
    const mount = { name: 'secrets', mountPath: '/etc/lms-graphql', readOnly: true }
    expect(container.volumeMounts).toEqual(isWhole ? [mount] : undefined)
    expect(pod.volumes).toEqual(isWhole ? [{ name: 'secrets', secret: { secretName: 'lms-graphql' } }] : undefined)
    for (const file of Object.keys(SECRETS)) expect(MANIFEST).toContain(` --from-file=${file}`)
  })

  it('allows connections to the site, to Redis if it is set, and to no other port', () => {
    const { protocol, port } = new URL(options.site.url as string)
    const ports = objects.NetworkPolicy.spec.egress.flatMap((rule: Manifest) => rule.ports.map((each: Manifest) => each.port))
    const redis = (options.redis.url ?? []).map((url) => Number(new URL(url.reveal()).port))
    expect(redis).toEqual(isWhole ? [6379] : [])
    expect(ports).toEqual([53, 53, Number(port || (protocol === 'https:' ? 443 : 80)), ...redis])
  })

  it('has two pods or more, and ends one after its draining, and at most one at a time', () => {
    const { replicas, minReadySeconds, strategy } = objects.Deployment.spec
    const grace = pod.terminationGracePeriodSeconds
    const preStop = container.lifecycle.preStop.sleep.seconds
    expect(replicas).toBeGreaterThanOrEqual(2)
    expect(objects.PodDisruptionBudget.spec.maxUnavailable).toBeLessThan(replicas)
    expect(preStop).toBeGreaterThanOrEqual(5)
    const { drainTimeout } = options.http
    expect(options.protection.operationTimeout).toBeLessThanOrEqual(drainTimeout)
    expect(grace * 1000).toBeGreaterThanOrEqual(preStop * 1000 + drainTimeout + 10_000)
    expect(minReadySeconds).toBeGreaterThanOrEqual(grace)
    expect(strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
  })

  it('runs without rights that it does not need', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources).toEqual({ requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } })
  })

  it('has the image of this version', () => {
    expect(container.image).toMatch(new RegExp(`/lms-graphql:${version.replaceAll('.', '\\.')}$`))
  })

  it('has settings with which the gateway starts, answers the probes, and ends by SIGTERM', async () => {
    const site = await startLms()
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-pod-'))
    let command: Command | undefined
    try {
      for (const [name, secret] of Object.entries(SECRETS)) writeFileSync(join(folder, name), secret)
      const own: Record<string, string> = { LMS_URL: site.url, LMS_PRESET: 'lms', HOST: '127.0.0.1', PORT: '0' }
      own.METRICS = `${await freePort()}`
      if (isWhole) own.LMS_USER = 'admin'
      const mounted = Object.entries(variables).map(([name, value]) => [name, value.replace('/etc/lms-graphql', folder)])
      command = new Command([], { ...Object.fromEntries(mounted), ...own })
      const address = await command.address()
      for (const probe of PROBES) expect((await fetch(new URL(container[probe].httpGet.path, address))).status, probe).toBe(200)
      const metrics = objects.Deployment.spec.template.metadata.annotations['prometheus.io/path']
      expect((await fetch(`http://127.0.0.1:${own.METRICS}${metrics}`)).status).toBe(200)
      expect([401, 404]).toContain((await fetch(new URL(metrics, address))).status)
      expect(await command.stop('SIGTERM')).toMatchObject({ code: 0 })
    } finally {
      await command?.stop('SIGKILL')
      rmSync(folder, { recursive: true })
      await site.close()
    }
  })
})
