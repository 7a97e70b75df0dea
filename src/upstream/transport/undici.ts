import { createRequire } from 'node:module'
import type { buildConnector as BuildConnector, Dispatcher, Client as UndiciClient } from 'undici'

let loaded: typeof import('undici') | undefined

/**
 * Loads undici, for the first connection. When undici is loaded first, `fetch` of the process sends its requests through the dispatcher of
 * undici, which is not of the version that this `fetch` was made for: Node.js 20 then refuses a `content-length` that a program sets. `Response`
 * loads the dispatcher of Node.js, which undici keeps, as it does with one that the program has set.
 */
function undici(): typeof import('undici') {
  if (loaded === undefined) {
    void globalThis.Response
    // By the name of its file: Bun has a module of its own in the place of `undici`, without these classes.
    loaded = createRequire(import.meta.url)('undici/index.js') as typeof import('undici')
  }
  return loaded
}

/** A connection. Only the methods that the gateway uses. */
export interface Connection {
  dispatch(call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  close(): Promise<void>
  destroy(): Promise<void>
}

export type { Client, Dispatcher } from 'undici'

export type ConnectionSettings = UndiciClient.Options

export type Connector = BuildConnector.connector

export const buildConnector = (options: BuildConnector.BuildOptions): Connector => undici().buildConnector(options)

export const openConnection = (origin: string, settings: ConnectionSettings): UndiciClient =>
  new (undici().Client)(fixedUrl(origin), settings)

/** undici reads the origin and the protocol of its URL several times for each call. The getters of `URL` make them anew each time. */
function fixedUrl(address: string): URL {
  const url = new URL(address)
  const { origin, protocol } = url
  return Object.defineProperties(url, { origin: { value: origin }, protocol: { value: protocol } })
}
