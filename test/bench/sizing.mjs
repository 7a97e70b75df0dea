#!/usr/bin/env node
// What a gateway needs: memory, CPU and operations a second, for `docs/operating.md`.
//
//     node test/bench/sizing.mjs            all tables, within two minutes
//     node test/bench/sizing.mjs --quick    the same with short runs, whose figures say little
//
// It needs `dist`, and Linux, whose /proc tells memory and CPU of processes. It starts on free ports of 127.0.0.1, and ends with it:
//
// - a site that answers each call after 20 ms: its answers are those of the embedded LMS, which is asked once for each call;
// - the gateway (`dist/cli.js`), as users start it: a new process for each row, so that its highest memory is that of the row.
//
// Callers ask one operation after the other, each on a connection of its own, for records in turn, so that few reads are identical. The callers
// and the site run in the process of this script, so they need one core beside that of the gateway; while they are the limit, the gateway does
// less than it could. "operations/s of a core" is what the CPU of an operation allows.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { JOBS } from './jobs.mjs'
import { startLms } from './lms.mjs'
import { start, stopServers } from './servers.mjs'

/** Milliseconds that the site takes for an answer. */
const DELAY = 20
const MB = 1_048_576

/** Operations of the tables: one record, and a tree of lists. */
const SMALL = JOBS.Q1
const NESTED = JOBS.Q4

/** Answers calls as the LMS does, after a while, without its work. Counts the calls. */
async function startSite(lms) {
  const answers = new Map()
  const answerOf = async (path) => {
    const response = await fetch(lms.url.replace(/\/lms$/, '') + path)
    const headers = { 'content-type': 'application/json' }
    for (const name of ['x-wp-total', 'x-wp-totalpages']) if (response.headers.has(name)) headers[name] = response.headers.get(name)
    return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
  }
  const site = { calls: 0 }
  const server = createServer({ keepAliveTimeout: 65_000 }, async ({ url }, response) => {
    site.calls++
    if (!answers.has(url)) answers.set(url, answerOf(url))
    const [{ status, headers, body }] = await Promise.all([answers.get(url), sleep(DELAY)])
    response.writeHead(status, headers).end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  site.url = lms.url.replace(/:\d+/, `:${server.address().port}`)
  site.close = () => {
    server.close()
    server.closeAllConnections()
  }
  return site
}

/** Megabytes of a process from a line of /proc, such as `VmRSS` (now) and `VmHWM` (at most). */
function memory(pid, line, file = 'status') {
  return (Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))[1]) * 1024) / MB
}

