import { describe } from 'vitest'
import { describesHost } from './checks.js'
import { onNode } from './host.js'

describe('node:http', () => describesHost({ command: onNode('docs/examples/hosts/node-http.ts'), path: '/graphql' }))

// The parser of Express has a limit of its own, which is as large as that of the gateway.
describe('Express behind `express.json()`', () =>
  describesHost({ command: onNode('docs/examples/hosts/express.ts'), path: '/api/lms' }, { tooLarge: /PayloadTooLargeError|too large/ }))

describe('Hono', () => describesHost({ command: onNode('docs/examples/hosts/hono.ts'), path: '/api/lms' }))

describe('a route handler of Next.js', () => describesHost({ command: onNode('hosts/next-server.ts'), path: '/api/lms' }))
