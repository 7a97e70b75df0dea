// Instructions per operation of two builds, counted by callgrind: unlike times, they are the same on a busy machine. Needs Debian's `valgrind`.
//
//   node test/bench/instructions.mjs BEFORE AFTER [--jobs Q1,Q4] [--operations 100] [--warm-up 4000]
//
// BEFORE and AFTER are checkouts with a build. Needs Node.js 24 or later, whose V8 has the flags below. Prints millions of instructions in the main thread, and their ratio.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { JOBS } from './jobs.mjs'
import { startLms } from './lms.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: Object.keys(JOBS).join(',') },
    operations: { type: 'string', default: '100' },
    // Until V8 has optimized the code.
    'warm-up': { type: 'string', default: '4000' },
  },
})
if (positionals.length !== 2) throw new Error('Two checkouts are needed: BEFORE and AFTER.')
const OPERATIONS = Number(values.operations)
const WARM_UP = Number(values['warm-up'])

/**
 * Garbage collection in the main thread, so that it is counted; compilation in others, because when it happens differs from run to run. The other
 * flags are the same for builds that set flags themselves and those that do not.
 */
const V8_FLAGS = [
  '--single-threaded-gc',
  '--invocation-count-for-turbofan=1000',
  '--minimum-invocations-after-ic-update=200',
  '--max-semi-space-size=48',
  '--min-semi-space-size=48',
  '--no-allocation-site-pretenuring',
]

const lms = await startLms()
const scratch = mkdtempSync(join(tmpdir(), 'instructions-'))

/** Millions of instructions per operation of a job. */
async function count(checkout, job, label) {
  const out = join(scratch, label)
  const valgrind = ['--tool=callgrind', '--instr-atstart=no', '--separate-threads=yes', `--callgrind-out-file=${out}`, '--quiet']
  const server = [join(resolve(checkout), 'dist/cli.js'), '--port', '0', '--upstream', lms.url, '--max-in-flight', '256']
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', LOG_LEVEL: 'info' }
  const child = spawn('valgrind', [...valgrind, process.execPath, ...V8_FLAGS, ...server], { stdio: ['ignore', 'pipe', 'inherit'], env })
  process.once('exit', () => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (data) => {
    printed = (printed + data).slice(-2_000)
  })
  const address = await new Promise((found, failed) => {
    child.stdout.on('data', () => {
      const [origin] = /http:\/\/[\d.:]+(?=\/graphql)/.exec(printed) ?? []
      if (origin) found(origin)
    })
    child.once('exit', (code) => failed(new Error(`The gateway of ${checkout} ended with exit code ${code}: ${printed}`)))
  })
  const run = async (from, to) => {
    for (let i = from; i < to; i++) {
      const { authorization } = job
      const headers = {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...(authorization && { authorization: authorization(i) }),
      }
      const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body: job.body(i) })
      const text = await response.text()
      if (response.status !== 200 || text.includes('"errors":[')) throw new Error(`Operation ${i} of ${job.name}: ${text.slice(0, 300)}`)
    }
  }
  const control = (...argv) => execFileSync('callgrind_control', [...argv, String(child.pid)], { stdio: 'ignore' })
  await run(0, WARM_UP)
  control('--instr=on')
  await run(WARM_UP, WARM_UP + OPERATIONS)
  control('--instr=off')
  control('--dump')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  // The main thread has the number 1.
  const files = readdirSync(scratch).filter((name) => name.startsWith(label) && name.endsWith('-01'))
  return files.reduce((sum, name) => sum + totalIn(readFileSync(join(scratch, name), 'utf8')), 0) / OPERATIONS / 1e6
}

const totalIn = (profile) => Number(/^totals: (\d+)/m.exec(profile)?.[1] ?? 0)

try {
  console.log('| job | before | after | ratio |\n|---|---:|---:|---:|')
  for (const name of values.jobs.split(',')) {
    const [before, after] = [
      await count(positionals[0], JOBS[name], `${name}-before`),
      await count(positionals[1], JOBS[name], `${name}-after`),
    ]
    console.log(`| ${name} | ${before.toFixed(2)} M | ${after.toFixed(2)} M | ${(after / before).toFixed(3)} |`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
  await lms.close()
}
