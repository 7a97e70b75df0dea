#!/usr/bin/env node
// What an operation costs: the gateway beside the least a Node process can do for the same answer.
//
//     npm run bench                    the whole table, within 90 seconds
//     npm run bench -- --quick         rougher, within 20 seconds
//     npm run bench -- --check-only    no times: do both give the same data, with how many REST calls and bytes?
//     npm run bench -- --jobs Q1,Q4    some of the jobs
//     npm run bench -- --write         keeps the CPU ratios in `figures.json`, beside which later runs are shown; to be committed
//     npm run bench -- --lists         lists of 100, 1,000 and 10,000 records instead: does a record always cost the same?
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
// ratio to the floor, the last row the geometric mean of the ratios; "last" is what was committed last.
import { parseArgs } from 'node:util'
import { check } from './check.mjs'
import { lastFigures, writeFigures } from './figures.mjs'
import { JOBS } from './jobs.mjs'
import { lists } from './lists.mjs'
import { startLms } from './lms.mjs'
import { measure } from './measure.mjs'
import { startFloor, startGateway, stopServers } from './servers.mjs'
import { table } from './table.mjs'

/** Operations checked per job; rounds; and the second after the start at which measuring ends. */
const FULL = { operations: 8, rounds: 5, endsAt: 80 }
const QUICK = { operations: 3, rounds: 3, endsAt: 16 }

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      'check-only': { type: 'boolean' },
      jobs: { type: 'string' },
      write: { type: 'boolean' },
      lists: { type: 'boolean' },
    },
  })
  const names = values.jobs?.split(',') ?? Object.keys(JOBS)
  for (const name of names) {
    if (!Object.hasOwn(JOBS, name)) throw new Error(`\`--jobs\` names \`${name}\`; there are ${Object.keys(JOBS).join(', ')}.`)
  }
  const { 'check-only': checkOnly, ...others } = values
  if (others.write && (checkOnly || others.quick || others.jobs)) throw new Error('`--write` needs a whole run.')
  return { ...others, ...(values.quick ? QUICK : FULL), jobs: [...new Set(names)].map((name) => JOBS[name]), checkOnly }
}

/** Prints the table; returns the exit code. */
async function bench({ jobs, operations, rounds, endsAt, checkOnly, write }) {
  const lms = await startLms()
  try {
    const [floor, gateway, yoga] = await Promise.all([
      startFloor(lms.url),
      startGateway(lms.url),
      startGateway(lms.url, '--short-path', 'false'),
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
  process.exitCode = await (options.lists ? lists() : bench(options))
} catch (error) {
  console.error(`bench: ${error.message}`)
  process.exitCode = 2
}
