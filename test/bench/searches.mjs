// How fast the embedded LMS searches a large school: `node test/bench/searches.mjs [folder with another build]`.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const SCALE = 50
const WIDTH = 4
const BATCHES = 60
const LESSONS = '/lms/v2/sfwd-lessons'
const WORDS = [
  'variables',
  'equations',
  'photosynthesis',
  'introduction',
  'glossary',
  'learn',
  'key ideas',
  'practice',
  'renaissance',
  'probability',
]
const SHORT = ['of', 'qu', 'zz', 'a', 'ab']

const build = resolve(process.argv[2] ?? new URL('../..', import.meta.url).pathname, 'dist/lms.js')
const { startLmsThread, DEMO_USERS } = await import(pathToFileURL(build).href)
const [{ login, password }] = DEMO_USERS
const headers = { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` }

const begin = performance.now()
const lms = await startLmsThread({ scale: SCALE })
console.log(`start at scale ${SCALE}: ${((performance.now() - begin) / 1000).toFixed(1)} s`)

async function ask(path) {
  const since = performance.now()
  const response = await fetch(lms.url + path, { headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return performance.now() - since
}

const searchOf = (word, order = '') => `${LESSONS}?search=${encodeURIComponent(word)}${order}&_filter=id,title`

function report(name, times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1)
  console.log(`${name}: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, slowest ${at(1)} ms (${sorted.length} searches)`)
}

async function timesOf(words, rounds) {
  const times = []
  for (let round = 0; round < rounds; round++) for (const word of words) times.push(await ask(searchOf(word)))
  return times
}

/** Changes the data, so that nothing is left of earlier searches. */
const change = () =>
  fetch(`${lms.url}${LESSONS}/100001`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"menu_order":1}',
  })

await ask(`${LESSONS}?_filter=id`)
for (const [name, words] of [
  ['words', WORDS],
  ['one or two characters', SHORT],
]) {
  const first = []
  for (const word of words) {
    await change()
    const time = await ask(searchOf(word))
    first.push(time)
    console.log(`  ${word}: ${time.toFixed(1)} ms`)
  }
  report(`first search after a change, ${name}`, first)
  report(`search, ${name}`, await timesOf(words, 10))
}

/** Requests per second; every twentieth is a search by relevance, if asked for. */
async function throughput(searches) {
  const paths = Array.from({ length: 20 * BATCHES }, (_, index) =>
    searches && index % 20 === 0
      ? searchOf(WORDS[(index / 20) % WORDS.length], '&orderby=relevance')
      : `${LESSONS}?course=${10_001 + (index % 100)}&_filter=id,title`,
  )
  const since = performance.now()
  await Promise.all(
    Array.from({ length: WIDTH }, async (_, lane) => {
      for (let index = lane; index < paths.length; index += WIDTH) await ask(paths[index])
    }),
  )
  return (paths.length / (performance.now() - since)) * 1000
}

await throughput(false)
const rounds = []
for (let round = 0; round < 3; round++) {
  const [without, mixed] = [await throughput(false), await throughput(true)]
  rounds.push(mixed / without)
  console.log(`requests per second: ${without.toFixed(0)} without searches, ${mixed.toFixed(0)} with one search by relevance in 20`)
}
console.log(`kept with searches: ${(100 * rounds.toSorted((a, b) => a - b)[1]).toFixed(0)} % of the throughput`)
await lms.close()
