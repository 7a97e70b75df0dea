import { createServer } from 'node:http'
import { lexicographicSortSchema, printSchema } from 'graphql'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  graphSchema,
  type Log,
  type OperationEvent,
  type SiteOptions,
  type StartedGateway,
  startGateway,
  subgraphOf,
} from 'lms-graphql'

// A program with the gateway: the options it takes, and what it gives back.

export const site: SiteOptions = { url: 'https://example.org/wp-json', preset: 'learndash', segments: { 'sfwd-courses': 'courses' } }

export const options = (log: Log): GatewayOptions => ({
  site,
  protection: { maxInFlight: 4 },
  log,
  on: {
    operation: ({ outcome, calls }: OperationEvent) => log.info({ outcome, calls }, 'operation'),
  },
})

export function serve(gateway: Gateway): ReturnType<typeof createServer> {
  return createServer(gateway.handle)
}

export const start = (log: Log): Promise<StartedGateway> => startGateway({ ...options(log), http: { port: 0 } })

export const create = (log: Log): Gateway => createGateway(options(log))

export const sdl: string = printSchema(lexicographicSortSchema(graphSchema()))

export const subgraph: string = subgraphOf(graphSchema()).sdl
