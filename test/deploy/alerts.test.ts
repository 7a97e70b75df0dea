import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readPage } from '../docs/page.js'
import { Command } from '../support/command.js'
import { sleep } from '../support/hosted.js'
import { ALERT_FAULTS, type AlertFault, ordinary } from './alert-faults.js'
import { dashboard, expressionsOf } from './dashboard.js'
import { FullDisk } from './full-disk.js'
import { MISSING, Prometheus, promtool, RULES, SCALED, SHIPPED } from './prometheus.js'
import { Watched } from './watched.js'

// The alert rules of `deploy/prometheus` in a real Prometheus, which scrapes a real gateway for each fault, all at the same time. In the
// rules only durations are shorter.

const PAGE = 'docs/alerts.md'

interface Rule {
  readonly alert?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

const rules = (parse(SHIPPED) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)

describe('the rule file', () => {
  it('keeps every gateway apart, and has durations that the test can shorten', () => {
    expect(SCALED.match(/\[[^\]]*\](?=\))|for: .*/g)?.filter((found) => !/^(\[\d+ms\]|for: \d+ms)$/.test(found))).toEqual([])
    for (const { expr } of rules)
      for (const [, labels] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) expect(labels).toMatch(/^job, instance\b/)
  })

  it('has alerts with a severity, texts and a section of the page', () => {
    expect(alerts.length).toBeGreaterThan(20)
    const { headings, anchors } = readPage(PAGE)
    const sections = headings.filter(({ level }) => level === 3).map(({ text }) => text)
    expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert as string).toSorted())
    for (const { alert = '', labels, annotations } of alerts) {
      expect(alert).toMatch(/^LmsGraphql[A-Z]\w+$/)
      expect(['critical', 'warning', 'info']).toContain(labels?.severity)
      expect(Object.keys(annotations ?? {})).toEqual(['summary', 'description', 'runbook_url'])
      const [path, anchor = ''] = annotations?.runbook_url?.split('#') ?? []
      expect([path, anchor, anchors.has(anchor)]).toEqual([PAGE, alert.toLowerCase(), true])
    }
  })

  it('has a fault of this test for each alert, and the twenty faults', () => {
    expect([...new Set(ALERT_FAULTS.map(({ alert }) => alert))].toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
    expect([...new Set(ALERT_FAULTS.map(({ number }) => number))].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 21 }, (_, i) => i),
    )
    // A gateway for each fault: alerts of one would else hide those of another.
    expect(new Set(ALERT_FAULTS.map(({ instance }) => instance)).size).toBe(ALERT_FAULTS.length)
  })
})

describe('the dashboard', () => {
  const { panels, schemaVersion, templating } = dashboard

  it('has panels with a unit, a description and a query, each at a place of its own', () => {
    expect(schemaVersion).toBe(39)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { title, type, description = '', gridPos, targets = [], fieldConfig } of panels) {
      const { x, y, w, h } = gridPos
      expect([title, x + w <= 24, w > 0, h > 0]).toEqual([title, true, true, true])
      for (let column = x; column < x + w; column++)
        for (let line = y; line < y + h; line++) {
          expect([title, taken.has(`${column} ${line}`)]).toEqual([title, false])
          taken.add(`${column} ${line}`)
        }
      if (type === 'row') continue
      expect([title, description.endsWith('.'), targets.length > 0]).toEqual([title, true, true])
      expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.any(String)])
    }
  })

  it('selects the job and the instance in every query', () => {
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance'])
    for (const { title, targets = [] } of panels)
      for (const { expr } of targets)
        for (const [, selector] of expr.matchAll(/\b(?:lms|process|nodejs)_\w+({[^}]*})?|\bup({[^}]*})/g))
          expect([title, selector ?? expr]).toEqual([title, expect.stringContaining('job=~"$job", instance=~"$instance"')])
  })
})

