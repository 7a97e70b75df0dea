import express from 'express'
import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' } })
const app = express()

// Parsers of the app may run first: the gateway takes `request.body` then.
app.use(express.json())
// Without the option `http.path`, the endpoint is where the gateway is mounted.
app.use('/api/lms', gateway.handle)

const server = app.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => console.log('GraphQL at /api/lms', server.address()))

process.once('SIGTERM', async () => {
  server.close()
  server.closeIdleConnections()
  await gateway.close()
})
