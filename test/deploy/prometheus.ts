import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../hosts/host.js'

/** Programs of Prometheus that the machine lacks. */
export const MISSING = ['prometheus', 'promtool'].filter((program) => spawnSync(program, ['--version']).status !== 0)

export const RULES = fileURLToPath(new URL('../../deploy/prometheus/lms-graphql.rules.yaml', import.meta.url))

const FASTER = 50

/** The text of the shipped rules. */
export const SHIPPED = readFileSync(RULES, 'utf8')

/** The shipped rules with durations divided by `FASTER`, so that five minutes are six seconds: those of ranges, `[5m]`, and those of `for: 5m`. */
export const SCALED = SHIPPED.replace(/(?<=\[|\bfor: )(\d+)m\b/g, (_, minutes) => `${(Number(minutes) * 60_000) / FASTER}ms`)

/** Runs promtool. */
export function promtool(...argv: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', argv, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

/** A process to scrape, with its labels. */
export interface Target {
  readonly port: number
  readonly job: string
  readonly instance: string
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [time: number, value: string])[]
}

/** A real Prometheus on the loopback interface that scrapes and evaluates every second. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  /** `rules` is the text of a rule file. */
  static async start(rules: string, targets: readonly Target[]): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-prometheus-'))
    writeFileSync(join(folder, 'rules.yaml'), rules)
    const jobs = [...new Set(targets.map(({ job }) => job))].map((job) => ({
      job_name: job,
      static_configs: targets
        .filter((target) => target.job === job)
        .map(({ port, instance }) => ({ targets: [`127.0.0.1:${port}`], labels: { instance } })),
    }))
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: jobs,
    }
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config))
    const port = await freePort()
    const argv = [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ]
    const child = spawn('prometheus', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaints = ''
    child.stderr?.on('data', (chunk) => {
      complaints += chunk
    })
    const prometheus = new Prometheus(child, folder, `http://127.0.0.1:${port}`)
    while (!(await prometheus.isReady())) {
      if (child.exitCode !== null) throw new Error(`Prometheus has ended: ${complaints}`)
      await sleep(50)
    }
    return prometheus
  }

  /** Label sets of all alerts that are firing. */
  async firing(): Promise<readonly Readonly<Record<string, string>>[]> {
    const { alerts } = await this.get('/api/v1/alerts')
    return alerts.filter(({ state }: { state: string }) => state === 'firing').map(({ labels }: { labels: object }) => labels)
  }

  /** The values of an expression at each second between two times, in seconds. */
  async range(query: string, start: number, end: number): Promise<readonly Series[]> {
    const parameters = new URLSearchParams({ query, start: String(start), end: String(end), step: '1' })
    return (await this.get(`/api/v1/query_range?${parameters}`)).result
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit')
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async isReady(): Promise<boolean> {
    return fetch(`${this.url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  private async get(path: string): Promise<any> {
    const answer = (await (await fetch(`${this.url}${path}`)).json()) as { status: string; data?: unknown; error?: string }
    if (answer.status !== 'success') throw new Error(`Prometheus refuses ${decodeURIComponent(path)}: ${answer.error}`)
    return answer.data
  }
}
