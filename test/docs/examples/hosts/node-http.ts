import { createServer } from 'node:http'
import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' } })
const server = createServer(gateway.handle)
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => console.log('GraphQL at /graphql', server.address()))

process.once('SIGTERM', async () => {
  // Answers running requests, then closes the connections to the site.
  server.close()
  server.closeIdleConnections()
  await gateway.close()
})
