// The gateway as the command starts it in production, with what only tests and benchmarks set: `node gateway.mjs ADDRESS-OF-SITE TUNING`.
import { createOutput } from '../../dist/server/log/output.js'
import { startTuned } from '../../dist/start.js'

const [site, tuning] = process.argv.slice(2)
const log = await createOutput({ level: 'info', format: 'json', colors: false })
// Limits that are checked, but not reached.
const limits = { operationsPerMinute: 1e9, callsPerMinute: 1e9, documentCostPerMinute: 1e9 }
const options = { site: { url: site }, protection: { maxInFlight: 256 }, limits, http: { port: 0 }, production: true, log }
const { url } = await startTuned(options, JSON.parse(tuning))
log.announce(url)