/** Milliseconds of CPU of a process. */
function cpu(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`)
  return threads.reduce((sum, path) => sum + Number.parseInt(readFileSync(path, 'utf8'), 10) / 1e6, 0)
}

/** All callers have one address. */
const UNLIMITED = ['operations', 'calls', 'document-cost'].flatMap((each) => [`--${each}-per-minute`, '0'])

/** Starts the gateway with flags, and asks it once, so that its modules are loaded. */
async function startGateway(site, ...flags) {
  const gateway = await start('../../dist/cli.js', '--port', '0', '--upstream', site.url, '--log-level', 'silent', ...UNLIMITED, ...flags)
  await gateway.ask(SMALL, 0)
  return gateway
}

/** Asks one operation after the other for each caller. Returns rates and times, and how many operations were refused. */
async function load(site, gateway, job, callers, ms) {
  const pool = new Pool(gateway.origin, { connections: callers, pipelining: 1 })
  const headers = { 'content-type': 'application/json' }
  const times = []
  let [count, refused, end] = [0, 0, Number.POSITIVE_INFINITY]
  const caller = async () => {
    while (performance.now() < end) {
      const since = performance.now()
      const { statusCode, body } = await pool.request({ path: '/graphql', method: 'POST', headers, body: job.body(count++) })
      const text = await body.text()
      if (statusCode === 200 && !text.includes('"errors":[')) times.push(performance.now() - since)
      else if (/"code":"(SERVER|UPSTREAM)_BUSY"/.test(text)) refused++
      else throw new Error(`${job.name} was answered with ${statusCode}: ${text.slice(0, 400)}`)
    }
  }
  const callersEnd = Promise.all(Array.from({ length: callers }, caller))
  // The first half of the time is for the compiler.
  await Promise.race([callersEnd, sleep(ms)])
  times.length = refused = 0
  const [since, before, earlier] = [performance.now(), cpu(gateway.pid), site.calls]
  await Promise.race([callersEnd, sleep(ms)])
  const [seconds, used, calls] = [(performance.now() - since) / 1000, cpu(gateway.pid) - before, site.calls - earlier]
  const answered = times.length
  const sorted = times.toSorted((a, b) => a - b)
  end = 0
  await callersEnd
  await pool.close()
  const at = (share) => sorted[Math.min(answered - 1, Math.floor(answered * share))] ?? Number.NaN
  return {
    rate: answered / seconds,
    calls: calls / answered,
    cpu: used / answered,
    busy: used / seconds / 1000,
    refused,
    p50: at(0.5),
    p99: at(0.99),
  }
}

const round = (value) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(2))

function print(title, heads, rows) {
  console.log(`\n${title}\n\n| ${heads.join(' | ')} |\n| ${heads.map(() => '---').join(' | ')} |`)
  for (const row of rows) console.log(`| ${row.map((cell) => (typeof cell === 'number' ? round(cell) : cell)).join(' | ')} |`)
}

/** One row: a gateway of its own, under load. */
async function measured(site, { job, callers, flags }, ms) {
  const gateway = await startGateway(site, ...flags)
  try {
    const result = await load(site, gateway, job, callers, ms)
    return { ...result, peak: memory(gateway.pid, 'VmHWM') }
  } finally {
    await stopServers()
  }
}

async function underLoad(site, ms) {
  const rows = []
  for (const job of [SMALL, NESTED]) {
    for (const callers of [10, 100, 500]) {
      const { rate, calls, cpu: each, busy, p50, p99, peak } = await measured(site, { job, callers, flags: ['--max-in-flight', '256'] }, ms)
      rows.push([job.what, String(callers), rate, calls, busy * 100, each, 1000 / each, p50, p99, peak])
    }
  }
  const heads = [
    'operation',
    'callers',
    'operations/s',
    'REST calls each',
    'core %',
    'CPU ms each',
    'operations/s of a core',
    'p50 ms',
    'p99 ms',
    'highest memory MB',
  ]
  print('One process, --max-in-flight 256', heads, rows)
}

async function inFlight(site, ms) {
  const rows = []
  for (const most of ['4', '8', '16', '32']) {
    const { rate, p50, p99, busy } = await measured(site, { job: SMALL, callers: 64, flags: ['--max-in-flight', most] }, ms)
    rows.push([most, rate, p50, p99, busy * 100])
  }
  print(`--max-in-flight, 64 callers of ${SMALL.what}`, ['max-in-flight', 'operations/s', 'p50 ms', 'p99 ms', 'core %'], rows)
}

async function budgets(site, ms) {
  const rows = []
  for (const budget of ['', '16000000', '4000000']) {
    const flags = ['--max-in-flight', '256', ...(budget === '' ? [] : ['--memory-budget', budget])]
    const { rate, refused, peak } = await measured(site, { job: NESTED, callers: 500, flags }, ms)
    rows.push([budget === '' ? 'default' : Number(budget).toLocaleString('en'), rate, refused / (ms / 1000), peak])
  }
  print(`--memory-budget, 500 callers of ${NESTED.what}`, ['memory-budget', 'operations/s', 'refused/s', 'highest memory MB'], rows)
}

async function idle(site) {
  const gateway = await startGateway(site)
  await sleep(1_000)
  print('Idle', ['process', 'memory MB'], [['without requests', memory(gateway.pid, 'Pss', 'smaps_rollup')]])
  await stopServers()
}

/** What open connections need that have asked once and stay open. One address may have a tenth of the limit. */
async function connections(site, count) {
  const gateway = await startGateway(site, '--max-connections', '100000')
  const { hostname, port } = new URL(gateway.origin)
  const sockets = []
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(`GET /health/live HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`))
      socket.once('error', reject).once('data', () => resolve(socket))
    })
  // The first ones also pay for code and pools.
  for (let i = 0; i < 500; i++) sockets.push(await open())
  await sleep(500)
  const before = memory(gateway.pid, 'VmRSS')
  for (let i = 0; i < count; i += 100) sockets.push(...(await Promise.all(Array.from({ length: 100 }, open))))
  await sleep(500)
  const used = memory(gateway.pid, 'VmRSS') - before
  for (const socket of sockets) socket.destroy()
  await stopServers()
  print(
    'Open connections without a request',
    ['connections', 'memory MB for each 1,000'],
    [[count.toLocaleString('en'), (used / count) * 1000]],
  )
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

const { quick } = parseArgs({ options: { quick: { type: 'boolean' } } }).values
const ms = quick ? 300 : 3_000
const lms = await startLms()
const site = await startSite(lms)
try {
  console.log(`Node.js ${process.versions.node}, ${cpus().length} cores (${cpus()[0].model}), a site that takes ${DELAY} ms`)
  await idle(site)
  await underLoad(site, ms)
  await inFlight(site, ms)
  await budgets(site, ms)
  await connections(site, quick ? 500 : 4_000)
} finally {
  await stopServers()
  site.close()
  await lms.close()
}
