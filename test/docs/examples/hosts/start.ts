import { startGateway } from 'lms-graphql'

const gateway = await startGateway({
  upstream: process.env.LMS_URL ?? 'https://example.org/wp-json',
  port: Number(process.env.PORT ?? 4000),
})
console.log(`GraphQL at ${gateway.url}/graphql`)

process.once('SIGTERM', () => gateway.close())
