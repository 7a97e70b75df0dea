import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { check } from './check.mjs'
import { FAST_PATHS } from './fast-paths.mjs'
import { startLms } from './lms.mjs'
import { measure } from './measure.mjs'
import { startFloor, startGateway, stopServers } from './servers.mjs'
import { geometricMean, MACHINE, markdown } from './table.mjs'

const ROOT = new URL('../../', import.meta.url)
/** Copies of the build, one for each fast path that only another build switches off. Packages are found from here. */
const COPIES = new URL('node_modules/.cache/lms-graphql-bench/', ROOT)
const ALL_ON = 'gateway'

/** Returns where a build without a fast path is, after writing it. */
function buildWithout({ name, replace: [text, by] }, index) {
  const copy = new URL(`${index}/`, COPIES)
  mkdirSync(copy, { recursive: true })
  for (const path of ['dist', 'package.json', 'schema']) cpSync(new URL(path, ROOT), new URL(path, copy), { recursive: true })
  const chunks = fileURLToPath(new URL('dist/chunks/', copy))
  const files = readdirSync(chunks).map((file) => ({ path: `${chunks}${file}`, code: readFileSync(`${chunks}${file}`, 'utf8') }))
  const [found, ...others] = files.filter(({ code }) => code.includes(text))
  if (!found || others.length > 0 || found.code.split(text).length > 2)
    throw new Error(`\`${name}\` is switched off by a change of \`${text}\`, which must occur once in the build. Correct fast-paths.mjs.`)
  writeFileSync(
    found.path,
    found.code.replace(text, () => by),
  )
  return fileURLToPath(new URL('dist/cli.js', copy))
}

/**
 * Measures the gateway beside itself with one fast path switched off, in one run, and prints the CPU that each one saves. Returns the exit
 * code: 1 when the data or the calls differ.
 */
export async function prices({ jobs, operations, rounds, endsAt }) {
  rmSync(COPIES, { recursive: true, force: true })
  const lms = await startLms()
  try {
    const servers = { floor: await startFloor(lms.url), [ALL_ON]: await startGateway(lms.url) }
    for (const [index, path] of FAST_PATHS.entries()) {
      servers[path.name] = await startGateway(lms.url, path.flags, path.replace && buildWithout(path, index))
    }
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
    rmSync(COPIES, { recursive: true, force: true })
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
