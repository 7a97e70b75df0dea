import { readFileSync } from 'node:fs'
import { createGateway } from 'lms-graphql'
import { parse } from 'yaml'

const gateway = createGateway(parse(readFileSync(process.env.SETTINGS ?? 'lms.yaml', 'utf8')))
const response = await gateway.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ priceTypes { name } }' }),
})
console.log(await response.text())
await gateway.close()
