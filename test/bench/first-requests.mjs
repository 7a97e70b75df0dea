#!/usr/bin/env node
// What the first request of each operation of `schema/operations` costs a new gateway, compared with later ones:
//
//     node test/bench/first-requests.mjs                 with `http.operations`, by the names of the operations
//     node test/bench/first-requests.mjs --without       without it, by their texts
//     node test/bench/first-requests.mjs --gateways 3    with fewer gateways
//     node test/bench/first-requests.mjs --cold          each in a new process, which has run the jobs of the benchmark only
//
// CPU is user and system time of a process with one gateway after the other, in front of the embedded LMS, which is in another one. The first
// gateways are not counted, because V8 compiles meanwhile what all operations share. Operations are sent one at a time, in a random order. A
// cell is the median over the gateways, "later" that of the third and later requests. The exit code is 1 when the median of the ratios is above 2.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DEMO_USERS } from '../../dist/lms.js'
import { JOBS } from './jobs.mjs'
import { start, stopServers } from './servers.mjs'
import { MACHINE, markdown } from './table.mjs'

const MOST = 2
/** Requests for each operation. */
const REQUESTS = 12
/** Operations of each job before a process is measured, and gateways that are not counted. */
const WARM_UP = { jobs: 150, gateways: 3 }
/** Milliseconds in which a new gateway prepares its operations. */
const PREPARING = 1_500

const { values } = parseArgs({
  options: { without: { type: 'boolean' }, cold: { type: 'boolean' }, gateways: { type: 'string', default: '7' } },
})

/** What the embedded LMS has beyond the specification. */
const ROUTES = [
  ...['users/me', 'users', 'media', 'terms', 'users/course-progress/steps', 'users/courses', 'sfwd-courses/users'],
  ...['sfwd-courses/groups', 'sfwd-courses/steps', 'sfwd-topic', 'sfwd-question'],
]

/** The logins of the demo users, by the roles of operations. */
const LOGINS = { learner: 'learner', editor: 'leader', administrator: 'admin' }

function authorizationOf(role) {
  const user = DEMO_USERS.find(({ login }) => login === LOGINS[role])
  return user && `Basic ${Buffer.from(`${user.login}:${user.password}`).toString('base64')}`
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const folder = fileURLToPath(new URL('../../schema/operations', import.meta.url))

function optionsFor(site) {
  const limits = { operationsPerMinute: 1e9, callsPerMinute: 1e9, documentCostPerMinute: 1e9 }
  const http = { port: 0, graphiql: true, ...(!values.without && { operations: folder }) }
  return { site: { url: site, routes: ROUTES }, protection: { maxInFlight: 256 }, limits, http }
}

/** Milliseconds of CPU that a request takes. */
async function costOf(server, job) {
  const before = server.cpu()
  await server.ask(job, 0)
  // The scheduler counts what a thread has used when it sleeps.
  await rest(4)
  return server.cpu() - before
}

async function operationsOf({ origin }) {
  const { operations } = await (await fetch(`${origin}/graphiql/operations.json`)).json()
  return operations.map(({ name, query, variables, role }) => {
    const asked = values.without ? { query } : { documentId: name }
    const authorization = authorizationOf(role)
    return { name, body: () => JSON.stringify({ ...asked, variables }), ...(authorization && { authorization: () => authorization }) }
  })
}

/** Lets a gateway learn who its callers are, and open its connections. */
async function meet(server) {
  const body = () => '{"query":"{ viewer { id } groups(first: 1) { nodes { id } } }"}'
  for (const role of Object.keys(LOGINS)) await server.ask({ name: 'viewer', body, authorization: () => authorizationOf(role) }, 0)
}

/** Costs by operation: that of the first request, and the median of later ones. */
async function measured(server) {
  const operations = await operationsOf(server)
  await meet(server)
  await rest(PREPARING)
  const costs = {}
  for (const job of operations.toSorted(() => Math.random() - 0.5)) {
    const all = []
    for (let i = 0; i < REQUESTS; i++) all.push(await costOf(server, job))
    costs[job.name] = { first: all[0], later: median(all.slice(2)) }
  }
  return costs
}

async function run(site) {
  const launch = () => start('fresh-gateways.mjs', JSON.stringify(optionsFor(site)))
  const runs = []
  let server
  for (let i = values.cold ? 0 : -WARM_UP.gateways; i < Number(values.gateways); i++) {
    if (server && !values.cold) await server.renew()
    else {
      await server?.stop()
      server = await launch()
      for (const job of Object.values(JOBS)) for (let j = 0; j < WARM_UP.jobs; j++) await server.ask(job, j)
    }
    const costs = await measured(server)
    if (i >= 0) runs.push(costs)
  }
  return runs
}

try {
  const lms = await start('../../dist/cli.js', 'lms', '--port', '0')
  const runs = await run(lms.origin)
  const rows = Object.keys(runs[0])
    .sort()
    .map((name) => {
      const of = (key) => median(runs.map((run) => run[name][key]))
      return { name, first: of('first'), later: of('later'), ratio: median(runs.map((run) => run[name].first / run[name].later)) }
    })
  const ratio = median(rows.map((row) => row.ratio))
  const cells = rows.map((row) => [row.name, row.first.toFixed(2), row.later.toFixed(2), `${row.ratio.toFixed(2)}×`])
  const table = markdown([
    ['operation', 'first: CPU ms', 'later: CPU ms', '×'],
    ...cells,
    ['**median**', '', '', `**${ratio.toFixed(2)}×**`],
  ])
  console.log(`${table.join('\n')}\n\n${MACHINE}`)
  if (ratio > MOST) process.exitCode = 1
} finally {
  await stopServers()
}
