// Asks a gateway in this process for one list, again and again, and prints as JSON what 1,000 of its records cost: milliseconds of CPU and
// megabytes of memory that were used on the way.
import { createGateway } from '../../dist/index.js'

const [upstream, length] = [process.argv[2], Number(process.argv[3])]
const gateway = createGateway({ upstream, maxInFlight: 4, maxRows: 10_000 })
const body = JSON.stringify({ query: `{ courses(first: ${length}) { nodes { databaseId titleHtml price prerequisiteIds } } }` })

async function ask() {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await gateway.fetch('http://gateway.test/graphql', request)
  const text = await response.text()
  const { data } = JSON.parse(text)
  if (data?.courses.nodes.length !== length) throw new Error(`the answer is not ${length} records: ${text.slice(0, 200)}`)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Milliseconds of CPU for each answer, of many one after another. */
async function cpuOf(answers) {
  const before = process.cpuUsage()
  for (let i = 0; i < answers; i++) await ask()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / answers
}

/** Bytes one answer uses on its way. */
async function memory() {
  global.gc()
  const before = process.memoryUsage().heapUsed
  await ask()
  return process.memoryUsage().heapUsed - before
}

const thousands = length / 1_000
const answers = Math.ceil(40 / thousands)
await cpuOf(answers)
const cpu = []
for (let round = 0; round < 5; round++) cpu.push(await cpuOf(answers / 2))
const bytes = []
for (let round = 0; round < 9; round++) bytes.push(await memory())
console.log(JSON.stringify({ cpu: median(cpu) / thousands, megabytes: median(bytes) / 1_048_576 / thousands }))
await gateway.close()
