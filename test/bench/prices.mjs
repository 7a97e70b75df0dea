import { check } from './check.mjs'
import { FAST_PATHS } from './fast-paths.mjs'
import { startLms } from './lms.mjs'
import { measure } from './measure.mjs'
import { startFloor, startTuned, stopServers } from './servers.mjs'
import { geometricMean, MACHINE, markdown } from './table.mjs'

const ALL_ON = 'gateway'

/**
 * Measures the gateway beside itself with one fast path switched off, in one run, and prints the CPU that each one saves. Returns the exit
 * code: 1 when the data or the calls differ.
 */
export async function prices({ jobs, operations, rounds, endsAt }) {
  const lms = await startLms()
  try {
    const servers = { floor: await startFloor(lms.url), [ALL_ON]: await startTuned(lms.url, {}) }
    for (const { name, tuning } of FAST_PATHS) servers[name] = await startTuned(lms.url, tuning)
    const { results, problems } = await check(servers, lms, jobs, operations)
    for (const { job, ...figures } of results) {
      for (const { name } of FAST_PATHS)
        if (figures[name].calls !== figures[ALL_ON].calls)
          problems.push(`${job.name} without ${name} makes ${figures[name].calls} calls, not ${figures[ALL_ON].calls}`)
    }
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) return 1
    await measure(servers, results, { rounds, endsAt, latency: false })
    console.log(table(results))
    return 0
  } finally {
    await stopServers()
    await lms.close()
  }
}

/** For each fast path, the CPU without it as a multiple of the CPU with all of them. */
function table(results) {
  const head = ['without', ...results.map(({ job }) => job.name), 'mean']
  const rows = FAST_PATHS.map(({ name }) => {
    const ratios = results.map((result) => result[name].cpu / result[ALL_ON].cpu)
    return [name, ...[...ratios, geometricMean(ratios)].map((ratio) => `${ratio.toFixed(2)}×`)]
  })
  return [`${MACHINE}. CPU without a fast path, as a multiple of the CPU with all of them.`, '', ...markdown([head, ...rows])].join('\n')
}
