import { startGateway } from 'lms-graphql'

const gateway = await startGateway({
  site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' },
  http: { port: Number(process.env.PORT ?? 4000) },
})
console.log(`GraphQL at ${gateway.url}/graphql`)

process.once('SIGTERM', () => gateway.close())
