import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' } })
const server = Bun.serve({ hostname: '127.0.0.1', port: process.env.PORT ?? 4000, fetch: gateway.fetch })
console.log('GraphQL at /graphql', server.port)

process.once('SIGTERM', async () => {
  await server.stop()
  await gateway.close()
  process.exit()
})
