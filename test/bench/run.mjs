#!/usr/bin/env node
// What an operation costs: the gateway beside the least a Node process can do for the same answer.
//
//     npm run bench                    the whole table, within 90 seconds
//     npm run bench -- --quick         rougher, within 20 seconds
//     npm run bench -- --check-only    no times: do both give the same data, with how many REST calls and bytes?
//     npm run bench -- --jobs Q1,Q4    some of the jobs
//     npm run bench -- --write         keeps the CPU ratios in `figures.json`, for the major version of Node that runs; to be committed
//     npm run bench -- --prices        what each fast path saves, by switching it off, within 3 minutes
//     npm run bench -- --growth        how the cost grows with lists, nesting and callers instead, with a plot in `docs/images/growth.svg`
//     npm run bench -- --growth --quick --plot FILE    rougher; the plot goes to FILE, or nowhere
//
// It needs `dist`, which `npm install` and `npm run build` make. Three parts run on free ports of 127.0.0.1 and are ended with it:
//
// - the embedded LMS with its sample school, in a thread of this process, which tells of each call;
// - the floor (`floor.mjs`): no GraphQL, one hand-written handler per job that makes the fewest REST calls;
// - the gateway (`dist/cli.js`), as users start it, but with 256 calls in flight and without sharing reads between operations;
// - the same without its short path, so that requests go through Yoga's pipeline.
//
// Floor and gateways are processes of their own with the same V8 flags. Both get the same requests, whose variables change with
// every operation, and must answer with the same data, order of lists included; else the exit code is 1 and nothing is measured.
//
// - CPU: user and system time of the server's process per operation, at concurrency 4, from /proc; left out on systems without.
//   It hardly moves with other load on the machine: the figure to decide on.
// - REST calls and KB: what the LMS was asked for and what bodies it sent, at concurrency 1, the mean over the checked operations.
// - p50: latency at concurrency 1, without any delay in the LMS.
//
// Slices of both servers take turns and the whole goes round several times; the figures are medians over the rounds. "×" is the
// ratio to the floor, the last row the geometric mean of the ratios; "last" is what was committed last for this major version of Node.
//
// `--growth` runs floor and gateway in front of a larger site (`large-site.mjs`): lists of 10 to 10,000 rows, 2 to 5 levels, and 1 to 500
// callers at a time with credentials of their own. It shows the cost of each row, record or operation, which does not rise when the
// cost grows linearly or better, and the exponent that fits the whole cost over the largest decade of sizes. The exit code is 1 when the
// exponent of the gateway is above 1, or above that of the floor where it is higher, by more than 0.1; it is 2 when data differs.
import { parseArgs } from 'node:util'
import { check } from './check.mjs'
import { lastFigures, writeFigures } from './figures.mjs'
import { growth } from './growth.mjs'
import { JOBS } from './jobs.mjs'
import { startLms } from './lms.mjs'
import { measure } from './measure.mjs'
import { prices } from './prices.mjs'
import { startFloor, startGateway, startTuned, stopServers } from './servers.mjs'
import { table } from './table.mjs'

/** Operations checked per job; rounds; and the second after the start at which measuring ends. */
const FULL = { operations: 8, rounds: 5, endsAt: 80 }
const QUICK = { operations: 3, rounds: 3, endsAt: 16 }
/** The same of `--prices`. */
const FULL_PRICES = { operations: 4, rounds: 7, endsAt: 160 }
const QUICK_PRICES = { operations: 1, rounds: 1, endsAt: 10 }
/** The same of `--growth`, and milliseconds before memory is measured. */
const FULL_GROWTH = { rounds: 8, endsAt: 70, warmUp: 1_500, plot: new URL('../../docs/images/growth.svg', import.meta.url) }
const QUICK_GROWTH = { rounds: 1, endsAt: 8, warmUp: 200 }

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      'check-only': { type: 'boolean' },
      jobs: { type: 'string' },
      write: { type: 'boolean' },
      growth: { type: 'boolean' },
      prices: { type: 'boolean' },
      plot: { type: 'string' },
    },
  })
  const others = ['check-only', 'jobs', 'write'].filter((name) => name in values)
  if (values.growth && others.length > 0)
    throw new Error(`\`--growth\` measures other operations: leave out \`--${others.join('`, `--')}\`.`)
  if (values.plot && !values.growth) throw new Error('`--plot` needs `--growth`.')
  if (values.prices && (values.growth || values['check-only'] || values.write))
    throw new Error('`--prices` measures the gateway beside itself: leave out `--growth`, `--check-only` and `--write`.')
  if (values.growth) return { ...(values.quick ? QUICK_GROWTH : FULL_GROWTH), growth: true, ...(values.plot && { plot: values.plot }) }
  const names = values.jobs?.split(',') ?? Object.keys(JOBS)
  for (const name of names) {
    if (!Object.hasOwn(JOBS, name)) throw new Error(`\`--jobs\` names \`${name}\`; there are ${Object.keys(JOBS).join(', ')}.`)
  }
  const { 'check-only': checkOnly, write } = values
  if (write && (checkOnly || values.quick || values.jobs)) throw new Error('`--write` needs a whole run.')
  const jobs = [...new Set(names)].map((name) => JOBS[name])
  if (values.prices) return { ...(values.quick ? QUICK_PRICES : FULL_PRICES), jobs, prices: true }
  return { write, ...(values.quick ? QUICK : FULL), jobs, checkOnly }
}

/** Prints the table; returns the exit code. */
async function bench({ jobs, operations, rounds, endsAt, checkOnly, write }) {
  const lms = await startLms()
  try {
    const [floor, gateway, yoga] = await Promise.all([
      startFloor(lms.url),
      startGateway(lms.url),
      startTuned(lms.url, { shortPath: false }),
    ])
    const servers = { floor, gateway, yoga }
    const { results, problems } = await check(servers, lms, jobs, operations)
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) return 1
    if (!checkOnly) await measure(servers, results, { rounds, endsAt })
    console.log(table(results, lastFigures()))
    if (write) writeFigures(results)
    return 0
  } finally {
    await stopServers()
    await lms.close()
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

try {
  const options = readOptions()
  process.exitCode = await (options.growth ? growth(options) : options.prices ? prices(options) : bench(options))
} catch (error) {
  console.error(`bench: ${error.message}`)
  process.exitCode = 2
}
