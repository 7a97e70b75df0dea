import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' }, http: { path: '/api/lms' } })
const app = new Hono()
app.get('/', (context) => context.text('The app.'))
// `all`, not `mount`: the gateway compares the whole path with its option `http.path`.
app.all('/api/lms', (context) => gateway.fetch(context.req.raw))
app.all('/api/lms/*', (context) => gateway.fetch(context.req.raw))

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 4000) }, (address) =>
  console.log('GraphQL at /api/lms', address),
)

process.once('SIGTERM', async () => {
  server.close()
  await gateway.close()
})
