import type { buildConnector as BuildConnector, Client as UndiciClient } from 'undici'
import connect from 'undici/lib/core/connect.js'
import client from 'undici/lib/dispatcher/client.js'

// The two parts of undici 7.30.2 that the gateway uses, from the files that declare them. `import 'undici'` loads five times as many files,
// and sets the global dispatcher of the process: `fetch` of the program around the gateway would then use this undici.
// `test/upstream/transport/undici.test.ts` fails when these files change.

/** A connection. Only the methods that this file loads. */
export type Connection = Pick<UndiciClient, 'dispatch' | 'close' | 'destroy'>

export type ConnectionSettings = UndiciClient.Options

export type Connector = BuildConnector.connector

export const openConnection = (origin: string, settings: ConnectionSettings): Connection => new client(fixedUrl(origin), settings)

/** undici reads the origin and the protocol of its URL several times for each call. The getters of `URL` make them anew each time. */
function fixedUrl(address: string): URL {
  const url = new URL(address)
  const { origin, protocol } = url
  return Object.defineProperties(url, { origin: { value: origin }, protocol: { value: protocol } })
}

export const buildConnector: typeof BuildConnector = connect
