import type { Raise } from '../../upstream/cache/tag-versions.js'
import type { RaiseSharing } from '../cache.js'
import type { Output } from '../log/output.js'
import { faultText } from '../log/request-logger.js'
import type { Snapshot } from '../metrics/exposition.js'
import type { MetricsSharing } from '../metrics/metrics.js'
import type { StartedGateway } from '../start.js'
import { flushSpans } from '../tracing/tracer.js'
import { type Order, type PackedJob, type Report, unpack } from './messages.js'
import { onPrimaryGone } from './node-cluster.js'
import { startOutput, startServing } from './serving.js'

// A worker: answers requests on a socket that it shares with others, and follows the messages of the primary.

let log: Output | undefined

/** Sends a message to the primary, unless it has gone. */
function report(message: Report, sent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, sent)
  else sent()
}

let measure: () => Promise<Snapshot> = async () => []
let gathered = 0
const gathering = new Map<number, (all: readonly Snapshot[]) => void>()

const shareMetrics: MetricsSharing = (own) => {
  measure = own
  return async () => {
    if (!process.connected) return [await own()]
    return new Promise((resolve) => {
      gathering.set(++gathered, resolve)
      report({ kind: 'gather', id: gathered })
    })
  }
}

let applyRaise: (raise: Raise) => void = () => {}
let told = 0
const telling = new Map<number, () => void>()

const shareRaises: RaiseSharing = (apply) => {
  applyRaise = apply
  return async (raise) => {
    if (!process.connected) return
    await new Promise<void>((resolve) => {
      telling.set(++told, resolve)
      report({ kind: 'tell', id: told, raise })
    })
  }
}

let gateway: Promise<StartedGateway | undefined> = Promise.resolve(undefined)
let refusing: Promise<void> | undefined
let ending = false

async function start(job: PackedJob): Promise<StartedGateway | undefined> {
  try {
    const unpacked = unpack(job)
    log = await startOutput(unpacked.config, unpacked.production)
    const started = await startServing(unpacked, { log, shareMetrics, shareRaises })
    report({ kind: 'listening', url: started.url })
    return started
  } catch (error) {
    report({ kind: 'failed', message: (error as Error).message }, () => process.exit(1))
    return undefined
  }
}

/** Stops accepting connections. */
function refuse(): Promise<void> {
  refusing ??= (async () => {
    await (await gateway)?.refuse()
    report({ kind: 'refusing' })
  })()
  return refusing
}

/** Answers running requests, then ends. */
async function end(): Promise<void> {
  if (ending) return
  ending = true
  await refuse()
  await (await gateway)?.close()
  await flushSpans()
  report({ kind: 'ended', metrics: await measure() }, () => process.exit(0))
}

process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'start':
      gateway = start(order.job)
      return
    case 'refuse':
      return void refuse()
    case 'end':
      return void end()
    case 'measure':
      return void measure().then((metrics) => report({ kind: 'measured', metrics }))
    case 'apply':
      applyRaise(order.raise)
      return report({ kind: 'applied', id: order.id })
    case 'told':
      telling.get(order.id)?.()
      telling.delete(order.id)
      return
    case 'gathered':
      gathering.get(order.id)?.(order.all)
      gathering.delete(order.id)
  }
})
// Terminals and service managers send signals to whole process groups. The primary decides when workers end.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', () => void refuse())
// The primary accepts the connections, so nothing more can arrive.
onPrimaryGone(() => {
  void measure().then((own) => {
    for (const [, resolve] of gathering) resolve([own])
  })
  for (const [, resolve] of telling) resolve()
  void end()
})
process.on('exit', () => log?.end())
process.on('uncaughtException', (error) => {
  if (log) log.crash(error)
  else process.stderr.write(faultText(error))
  process.exit(1)
})
report({ kind: 'ready' })
