// A gateway to be attacked, in a process of its own: NODE_ENV is the environment's, everything else comes as JSON. Asked by a message, it
// tells how much memory is in use after a collection, and which faults there were.
import { startTuned } from '../../../dist/start.js'

const faults = []
const { tuning, http, ...options } = JSON.parse(process.argv[2])
const given = {
  ...options,
  http: { ...http, port: 0 },
  production: process.env.NODE_ENV === 'production',
  on: {
    fault: (fault) => faults.push(String(fault?.stack ?? fault)),
  },
}
const gateway = await startTuned(given, tuning)
process.on('message', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send({ memory: heapUsed + external, faults })
})
process.send({ port: gateway.port })
