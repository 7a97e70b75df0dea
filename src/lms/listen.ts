import { existsSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { createAdaptorServer } from '@hono/node-server'
import type { LmsCall } from './app.js'
import { CONTROL_PATH, control } from './control.js'
import { DataFileError } from './errors.js'
import { Instance, type Setup } from './instance.js'
import { readProfile, readSwitches } from './profile/read.js'
import type { GivenSwitches, Profile } from './profile/switches.js'
import { SCHOOL } from './school.js'
import { scaleOf, seedSchool } from './seed.js'
import { Store } from './store.js'

/** Settings of the embedded LMS; all have defaults. */
export interface LmsOptions {
  /** Port to listen on; 0 takes a free one. Default 0. */
  readonly port?: number | undefined
  /** Address to bind. Default 127.0.0.1. */
  readonly host?: string | undefined
  /** SQLite file that keeps the data; filled with the sample school when it is empty. Default: in memory only. */
  readonly data?: string | undefined
  /** How many times the sample school is as large, from 1 to 100. Default 1; a file that is filled already must have this scale. */
  readonly scale?: number | undefined
  /** Address of the site in links of records. Default: the address it listens on. */
  readonly site?: string | undefined
  /** The kind of site it is like. Default `lms`: the specification. */
  readonly profile?: Profile | undefined
  /** In what it differs from its profile. */
  readonly switches?: GivenSwitches | undefined
  /** Whether `/-/switches` tells and sets the switches while it runs, for callers on this machine. Default false. */
  readonly control?: boolean | undefined
  /** Told of each answered call; the URL is as sent, post passwords included. */
  readonly onCall?: ((call: LmsCall) => void) | undefined
}

/** A running LMS. */
export interface RunningLms {
  /** `http://host:port`, the root of the REST interface. */
  readonly url: string
  readonly port: number
  /** What the operator should know about the data file, in sentences. */
  readonly warnings: readonly string[]
  /** Stops accepting, lets running requests end, then forces the rest. */
  close(): Promise<void>
}

/** How long running requests may take after `close`, in milliseconds. */
const CLOSE_DEADLINE = 3000

/** Longer than clients keep idle connections, so that they never send on one that is being closed. */
const KEEP_ALIVE = 65_000

/** The profile and switches of options; throws what is wrong with them. */
function setupOf({ profile: name = 'lms', switches = {} }: LmsOptions): Setup {
  const profile = readProfile(name)
  const others = readSwitches(switches)
  const complaints = [...profile.complaints, ...others.complaints]
  if (complaints.length) throw new RangeError(complaints.join(' '))
  return { profile: profile.value, others: others.value }
}

/** What answers requests: the LMS, and its control route where that is asked for. */
function listener(instance: Instance, controlled: boolean) {
  if (!controlled) return (request: Request, env: object) => instance.answer(request, env)
  return (request: Request, env: { readonly incoming: IncomingMessage }) =>
    new URL(request.url).pathname === CONTROL_PATH ? control(instance, request, env.incoming) : instance.answer(request, env)
}

/** The data in memory or in a file, filled with the sample school where they are new. */
function openStore(data: string | undefined, scale: number | undefined): Store {
  const store = new Store(data, (scale ?? 1) === 1 && existsSync(SCHOOL) ? SCHOOL : (empty) => seedSchool(empty, scale ?? 1))
  const filled = scale === undefined ? undefined : scaleOf(store)
  if (filled === scale) return store
  store.close()
  const remedy = filled === undefined ? 'leave `scale` out' : `leave \`scale\` out, or say ${filled}`
  throw new DataFileError(
    `The data file ${data} is filled already, and \`scale\` ${scale} cannot change how large it is: ${remedy}, or name a new file.`,
  )
}

/** Starts the LMS in this thread. Rejects with a clear message when the port or the data file cannot be used. */
export async function startLms(options: LmsOptions = {}): Promise<RunningLms> {
  const { port = 0, host = '127.0.0.1', data, scale, onCall } = options
  if (scale !== undefined && (!Number.isInteger(scale) || scale < 1 || scale > 100))
    throw new RangeError(`The scale of the LMS must be a whole number from 1 to 100, not ${scale}.`)
  const setup = setupOf(options)
  const store = openStore(data, scale)
  try {
    let answer: ReturnType<typeof listener>
    // The adapter is fastest with its own Request and Response as globals; only a thread of our own may be changed like that.
    const server = createAdaptorServer({
      fetch: (request, env) => answer(request, env as never),
      overrideGlobalObjects: !isMainThread,
    }) as Server
    server.keepAliveTimeout = KEEP_ALIVE
    await listen(server, port, host)
    const bound = (server.address() as AddressInfo).port
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
    const site = options.site?.replace(/\/+$/, '') || url
    answer = listener(new Instance(store, site, setup, onCall), options.control === true)
    let closed: Promise<void> | undefined
    return {
      url,
      port: bound,
      warnings: store.warnings,
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

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is already in use' : error.message
      reject(new Error(`The LMS cannot listen on ${host}:${port}: ${why}.`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
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
