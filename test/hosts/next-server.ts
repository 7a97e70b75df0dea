import { serve } from '@hono/node-server'
import * as route from '../docs/examples/hosts/next-route.js'

// The contract of Next.js for a route handler: an exported function for each method receives a `Request` of the fetch API and the parameters of
// the path, and returns a `Response`. Next.js itself is not a dependency of the tests.
const handlers: Readonly<Record<string, unknown>> = { ...route }

const server = serve(
  {
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    fetch: (request: Request) => {
      const handle = handlers[request.method] as ((request: Request, context: object) => Promise<Response>) | undefined
      const { pathname } = new URL(request.url)
      if (pathname !== '/api/lms' && !pathname.startsWith('/api/lms/')) return new Response('The app.', { status: 404 })
      const path = pathname.split('/').slice(3)
      return handle ? handle(request, { params: Promise.resolve({ path }) }) : new Response(null, { status: 405 })
    },
  },
  (address) => console.log('GraphQL at /api/lms', address),
)

process.once('SIGTERM', () => server.close())
