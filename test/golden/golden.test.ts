import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const script = fileURLToPath(new URL('record.ts', import.meta.url))
const tsx = fileURLToPath(import.meta.resolve('tsx/cli'))
/** The result of the command, also when it fails. */
const run = (...argv: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [tsx, script, ...argv], { maxBuffer: 1e8 }).catch((error) => error)

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'golden-'))
  file = join(folder, 'record.jsonl.gz')
})
afterAll(() => rmSync(folder, { recursive: true }))

it('finds no difference in the same code with either executor, and a changed estimate with its operation', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await run('write', file, '--operations', '40')
  const count = Number(/^(\d+) operations written/m.exec(stdout)?.[1])
  expect(count).toBeGreaterThan(150)

  const same = await run('compare', file, '--gateway', '{"tuning": {"compile": false}}')
  expect([same.code, same.stdout]).toEqual([undefined, expect.stringMatching(new RegExp(`^${count} passed, 0 failed`, 'm'))])

  const other = await run('compare', file, '--gateway', '{"limits": {"maxCalls": 299}}')
  expect(other.code).toBe(1)
  expect(other.stdout).toContain('01-groups-and-courses.graphql (sequence 0), in front of lms, as admin\n')
  expect(other.stdout).toContain('\n  estimate.maxCalls: was 300, is 299\n')
  expect(other.stdout).toMatch(new RegExp(`^0 passed, ${count} failed`, 'm'))
})

it('shows how it is used without a command', async () => {
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('npm run golden -- compare FILE') })
})
