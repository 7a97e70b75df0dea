// Asks a gateway in this process again and again, and prints the bytes that it allocates for an answer. `growth.mjs` starts it with a young
// generation so large that nothing is collected meanwhile.
import { createGateway } from '../../dist/index.js'

/** Answers that are measured. */
const ANSWERS = 9

const [upstream, body, milliseconds] = process.argv.slice(2)
const gateway = createGateway({ site: { url: upstream }, protection: { maxInFlight: 256 }, limits: { maxRows: 10_000 } })

async function ask() {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await gateway.fetch('http://gateway.test/graphql', request)
  const text = await response.text()
  if (!text.startsWith('{"data":{') || text.includes('"errors":[')) throw new Error(`the gateway answered ${text.slice(0, 200)}`)
}

async function allocated() {
  global.gc()
  const before = process.memoryUsage().heapUsed
  await ask()
  return process.memoryUsage().heapUsed - before
}

// Code that is not compiled yet allocates more.
const end = performance.now() + Number(milliseconds)
while (performance.now() < end) await ask()
const bytes = []
for (let i = 0; i < ANSWERS; i++) bytes.push(await allocated())
console.log(bytes.sort((a, b) => a - b)[ANSWERS >> 1])
await gateway.close()
