// A crawler: sends new documents of 25 KB, eight at a time, and sends on whatever it is answered. Prints the number of answers by status at its end.
import { Pool } from 'undici'

const [url, ahead = '8'] = process.argv.slice(2)
const aliases = Array.from({ length: 1_900 }, (_, at) => `a${at}: title`).join(' ')
const pool = new Pool(url, { localAddress: '127.0.0.3', connections: Number(ahead) })
const statuses = {}
let number = 0
let isOver = false
process.on('SIGTERM', () => {
  isOver = true
})

async function crawl() {
  while (!isOver) {
    const { statusCode, body } = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":"{ course(id: 1) { ${aliases} } } # ${++number}"}`,
    })
    await body.dump()
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
  }
}

console.log(`crawls at ${url}`)
await Promise.all(Array.from({ length: Number(ahead) }, crawl))
console.log(JSON.stringify(statuses))
await pool.close()
