import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { v8FlagsFor } from '../../src/server/cluster/v8-flags.js'

describe('flags of V8', () => {
  it('are known to this version of Node.js', () => {
    const flags = v8FlagsFor(process.versions, [])
    const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', ''], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    console.log(`${flags.length} flags for V8 ${process.versions.v8}`)
  })

  it('are none for Node.js 20, which does not know them, and for other runtimes', () => {
    expect(v8FlagsFor({ v8: '11.3.244.8-node.38' }, [])).toEqual([])
    expect(v8FlagsFor({ v8: '13.6.233.17-node.53' }, []).length).toBe(2)
    expect(v8FlagsFor({ v8: '14.6.202.34-node.34' }, []).length).toBe(2)
    expect(v8FlagsFor({ v8: '13.0.245.12-rusty', deno: '2.0.0' }, [])).toEqual([])
    expect(v8FlagsFor({ bun: '1.2.0' }, [])).toEqual([])
  })

  it('give way to those that the process was started with', () => {
    const given = ['--max-semi-space-size=32', '--invocation_count_for_turbofan=3000']
    expect(v8FlagsFor({ v8: '14.6.202.34-node.34' }, given)).toEqual(['--minimum-invocations-after-ic-update=200'])
  })
})
