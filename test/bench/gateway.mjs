// The gateway as the command starts it in production, with what only tests and benchmarks set: `node gateway.mjs ADDRESS-OF-SITE TUNING`.
import { createOutput } from '../../dist/server/log/output.js'
import { startTuned } from '../../dist/start.js'

const [site, tuning] = process.argv.slice(2)
const log = await createOutput({ level: 'info', format: 'json', colors: false })
const options = { site: { url: site }, protection: { maxInFlight: 256 }, http: { port: 0 }, production: true, log }
const { url } = await startTuned(options, JSON.parse(tuning))
log.announce(url)
