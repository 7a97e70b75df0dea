import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

/** Milliseconds in a clock tick of /proc. */
const TICK = 10
const children = new Set()

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Whether this system tells the CPU time of other processes. */
export const CPU_IS_KNOWN = existsSync(`/proc/${process.pid}/stat`)

/** Time of all threads by the clock of the scheduler, which is exact; 0 where the kernel keeps none. */
function scheduled(pid) {
  const path = `/proc/${pid}/task`
  if (!existsSync(`${path}/${pid}/schedstat`)) return 0
  return readdirSync(path).reduce((sum, thread) => sum + Number.parseInt(readFileSync(`${path}/${thread}/schedstat`, 'utf8'), 10) / 1e6, 0)
}

/** The same in steps of a tick. */
function ticked(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name of the program, in parentheses, and may hold spaces: user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}

/** A server under test in a process of its own. */
class Server {
  constructor(child, origin) {
    this.child = child
    this.pid = child.pid
    this.origin = origin
    // A connection for each operation at a time.
    this.pool = new Pool(origin, { pipelining: 1 })
  }

  /** User and system time so far, in milliseconds. */
  cpu() {
    return scheduled(this.pid) || ticked(this.pid)
  }

  /** Lets `fresh-gateways.mjs` start another gateway. */
  async renew() {
    const printed = once(this.child.stdout, 'data')
    this.child.stdin.write('\n')
    await this.pool.destroy()
    const [line] = await printed
    this.origin = /http:\/\/[\d.:]+/.exec(line)[0]
    this.pool = new Pool(this.origin, { pipelining: 1 })
  }

  async stop() {
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await Promise.all([ended, this.pool.destroy()])
  }

  /** The text of the answer to operation `i` of a job; rejects unless it is data without errors. */
  async ask({ name, body, authorization }, i) {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(authorization && { authorization: authorization(i) }),
    }
    const response = await this.pool.request({ path: '/graphql', method: 'POST', headers, body: body(i) })
    const text = await response.body.text()
    if (response.statusCode === 200 && text.startsWith('{"data":{') && !text.includes('"errors":[')) return text
    throw new Error(`operation ${i} of ${name} was answered with ${response.statusCode}: ${text.slice(0, 400)}`)
  }
}

/** Starts a script of this folder that prints the address it listens on. */
export async function start(file, ...argv) {
  const script = fileURLToPath(new URL(file, import.meta.url))
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' }
  const child = spawn(process.execPath, [script, ...argv], { stdio: ['pipe', 'pipe', 'inherit'], env })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const [printed] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with exit code ${code} before it listened.`))),
  ])
  return new Server(child, /http:\/\/[\d.:]+/.exec(printed)[0])
}

/** Starts the floor in front of an LMS. */
export const startFloor = (upstream) => start('floor.mjs', '--upstream', upstream)

/** A benchmark is one client that sends more than any other: its limits are checked, but not reached. */
const AMPLE = ['operations', 'calls', 'document-cost'].flatMap((each) => [`--${each}-per-minute`, '1000000000'])

/** Starts the gateway in front of an LMS, with further flags. */
export const startGateway = (upstream, argv = []) =>
  start('../../dist/cli.js', '--port', '0', '--upstream', upstream, '--max-in-flight', '256', ...AMPLE, ...argv)

/** The same with what only tests and benchmarks set. */
export const startTuned = (upstream, tuning) => start('gateway.mjs', upstream, JSON.stringify(tuning))

/** Ends all servers. */
export async function stopServers() {
  const ends = [...children].map((child) => once(child, 'exit'))
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(ends)
}
