// How the cost of operations grows with the length of lists, the depth of nesting and the number of callers.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { check } from './check.mjs'
import { exponentOf, verdictOf, WORSE } from './exponent.mjs'
import { SERIES } from './growth-jobs.mjs'
import { startLargeSite } from './large-site.mjs'
import { measure } from './measure.mjs'
import { plot } from './plot.mjs'
import { CPU_IS_KNOWN, startFloor, startGateway, stopServers } from './servers.mjs'
import { MACHINE, markdown } from './table.mjs'

/** CPU of each unit on both servers, in microseconds. */
async function cpuSeries(site, options) {
  const [floor, gateway] = await Promise.all([startFloor(site.url), startGateway(site.url, ['--max-rows', '10000'])])
  const servers = { floor, gateway }
  const points = SERIES.flatMap((series) => series.points)
  const jobs = points.map(({ job }) => job)
  const { results, problems } = await check(servers, site, jobs, 1)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  await measure(servers, results, { ...options, latency: false })
  const line = (series, name) =>
    series.points.map((point) => {
      const { cpu, calls } = results[points.indexOf(point)][name]
      return { ...point, calls, cost: (cpu * 1_000) / point.units }
    })
  return SERIES.map((series) => ({
    ...series,
    what: `CPU µs per ${series.unit}`,
    lines: { floor: line(series, 'floor'), gateway: line(series, 'gateway') },
  }))
}

/** Memory that the gateway allocates for each row of a list, in kilobytes, in a process of its own, where nothing is collected meanwhile. */
async function memorySeries(site, warmUp) {
  const [{ points, ...lists }] = SERIES
  const script = fileURLToPath(new URL('allocated.mjs', import.meta.url))
  const flags = ['--expose-gc', '--max-semi-space-size=1024', '--min-semi-space-size=1024']
  const gateway = []
  for (const point of points) {
    const argv = [...flags, script, site.url, point.job.body(0), String(warmUp)]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { PATH: process.env.PATH, NODE_ENV: 'production' } })
    gateway.push({ ...point, cost: Number(stdout) / 1_024 / point.units })
  }
  return { ...lists, title: 'Memory of lists', what: 'KB allocated per row', points, lines: { gateway } }
}

const digits = (value) => value.toPrecision(3)

function tableOf({ sizes, what, lines: { floor, gateway } }) {
  const head = floor ? [sizes, 'REST calls', `${what}: floor`, 'gateway', '×'] : [sizes, `${what}: gateway`]
  const rows = gateway.map(({ label, calls, cost }, index) => {
    if (!floor) return [label, digits(cost)]
    return [label, String(calls), digits(floor[index].cost), digits(cost), `${(cost / floor[index].cost).toFixed(2)}×`]
  })
  return markdown([head, ...rows])
}

/** Prints tables, writes the plot, and returns the exit code: 1 when a series grows faster than its sizes. */
export async function growth({ rounds, endsAt, warmUp, plot: file }) {
  if (!CPU_IS_KNOWN) throw new Error('`--growth` needs the CPU time of processes, which this system does not tell in /proc.')
  const site = await startLargeSite()
  try {
    const measured = [...(await cpuSeries(site, { rounds, endsAt })), await memorySeries(site, warmUp)]
    console.log(`${MACHINE}.`)
    const panels = measured.map((series) => {
      const exponents = Object.fromEntries(Object.entries(series.lines).map(([name, points]) => [name, exponentOf(points)]))
      const verdict = verdictOf(exponents)
      const grows = Object.entries(exponents).map(([name, exponent]) => `${name} ${series.sizes}^${exponent.toFixed(2)}`)
      console.log(['', `${series.title}: ${verdict} (${grows.join(', ')})`, '', ...tableOf(series)].join('\n'))
      return { ...series, exponents, verdict }
    })
    if (file) writeFileSync(file, plot(MACHINE, panels))
    const worse = panels.filter(({ verdict }) => verdict === WORSE)
    for (const { title } of worse) console.error(`${title}: the cost of the gateway grows faster than linearly and than that of the floor.`)
    return worse.length === 0 ? 0 : 1
  } finally {
    await stopServers()
    site.close()
  }
}
