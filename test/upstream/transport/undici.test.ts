import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import * as undici from 'undici'
import connect from 'undici/lib/core/connect.js'
import client from 'undici/lib/dispatcher/client.js'
import { describe, expect, it } from 'vitest'

// `src/upstream/transport/undici.ts` imports two files of undici that its documentation does not name.

const SOURCE = fileURLToPath(new URL('../../../src/upstream/transport/undici.ts', import.meta.url))

describe('the files of undici', () => {
  it('have what the package exports', () => {
    expect(createRequire(import.meta.url)('undici/package.json').version).toBe('7.30.2')
    expect(client).toBe(undici.Client)
    expect(connect).toBe(undici.buildConnector)
  })

  it('leave the global dispatcher of the process alone', () => {
    const program = (name: string) => `
      await import(${JSON.stringify(name)})
      console.log(Symbol.for('undici.globalDispatcher.1') in globalThis)`
    const run = (name: string) =>
      execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program(name)], { encoding: 'utf8' }).trim()
    expect(run(SOURCE)).toBe('false')
    expect(run('undici')).toBe('true')
  })
})
