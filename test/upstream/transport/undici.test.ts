import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// undici sets the dispatcher of all `fetch` of the process when it is loaded, unless there is one.

const SOURCE = fileURLToPath(new URL('../../../src/upstream/transport/undici.ts', import.meta.url))

/** Runs a program with a server that answers with what it gets, and the dispatchers of `fetch`. Returns the JSON that it prints. */
function run(body: string, imports = ''): unknown {
  const program = `
    import { createServer } from 'node:http'
    ${imports}
    const dispatchers = () => [1, 2].map((version) => globalThis[Symbol.for('undici.globalDispatcher.' + version)])
    const server = createServer(async (request, response) => response.end((await request.toArray()).join('')))
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
    const url = 'http://127.0.0.1:' + server.address().port
    ${body}
    process.exit()`
  return JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { encoding: 'utf8' }))
}

/** The first connection of the gateway. */
const LOAD = `await (await import(${JSON.stringify(SOURCE)})).openConnection('http://127.0.0.1').close()`

const UNDICI = "import * as undici from 'undici'"

describe('a program around the gateway', () => {
  it('keeps the `fetch` of Node.js when it has set no dispatcher', () => {
    expect(
      run(`
        ${LOAD}
        const { createRequire } = await import('node:module')
        const { Agent } = createRequire(${JSON.stringify(SOURCE)})('undici/index.js')
        const foreign = dispatchers().filter((dispatcher) => dispatcher instanceof Agent).length
        // Node.js 20 refuses this header when its fetch has the dispatcher of undici 7.
        const response = await fetch(url, { method: 'POST', headers: { 'content-length': '3' }, body: new TextEncoder().encode('abc') })
        console.log(JSON.stringify({ foreign, text: await response.text() }))`),
    ).toEqual({ foreign: 0, text: 'abc' })
  })

  it('keeps a dispatcher that it has set before', () => {
    expect(
      run(
        `
        const own = new undici.Agent()
        undici.setGlobalDispatcher(own)
        ${LOAD}
        console.log(JSON.stringify(dispatchers().map((dispatcher) => dispatcher === own)))`,
        UNDICI,
      ),
    ).toEqual([true, true])
  })

  it('can set a dispatcher afterwards, and use undici itself', () => {
    expect(
      run(`
        ${LOAD}
        const undici = await import('undici')
        let requests = 0
        class Counting extends undici.Agent {
          dispatch(options, handler) {
            requests++
            return super.dispatch(options, handler)
          }
        }
        const before = await (await undici.request(url, { method: 'POST', body: 'a' })).body.text()
        undici.setGlobalDispatcher(new Counting())
        const after = await (await fetch(url, { method: 'POST', body: 'b' })).text()
        console.log(JSON.stringify({ before, after, requests }))`),
    ).toEqual({ before: 'a', after: 'b', requests: 1 })
  })
})
