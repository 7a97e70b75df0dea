import type { Server } from 'node:http'
import { isMainThread } from 'node:worker_threads'
import { createAdaptorServer } from '@hono/node-server'
import { aBoolean, aFunction, anObject, aText, type Checks, checkOptions, refuseOptions, wholeNumber } from '../checks.js'
import { listenOn } from '../listening.js'
import type { LmsCall } from './app.js'
import { control, isControlPath } from './control.js'
import { DataFileError } from './errors.js'
import { Instance, type Setup } from './instance.js'
import { type GivenSwitches, type Profile, readProfile, readSwitches } from './profile/switches.js'
import type { Connection } from './routes/answer.js'
import { openSchool } from './school.js'
import { scaleOf, seedSchool } from './seed.js'
import { Store } from './store.js'

/** Options of the embedded LMS. All have defaults. */
export interface LmsOptions {
  /** Port to listen on. 0 (the default) takes a free port. */
  readonly port?: number | undefined
  /** Address to bind. Default 127.0.0.1. */
  readonly host?: string | undefined
  /** SQLite file for the data. An empty file is filled with the sample school. Default: in memory only. */
  readonly data?: string | undefined
  /** Multiplies the sample school, from 1 to 100. Default 1. A file that has data must have been filled with the same scale. */
  readonly scale?: number | undefined
  /** Address of the site in links. Default: the address it listens on. */
  readonly site?: string | undefined
  /** The kind of site to imitate. Default `lms`: the specification. */
  readonly profile?: Profile | undefined
  /** Switches that differ from the profile. */
  readonly switches?: GivenSwitches | undefined
  /** Whether callers on this machine can read and set the switches at `/-/switches`, and reset the LMS at `/-/reset`. Default false. */
  readonly control?: boolean | undefined
  /** Called after each answered call. The URL is as sent, post passwords included. */
  readonly onCall?: ((call: LmsCall) => void) | undefined
}

/** A running LMS. */
export interface RunningLms {
  /** `http://host:port`, the root of the REST interface. */
  readonly url: string
  readonly port: number
  /** Warnings about the data file, for the operator. */
  readonly warnings: readonly string[]
  /** Sets switches while the LMS runs. Those that are not named stay as they are. Rejects with one message about all invalid ones. */
  set(switches: GivenSwitches): Promise<void>
  /** Goes back to the data and the switches of the start. The address stays the same. Rejects when the data are in a file. */
  reset(): Promise<void>
  /** Stops accepting connections, waits for running requests, then closes the remaining connections. */
  close(): Promise<void>
}

/** Milliseconds that running requests may take after `close`. */
const CLOSE_DEADLINE = 3000

/** Milliseconds. Longer than clients keep idle connections, so that they do not send on a connection that is being closed. */
const KEEP_ALIVE = 65_000

/** The profile and switches of options that were checked. */
const setupOf = ({ profile = 'lms', switches = {} }: LmsOptions): Setup => ({ profile, overrides: readSwitches(switches).value })

/** The request handler: the LMS, and with `controlled` its control route. */
function listener(instance: Instance, controlled: boolean) {
  return (request: Request, env: { readonly incoming: Connection }) =>
    controlled && isControlPath(new URL(request.url).pathname) ? control(instance, request, env.incoming) : instance.answer(request, env)
}

/** What new data are filled with: the sample school. */
const schoolOf = (scale = 1) => [(empty: Store) => seedSchool(empty, scale), scale === 1 ? openSchool : undefined] as const

/** Opens the data in memory or in a file. New data is filled with the sample school. */
function openStore(data: string | undefined, scale: number | undefined): Store {
  const store = new Store(data, ...schoolOf(scale))
  const filled = scale === undefined ? undefined : scaleOf(store)
  if (filled === scale) return store
  store.close()
  const remedy = filled === undefined ? 'omit `scale`' : `omit \`scale\`, or set it to ${filled}`
  throw new DataFileError(
    `The data file ${data} already has data, and \`scale\` ${scale} cannot change its size: ${remedy}, or name a new file.`,
  )
}

const CHECKS: Checks<LmsOptions> = {
  port: wholeNumber(0, 65_535),
  host: aText,
  data: aText,
  scale: wholeNumber(1, 100),
  site: aText,
  profile: aText,
  switches: anObject,
  control: aBoolean,
  onCall: aFunction,
}

/** Starts the LMS in this thread. Rejects when an option is wrong, and when the port or the data file cannot be used. */
export async function startLms(options: LmsOptions = {}): Promise<RunningLms> {
  checkOptions('startLms', options, CHECKS)
  const { profile = 'lms', switches = {} } = options
  refuseOptions('startLms', [...readProfile(profile).complaints, ...readSwitches(switches).complaints])
  const { port = 0, host = '127.0.0.1', data, scale, onCall } = options
  const setup = setupOf(options)
  const store = openStore(data, scale)
  try {
    let answer: ReturnType<typeof listener>
    // The adapter is fastest when it replaces the global Request and Response. Only the LMS's own thread may be changed like that.
    const server = createAdaptorServer({
      fetch: (request, env) => answer(request, env),
      overrideGlobalObjects: !isMainThread,
    }) as Server
    server.keepAliveTimeout = KEEP_ALIVE
    const address = await listenOn(server, { host, port }, 'The LMS cannot listen')
    const site = options.site?.replace(/\/+$/, '') || address.url
    const refill = data === undefined ? () => store.refill(...schoolOf(scale)) : undefined
    const instance = new Instance(store, site, setup, onCall, refill)
    answer = listener(instance, options.control === true)
    let closed: Promise<void> | undefined
    return {
      ...address,
      warnings: store.warnings,
      set: async (switches) => {
        if (closed) throw new Error('The LMS is closed.')
        instance.set(switches)
      },
      reset: async () => {
        if (closed) throw new Error('The LMS is closed.')
        instance.reset()
      },
      close: () => {
        closed ??= stop(server).finally(() => store.close())
        return closed
      },
    }
  } catch (error) {
    store.close()
    throw error
  }
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
