import { createGateway, readConfig, siteOf } from 'lms-graphql'

const result = readConfig(['--config', process.env.SETTINGS ?? 'lms.yaml'], {})
if (result.kind !== 'config') throw new Error(result.kind === 'complaints' ? result.complaints.join('\n') : result.kind)

const gateway = createGateway({ tuning: { site: siteOf(result.config) } })
const response = await gateway.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ priceTypes { name } }' }),
})
console.log(await response.text())
await gateway.close()
