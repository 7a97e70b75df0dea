// Starts a gateway in place of the one before for each line of its input: `node fresh-gateways.mjs OPTIONS`. Prints the address of each.
import { createInterface } from 'node:readline'
import { createOutput } from '../../dist/server/log/output.js'
import { startTuned } from '../../dist/start.js'

const options = JSON.parse(process.argv[2])
const log = await createOutput({ level: 'warn', format: 'json', colors: false })
async function renewed(before) {
  await before?.close()
  const gateway = await startTuned({ ...options, production: true, log }, {})
  process.stdout.write(`${gateway.url}\n`)
  return gateway
}

let gateway = await renewed()
for await (const _ of createInterface(process.stdin)) gateway = await renewed(gateway)
