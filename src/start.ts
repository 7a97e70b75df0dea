import type { RequestListener } from 'node:http'
import { type AssembledGateway, assemble, createShared, type ProgramOptions } from './assembly.js'
import { errorOf, type GatewayOptions, PROGRAM_ONLY } from './gateway.js'
import { differing } from './options/fingerprint.js'
import { metricsAddress } from './options/observe.js'
import { type ReadOptions, readProgram } from './options/program.js'
import { ENTRIES } from './options/table.js'
import { listen } from './server/http/listen.js'
import { serveMetrics } from './server/metrics/exposition.js'
import type { Tuning } from './tuning.js'

export interface StartedGateway {
  /** Address without a trailing slash, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Address of the metrics when they have a port of their own. */
  readonly metricsUrl: string | undefined
  /**
   * Stops accepting connections, answers running requests, closes the rest after `http.drainTimeout`, then the connections to the site.
   * `/health/ready` is 503 from its call on.
   */
  close(): Promise<void>
}

/** A gateway whose options can be changed. */
export interface RunningGateway extends StartedGateway {
  /**
   * Uses these options for later requests; running requests keep the previous ones. Returns the paths of options that differ but need a restart.
   * Throws an `OptionsError`, and changes nothing, when they are wrong.
   */
  change(read: ReadOptions): readonly string[]
}

/** Paths of the options that are read only at the start. */
const AT_START = new Set(ENTRIES.filter(({ needsRestart }) => needsRestart).map(({ path }) => path))

/** Starts a gateway on a host and port. Rejects when an option is wrong, and when it cannot listen there. */
export const startGateway = async (options: GatewayOptions): Promise<StartedGateway> => startTuned(options)

/** The same with what only tests set. */
export async function startTuned(options: GatewayOptions, tuning: Tuning = {}): Promise<StartedGateway> {
  try {
    const read = readProgram(options, { others: PROGRAM_ONLY, isServer: true })
    const { change: _, ...started } = await start(read, options, tuning)
    return started
  } catch (error) {
    throw errorOf('startGateway', error)
  }
}

/** Starts a gateway with options that were read. Rejects with an `OptionsError` for names that the graph does not have. */
export async function start(read: ReadOptions, program: ProgramOptions, tuning: Tuning = {}): Promise<RunningGateway> {
  const { http, observe } = read.options
  let isLeaving = false
  const shared = createShared(read.options, program, { ...tuning, isLeaving: () => isLeaving || tuning.isLeaving?.() === true })
  let gateway = assemble(read, shared)
  const handler = new ChangingHandler(gateway.handle)
  const opened: { close(): Promise<void> }[] = [{ close: () => gateway.close() }]
  const open = async <Opened extends { close(): Promise<void> }>(opening: Promise<Opened>): Promise<Opened> => {
    try {
      const each = await opening
      opened.push(each)
      return each
    } catch (error) {
      for (const each of opened.reverse()) await each.close()
      throw error
    }
  }
  const place = metricsAddress(observe.metrics, http.host)
  const metrics = place && (await open(serveMetrics(() => gateway.metrics(), place)))
  const { url, port, close } = await open(listen(handler.handle, { ...http, ...tuning.sockets }, shared.events))
  return {
    url,
    port,
    metricsUrl: metrics?.url,
    change(next) {
      const before = gateway
      const after = assemble({ ...next, options: withStarted(next, before) }, shared, before)
      gateway = after
      const fault = (cause: unknown): void => void shared.events.emit('fault', cause)
      handler.change(after.handle, () => before.retire(after).catch(fault))
      return differing(before.options, next.options).filter((path) => AT_START.has(path))
    },
    close: async () => {
      isLeaving = true
      await close()
      await handler.ended()
      await gateway.close()
      // Last, so that the end can be observed.
      await metrics?.close()
    },
  }
}

/** The options of a change, with those of the start where a change needs a restart. */
function withStarted({ options }: ReadOptions, { options: started }: AssembledGateway): ReadOptions['options'] {
  const areas = Object.entries(options).map(([area, values]) => {
    const before = started[area as keyof typeof started] as Readonly<Record<string, unknown>>
    const kept = Object.entries(values).map(([name, value]) => [name, AT_START.has(`${area}.${name}`) ? before[name] : value])
    return [area, Object.fromEntries(kept)]
  })
  return Object.fromEntries(areas)
}

/** The requests that one listener answers. */
class Round {
  private running = 0
  private onIdle: (() => void) | undefined

  constructor(private readonly listener: RequestListener) {}

  readonly handle: RequestListener = (request, response) => {
    this.running++
    // Emitted once; a listener that removes itself costs more.
    response.on('close', () => {
      if (--this.running === 0) this.onIdle?.()
    })
    this.listener(request, response)
  }

  /** Resolves when its requests have ended. Call it after the last one has begun. */
  idle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => (this.onIdle = resolve))
  }
}

/** The listener of a server, which can be replaced between two requests. */
class ChangingHandler {
  private round: Round
  private retired: Promise<void> = Promise.resolve()

  constructor(listener: RequestListener) {
    this.round = new Round(listener)
  }

  /** Passes a request to the listener of its start. */
  readonly handle: RequestListener = (request, response) => this.round.handle(request, response)

  /** Lets another listener answer later requests. `retire` is called when all requests of those before have ended: they may share parts. */
  change(listener: RequestListener, retire: () => Promise<void>): void {
    const idle = this.round.idle()
    this.round = new Round(listener)
    this.retired = this.retired.then(() => idle).then(retire)
  }

  /** Resolves when all listeners but the last have retired. */
  ended(): Promise<void> {
    return this.retired
  }
}
