import { createGateway } from 'lms-graphql'

const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' } })
const response = await gateway.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ courses { totalCount } }' }),
})
console.log(await response.json())
await gateway.close()
