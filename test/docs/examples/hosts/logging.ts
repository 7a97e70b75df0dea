import { createGateway } from 'lms-graphql'

const gateway = createGateway({
  site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' },
  on: {
    operation: ({ operation, outcome, duration, calls }) =>
      console.log(`${operation ?? 'an operation'}: ${outcome}, ${calls} REST calls, ${Math.round(duration)} ms`),
    call: ({ path, status }) => console.log(`${status} ${path}`),
  },
})
const response = await gateway.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: 'query Prices { priceTypes { slug } }' }),
})
console.log(await response.text())
await gateway.close()
