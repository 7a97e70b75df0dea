import { z } from 'zod'
import { HOST_NAME, isAddressRange, isOrigin, isPath } from './addresses.js'
import { fileName, listOf, milliseconds, offByDefault, type Section, secondsByType, text, trueOrFalse, wholeNumberOr } from './option.js'

const unlessProduction = { ...trueOrFalse, otherwise: 'true; false when `NODE_ENV` is production' } as const

/** The socket, and what clients may read and run. */
export const HTTP = {
  port: {
    ...wholeNumberOr(4000, 0, 65_535),
    commands: ['serve', 'lms'],
    only: 'server',
    needsRestart: true,
    otherwise: '4000; lms: 4001',
    description: 'Port to listen on; 0 takes a free port.',
  },
  host: {
    ...text(HOST_NAME, 'a host name or address'),
    default: '127.0.0.1',
    value: 'NAME',
    commands: ['serve', 'lms'],
    only: 'server',
    needsRestart: true,
    description: 'Host name or address to listen on.',
  },
  path: {
    kind: 'text',
    schema: z.string().refine(isPath),
    allowed: 'a path that begins with `/` and does not end with it, such as `/graphql`',
    type: 'string',
    only: 'program',
    commands: [],
    otherwise: 'the path at which Express has mounted the gateway, else `/graphql`',
    description:
      'Path of the GraphQL endpoint, such as `/api/lms`. Pages, health and metrics are below it: `/api/lms/health/live`. The default has health and metrics beside it: `/health/live`.',
  },
  corsOrigins: {
    ...listOf('origins such as https://app.example.org, or `*` for all of them', (each) => each === '*' || isOrigin(each)),
    default: [] as readonly string[],
    description: 'Origins whose pages may call the gateway from browsers.',
  },
  trustedProxies: {
    ...listOf('addresses and networks such as 10.0.0.0/8', isAddressRange),
    needsRestart: true,
    default: [] as readonly string[],
    description:
      'Proxies in front of the gateway: their `X-Forwarded-For` has the address of the client, and their `X-Request-ID`, `traceparent` and `tracestate` are taken. Those of others are replaced.',
  },
  graphiql: { ...unlessProduction, description: 'Whether browsers that open `/graphql` get GraphiQL.' },
  introspection: {
    ...unlessProduction,
    description: 'Whether clients may read the schema: by introspection, and by suggestions in errors about unknown names.',
  },
  operations: {
    ...fileName,
    value: 'PATH',
    schema: z.union([z.string().min(1), z.custom<ReadonlyMap<string, string>>((given) => given instanceof Map && given.size > 0)]),
    allowed: 'the name of a folder or file; in programs also a Map with one document or more',
    type: 'string | ReadonlyMap<string, string>',
    description:
      'Folder with the operations of front ends: they are trusted, prepared at the start, and shown in GraphiQL. Or a JSON file with trusted documents by their hashes; in programs also a Map of them.',
  },
  onlyTrusted: { ...offByDefault, description: 'Refuses documents that are not trusted.' },
  maxAge: {
    ...secondsByType,
    flag: 'http-max-age',
    commands: ['serve', 'schema', 'supergraph'],
    otherwise: 'none',
    description:
      'Seconds for which CDNs and browsers may keep answers to GET with trusted documents, and for a subgraph those for which routers and their caches may keep results. Answers with other types are not kept.',
  },
  requestTimeout: {
    ...milliseconds(20_000, 100, 3_600_000),
    only: 'server',
    needsRestart: true,
    description: 'Milliseconds a client may take for a whole request; half of it for its headers.',
  },
  drainTimeout: {
    ...milliseconds(10_000, 0, 3_600_000),
    only: 'server',
    needsRestart: true,
    description: 'Milliseconds that running requests have when the gateway ends.',
  },
  maxConnections: {
    ...wholeNumberOr(10_000, 1, 1_000_000),
    only: 'server',
    needsRestart: true,
    description:
      'Connections of clients to this process at a time. The one that has been idle longest is closed for a new one. One address, or one /64 network of IPv6, may have a tenth; more are closed immediately. Trusted proxies have no such limit, nor have private addresses that send `X-Forwarded-For`.',
  },
} as const satisfies Section
