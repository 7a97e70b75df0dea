#!/usr/bin/env node
// What a stranger can cost a gateway, for `docs/security.md`: CPU for each request, and the memory of the process meanwhile.
//
//     node test/bench/strangers.mjs            within a minute
//     node test/bench/strangers.mjs --quick    the same with few requests, whose figures say little
//
// It needs `dist`, and Linux, whose /proc tells memory and CPU of processes. Each row has a gateway (`dist/cli.js`) of its own with its default
// limits, but for those per minute, in front of a site that answers at once, in this process. One client sends as fast as it is answered.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { start, stopServers } from './servers.mjs'

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values

/** The settings of the gateway: secrets are in files. */
const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-strangers-'))
writeFileSync(join(folder, 'secret'), 'a-secret-of-32-characters-at-least')
writeFileSync(join(folder, 'lms.yaml'), 'hooks:\n  secretFile: secret\n')

/** Megabytes of a process, now or at most. */
const memory = (pid, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

const content = { rendered: 'x'.repeat(1_000), protected: false }
const COURSES = JSON.stringify(Array.from({ length: 100 }, (_, at) => ({ id: at + 1, title: { rendered: 'Some' }, content })))
const site = createServer(({ url }, response) => {
  const id = /\/(\d+)(?:\?|$)/.exec(url)?.[1]
  const headers = { 'content-type': 'application/json', 'x-wp-total': '100', 'x-wp-totalpages': '1' }
  response.writeHead(200, headers).end(id === undefined ? COURSES : JSON.stringify({ id: Number(id), title: { rendered: 'Some' } }))
})
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve))

const post = (body, path = '/graphql', more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: gateway.test\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
const operation = (query) => post(JSON.stringify({ query }))
const aliases = (count, field) => Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ')

/** Rows: what is sent, how often, on how many connections, and requests of a connection that are sent without waiting. */
const ROWS = [
  { name: 'a known query of one record', count: 20_000, connections: 8, ahead: 1, send: () => operation('{ course(id: 1) { title } }') },
  { name: 'the same, pipelined', count: 20_000, connections: 8, ahead: 1_000, send: () => operation('{ course(id: 1) { title } }') },
  {
    name: 'a new document of 25 KB',
    count: 200,
    connections: 8,
    ahead: 1,
    send: (number) => operation(`{ course(id: 1) { ${aliases(1_900, 'title')} } } # ${number}`),
  },
  {
    name: 'a response of 5.9 MB',
    count: 100,
    connections: 40,
    ahead: 1,
    send: () => operation(`{ courses(first: 100) { nodes { ${aliases(59, 'content')} } } }`),
  },
  { name: 'a document that is refused', count: 5_000, connections: 8, ahead: 1, send: (number) => operation(`{ wrong${number} }`) },
  {
    name: 'an unsigned webhook of 99 KB',
    count: 5_000,
    connections: 8,
    ahead: 1,
    send: () =>
      post(
        'x'.repeat(99_000),
        '/hooks/site',
        `x-lms-timestamp: ${Math.floor(Date.now() / 1000)}\r\nx-lms-signature: sha256=${'0'.repeat(64)}\r\n`,
      ),
  },
  {
    name: 'a body of 99 KB that does not arrive',
    count: 1_000,
    connections: 1_000,
    ahead: 1,
    send: () => post('x'.repeat(99_000)).slice(0, -1),
    isOpen: true,
  },
  { name: 'a connection without a request', count: 1_000, connections: 1_000, ahead: 1, send: () => '', isOpen: true },
]

/** Sends the requests of one connection, and counts its responses by their first lines. */
async function attack(port, { send, ahead, isOpen }, first, count) {
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  let [sent, answered, rest] = [0, 0, '']
  const more = () => {
    while (sent < count && sent - answered < ahead) socket.write(send(first + sent++))
  }
  more()
  if (isOpen) return socket
  await new Promise((resolve) => {
    socket.on('close', resolve)
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1')
      answered += text.split('HTTP/1.1 ').length - 1
      rest = text.slice(-8).replace(/HTTP\/1\.1 $/, '')
      if (answered >= count) resolve()
      else more()
    })
  })
  socket.destroy()
}

async function measured(row) {
  const count = Math.max(row.isOpen ? 10 : row.connections, quick ? Math.ceil(row.count / 100) : row.count)
  const connections = row.isOpen ? count : Math.min(row.connections, count)
  const upstream = `http://127.0.0.1:${site.address().port}`
  const gateway = await start(
    '../../dist/cli.js',
    '--upstream',
    upstream,
    '--port',
    '0',
    '--log-level',
    'error',
    '--config',
    join(folder, 'lms.yaml'),
    ...['operations', 'calls', 'document-cost'].flatMap((each) => [`--${each}-per-minute`, '0']),
  )
  const port = Number(new URL(gateway.origin).port)
  // The first request loads what the others use.
  await attack(port, ROWS[0], 0, 200)
  const [cpuBefore, memoryBefore, since] = [gateway.cpu(), memory(gateway.pid, 'VmRSS'), performance.now()]
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, at) => attack(port, row, at * Math.ceil(count / connections), Math.ceil(count / connections))),
  )
  if (row.isOpen) await sleep(quick ? 100 : 1_500)
  const [cpuAfter, memoryAfter, took] = [gateway.cpu(), memory(gateway.pid, 'VmHWM'), performance.now() - since]
  for (const socket of sockets) socket?.destroy()
  await stopServers()
  const total = Math.ceil(count / connections) * connections
  const cpu = (cpuAfter - cpuBefore) / total
  return `| ${row.name} | ${cpu < 1 ? cpu.toFixed(2) : cpu.toFixed(0)} | ${row.isOpen ? 'open' : Math.round((1_000 * total) / took)} | ${(memoryAfter - memoryBefore).toFixed(0)} |`
}

console.log('| request | CPU ms each | requests/s | memory MB more at most |\n| --- | ---: | ---: | ---: |')
for (const row of ROWS) console.log(await measured(row))
site.close()
rmSync(folder, { recursive: true })
