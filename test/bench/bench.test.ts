import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { TELLS } from '../cluster/hosted.js'

const script = (name: string, ...argv: string[]) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL(name, import.meta.url)), ...argv])
const run = (...argv: string[]) => script('run.mjs', ...argv)

/** The cells of each job: its name, then figures of floor and gateway with their ratio. */
const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => /^\| Q\d/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )

describe('the benchmark', () => {
  it('gets the same data as the hand-written floor on all jobs, with the same REST calls and hardly more bytes', async () => {
    const { stdout } = await run('--quick', '--check-only')
    const rows = rowsOf(stdout)
    expect(rows.map(([job]) => job?.slice(0, 2))).toEqual(['Q1', 'Q2', 'Q3', 'Q4', 'Q5', 'Q6', 'Q7'])
    for (const [job, floorCalls, gatewayCalls, , , , byteRatio] of rows) {
      expect(gatewayCalls, job).toBe(floorCalls)
      expect(Number.parseFloat(byteRatio ?? ''), job).toBeLessThan(1.25)
    }
    // These need as many whatever the records are.
    expect([0, 1, 5, 6].map((index) => rows[index]?.[1])).toEqual(['1.0', '1.0', '101.0', '26.0'])
  })

  it('says which jobs there are when it is asked for another', async () => {
    await expect(run('--jobs', 'Q1,Q9')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('`Q9`; there are Q1, Q2') })
  })
})

describe.skipIf(!TELLS && !process.env.CI)('the figures of docs/operating.md', () => {
  it('are of tables that the script prints, with the names of their columns and rows', { timeout: 300_000 }, async () => {
    const { stdout } = await script('sizing.mjs', '--quick')
    const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
    const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    // The figures of a short run say little.
    const names = (text: string): string[] => lines(text).map((line) => line.replace(/ (?:[\d.,]+|NaN|Infinity)(?= \|)/g, ' #'))
    const printed = names(stdout)
    expect(printed.length).toBeGreaterThan(20)
    expect(names(page).filter((name) => printed.includes(name))).toEqual(printed)
  })
})
