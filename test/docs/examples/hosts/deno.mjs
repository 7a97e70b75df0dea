import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: Deno.env.get('LMS_URL') ?? 'https://example.org/wp-json' } })
const server = Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT') ?? 4000) }, gateway.fetch)

Deno.addSignalListener('SIGTERM', async () => {
  await server.shutdown()
  await gateway.close()
  Deno.exit()
})