/** A unit test of promtool: an hour of a gateway at which things go wrong now and then, `times` as often as usual, without any alert. */
function unitTest(times: number): object {
  const gateway = 'job="lms-graphql", instance="usual"'
  const steady = (name: string, labels: string, perMinute: number) => ({
    series: `${name}{${labels === '' ? '' : `${labels}, `}${gateway}}`,
    values: `0+${perMinute}x60`,
  })
  const calls = (labels: string, perMinute: number, method = 'GET') =>
    steady('lms_rest_calls_total', `method="${method}", route="v1/sfwd-courses/:id", ${labels}`, perMinute)
  const series = [
    { series: `up{${gateway}}`, values: '1x60' },
    calls('status="200", reason="ok"', 600),
    calls('status="200", reason="ok"', 20, 'POST'),
    ...[
      calls('status="0", reason="UPSTREAM_UNAVAILABLE"', 10),
      calls('status="0", reason="UPSTREAM_TIMEOUT"', 10),
      calls('status="200", reason="UPSTREAM_UNAVAILABLE"', 10),
      calls('status="200", reason="UPSTREAM_INVALID_RESPONSE"', 10),
      calls('status="302", reason="UPSTREAM_INVALID_RESPONSE"', 10),
      calls('status="429", reason="UPSTREAM_RATE_LIMITED"', 10),
      calls('status="401", reason="UNAUTHENTICATED"', 60),
      calls('status="500", reason="UPSTREAM_UNAVAILABLE"', 20),
      calls('status="503", reason="UPSTREAM_UNAVAILABLE"', 20),
      calls('status="500", reason="UPSTREAM_UNAVAILABLE"', 2, 'POST'),
      steady('lms_breaker_openings_total', 'calls="reads"', 0.3),
      steady('lms_rest_refusals_total', 'reason="queue_full"', 2),
      steady('lms_rest_refusals_total', 'reason="caller_limit"', 2),
      steady('lms_repairs_total', 'field="Course.points"', 10),
      steady('lms_stalled_clients_total', 'memory="enough"', 0.5),
      steady('lms_refused_operations_total', 'code="SERVER_BUSY"', 1),
      steady('lms_operation_errors_total', 'code="LIMIT_EXCEEDED"', 5),
      steady('lms_rate_limited_total', 'limit="operations"', 5),
      steady('lms_closed_connections_total', 'reason="address"', 3),
      steady('lms_redis_failures_total', '', 10),
      steady('lms_hooks_received_total', 'outcome="unauthenticated"', 0.2),
      steady('lms_hooks_forwarded_total', 'outcome="failed"', 0.5),
    ].map(({ series, values }) => ({ series, values: values.replace(/(?<=\+)[\d.]+/, (count) => String(Number(count) * times)) })),
    steady('lms_operations_total', 'operation="other", kind="query", outcome="ok"', 300),
    steady('lms_cache_reads_total', 'result="hit"', 600),
    steady('lms_hooks_received_total', 'outcome="accepted"', 0.5),
    steady('lms_hooks_forwarded_total', 'outcome="delivered"', 1),
    steady('lms_hooks_forwarded_total', 'outcome="dropped"', 0),
    steady('lms_fallbacks_total', 'step="write"', 0),
    steady('lms_faults_total', '', 0),
    { series: `process_start_time_seconds{${gateway}}`, values: '100x30 200x10 300x18' },
    { series: `lms_draining{${gateway}}`, values: '0x30 1 0x28' },
    { series: `lms_memory_budget_used_bytes{${gateway}}`, values: '100x30 900 100x28' },
    { series: `lms_memory_budget_limit_bytes{${gateway}}`, values: '1000x60' },
    { series: `lms_redis_up{${gateway}}`, values: '1x30 0 1x28' },
    { series: `lms_key_set_up{${gateway}}`, values: '1x30 0x3 1x25' },
    { series: `nodejs_eventloop_lag_p99_seconds{${gateway}}`, values: '0.02x30 0.9 0.02x28' },
    { series: `process_open_fds{${gateway}}`, values: '400x30 900 400x28' },
    { series: `process_max_fds{${gateway}}`, values: '1000x60' },
  ]
  const expressions = Array.from({ length: 60 }, (_, minute) => ({
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minute}m`,
    exp_samples: [],
  }))
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: expressions }]
  return { rule_files: [RULES], evaluation_interval: '30s', tests }
}

/** Names of alerts by instance. */
type Found = Readonly<Record<string, readonly string[]>>

type Labels = Readonly<Record<string, string>>

const found = (labelSets: readonly Labels[]): Found => {
  const names = new Map<string, Set<string>>()
  for (const { instance = '', alertname = '' } of labelSets) names.set(instance, (names.get(instance) ?? new Set()).add(alertname))
  return Object.fromEntries([...names].map(([instance, set]) => [instance, [...set].toSorted()]))
}

const expected: Found = Object.fromEntries(ALERT_FAULTS.map(({ instance, alert }) => [instance, [alert]]))

/** Two jobs, so that rules that do not keep them apart fail. */
const jobOf = ({ number }: AlertFault): string => (number % 2 === 0 ? 'lms-graphql' : 'lms-graphql-school')

const missing = MISSING.length === 0 || process.env.CI ? '' : ` (skipped: there is no ${MISSING.join(' and no ')})`

describe.skipIf(missing !== '')(`Prometheus${missing}`, () => {
  const gateways = new Map<AlertFault, Watched>()
  const of = (fault: AlertFault): Watched => gateways.get(fault) as Watched
  let folder: string | undefined
  let lms: Command
  let disk: FullDisk
  let prometheus: Prometheus
  const times = { start: 0, healthy: 0, end: 0 }
  const now = (): number => Date.now() / 1000

  beforeAll(async () => {
    expect(MISSING).toEqual([])
    const own = mkdtempSync(join(tmpdir(), 'lms-graphql-alerts-'))
    folder = own
    times.start = now()
    lms = new Command(['lms', '--port', '0'])
    const [site, small] = await Promise.all([lms.address(), FullDisk.start()])
    disk = small
    const trusted = join(own, 'trusted.json')
    const [document] = [ordinary.next(0, 0).query as string]
    writeFileSync(trusted, JSON.stringify({ [createHash('sha256').update(document).digest('hex')]: document }))
    const start = async (fault: AlertFault): Promise<void> => {
      const flags = (fault.flags ?? []).map((flag) => (flag === 'TRUSTED' ? trusted : flag))
      const { instance, tuning, files, service } = fault
      const env = { ...fault.env, ...(await service?.start()) }
      const options = { instance, flags, env, tuning, files, site: fault.hasDisk ? disk.url : site }
      const gateway = await Watched.start(options)
      gateways.set(fault, gateway)
      // The first one takes longest.
      await gateway.send((fault.traffic ?? ordinary).next(0, 0))
    }
    // A few at a time: each start takes most of a core. After a failure no other one starts.
    const rest = [...ALERT_FAULTS]
    const starts = Array.from({ length: 4 }, async () => {
      for (let fault = rest.shift(); fault; fault = rest.shift())
        await start(fault).catch((error: unknown) => {
          rest.length = 0
          throw error
        })
    })
    await Promise.allSettled(starts)
    await Promise.all(starts)
    for (const [fault, gateway] of gateways) gateway.ask(fault.traffic ?? ordinary)
    const targets = ALERT_FAULTS.map((fault) => ({ port: of(fault).metricsPort, job: jobOf(fault), instance: fault.instance }))
    prometheus = await Prometheus.start(SCALED, targets)
  }, 120_000)

  afterAll(async () => {
    await prometheus?.stop()
    await Promise.all([...gateways.values()].map((gateway) => gateway.close()))
    await Promise.all([lms?.stop('SIGKILL'), disk?.close(), ...ALERT_FAULTS.map(({ service }) => service?.close())])
    if (folder !== undefined) rmSync(folder, { recursive: true })
  })

  it('accepts the rule file, and the settings of the page', () => {
    expect(promtool('check', 'rules', RULES)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
    const [block] = readPage(PAGE).blocks.filter(({ language }) => language === 'yaml')
    const config = join(folder as string, 'page.yaml')
    writeFileSync(config, (block?.text ?? '').replace('/etc/prometheus/lms-graphql.rules.yaml', RULES))
    expect(promtool('check', 'config', config)).toEqual({ status: 0, output: expect.stringContaining('1 rule files found') })
    expect((parse(block?.text ?? '') as { scrape_configs: object[] }).scrape_configs).toMatchObject([{ job_name: 'lms-graphql' }])
  })

  it('raises no alert for what is usual, with the durations as they are shipped', () => {
    const usual = join(folder as string, 'usual.yaml')
    const status = (times: number): unknown => {
      writeFileSync(usual, JSON.stringify(unitTest(times)))
      return promtool('test', 'rules', usual).status
    }
    expect(status(1)).toBe(0)
    // The same events more often do raise alerts.
    expect(status(10)).toBe(1)
  })

  it('raises no alert while all is well', async () => {
    // Longer than the longest window with the longest `for` of the alerts on operations and calls.
    await sleep(13_000)
    times.healthy = now()
    const raised = await prometheus.range('ALERTS{alertstate="firing"}', times.start, times.healthy)
    expect(found(raised.map(({ metric }) => metric))).toEqual({})
    const reached = async (): Promise<number> => (await prometheus.range('up == 1', now(), now())).length
    await expect.poll(reached).toBe(ALERT_FAULTS.length)
    for (const fault of ALERT_FAULTS) expect([fault.instance, [...of(fault).statuses.keys()]]).toEqual([fault.instance, [200]])
  }, 60_000)

  it('names each fault by exactly one alert', async () => {
    await Promise.all(ALERT_FAULTS.map((fault) => fault.begin(of(fault), disk)))
    const begun = now()
    // The alert for restarts ends by itself.
    const raised = async (): Promise<readonly Labels[]> =>
      (await prometheus.range('ALERTS{alertstate="firing"}', begun, now())).map(({ metric }) => metric)
    await expect.poll(async () => found(await raised()), { timeout: 60_000, interval: 500 }).toEqual(expected)
    // Alerts with a longer `for` would fire by now.
    await sleep(Math.max(0, 22 - (now() - begun)) * 1000)
    const all = await raised()
    expect(found(all)).toEqual(expected)
    for (const fault of ALERT_FAULTS) {
      const own = all.filter(({ instance }) => instance === fault.instance)
      expect(own).toContainEqual(expect.objectContaining({ ...fault.labels, job: jobOf(fault) }))
    }
  }, 120_000)

  it('drops each alert after the end of its fault', async () => {
    await Promise.all(
      ALERT_FAULTS.map(async (fault) => {
        const gateway = of(fault)
        gateway.proxy.strikes = () => undefined
        await fault.end?.(gateway, disk)
        gateway.ask(fault.traffic ?? ordinary)
      }),
    )
    await expect.poll(async () => found(await prometheus.firing()), { timeout: 60_000, interval: 500 }).toEqual({})
    times.end = now()
  }, 120_000)

  it('raised no other alert at any time', async () => {
    const raised = found((await prometheus.range('ALERTS{alertstate="firing"}', times.start, times.end)).map(({ metric }) => metric))
    const lines = ALERT_FAULTS.map(({ number, name, instance }) => {
      const place = number === 0 ? '  ' : String(number).padStart(2)
      return `${place} ${name.padEnd(32)} ${(raised[instance] ?? []).join(' ')}`
    })
    console.log(
      [`${ALERT_FAULTS.length} faults in ${(times.end - times.start).toFixed(0)} s, and the alerts of their gateways`, ...lines].join('\n'),
    )
    expect(raised).toEqual(expected)
  })

  it('has values for every query of the dashboard', async () => {
    const empty: string[] = []
    const variables = { job: '.*', instance: '.*', window: '6s' }
    const expressions = expressionsOf(variables)
    expect(expressions.length).toBeGreaterThan(30)
    for (const { place, expr } of expressions) {
      const series = await prometheus.range(expr, times.start, times.end)
      if (!series.some(({ values }) => values.some(([, value]) => Number.isFinite(Number(value))))) empty.push(`${place}: ${expr}`)
    }
    expect(empty).toEqual([])
  })
})
