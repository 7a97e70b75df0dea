import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeSite, json } from '../support/site.js'

// What a gateway remembers of callers must not hold their credentials: the heap of its process is written to a file and searched.

const CALLERS = 200
const START = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A gateway that writes its heap when it is told to. */
const PROGRAM = `
import { writeHeapSnapshot } from 'node:v8'
import { startGateway } from ${JSON.stringify(pathToFileURL(START).href)}
const { url } = await startGateway({
  site: { url: process.argv[1], forwardCookie: true },
  http: { port: 0 },
  cache: { staleIfError: 60 },
  protection: { maxInFlight: 8, breakerThreshold: 100 },
})
process.on('message', ({ file }) => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  writeHeapSnapshot(file)
  process.send({ written: true })
})
process.send({ url })
`

let site: FakeSite
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heap-'))
  site = await FakeSite.start((request, response) => {
    // What only editors may is refused, and so are lists by id and drafts: that is remembered for each caller.
    const refused = /context=edit|include=|status=any/.test(request.url as string)
    if (refused) json(response, { code: 'rest_forbidden_context', message: 'No.', data: { status: 403 } }, { status: 403 })
    else if (/\/\d+(\?|$)/.test(request.url as string))
      json(response, { id: Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1]), title: { rendered: 'x' } })
    else json(response, [{ id: 1, title: { rendered: 'x' } }])
  })
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true })
})

/** How often each mark stands in a file. */
async function countIn(file: string, marks: readonly string[]): Promise<Record<string, number>> {
  const counts = Object.fromEntries(marks.map((mark) => [mark, 0]))
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const text = rest + chunk
    for (const mark of marks) counts[mark] = (counts[mark] as number) + text.split(mark).length - 1
    rest = text.slice(-40)
  }
  return counts
}

it(`keeps no credentials of ${CALLERS} callers`, { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', PROGRAM, site.url], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  try {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    const ask = async (caller: number): Promise<void> => {
      const headers = {
        'content-type': 'application/json',
        // Else the parser of a connection that is kept may hold the last request.
        connection: 'close',
        'x-caller': `xyzzyPlain${caller}`,
        authorization: `Bearer xyzzyToken${caller}`,
        cookie: `wordpress_logged_in=xyzzyCookie${caller}`,
        'x-wp-nonce': `xyzzyNonce${caller}`,
      }
      const query = `query ($password: String) {
        courses(where: { id: { in: [1, 2] } }) { nodes { titleRaw } }
        course(id: 3, password: $password) { title contentRaw }
        nodes(ids: ["x"]) { id }
      }`
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables: { password: `xyzzyPassword${caller}` } }),
      })
      expect(response.status).toBe(200)
      await response.text()
    }
    for (let caller = 0; caller < CALLERS; caller += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => ask(caller + i)))
    expect(site.requests.some(({ rawHeaders }) => rawHeaders.includes('Bearer xyzzyToken0'))).toBe(true)
    const file = join(folder, 'gateway.heapsnapshot')
    child.send({ file })
    await once(child, 'message')
    expect(existsSync(file)).toBe(true)
    const counts = await countIn(file, ['xyzzyToken', 'xyzzyCookie', 'xyzzyNonce', 'xyzzyPassword'])
    console.log(`${CALLERS} callers, in the heap: ${JSON.stringify(counts)}`)
    expect(counts).toEqual({ xyzzyToken: 0, xyzzyCookie: 0, xyzzyNonce: 0, xyzzyPassword: 0 })
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})
