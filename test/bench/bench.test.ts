import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TELLS } from '../support/hosted.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'
import { exponentOf, verdictOf } from './exponent.mjs'
import { FAST_PATHS } from './fast-paths.mjs'
import { lastFigures, writeFigures } from './figures.mjs'
import { table } from './table.mjs'

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

/** The result of the script, also when it measures growth that is worse than linear. */
const finished = (...argv: string[]): Promise<{ stdout: string; stderr: string; code?: number }> => run(...argv).catch((error) => error)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

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

describe('the committed figures', () => {
  const major = process.versions.node.split('.')[0] as string
  const results = [{ job: { name: 'Q1', what: 'a job' }, floor: { cpu: 2, latency: 1 }, gateway: { cpu: 3, latency: 1 }, yoga: { cpu: 5 } }]

  it('are ratios for one major version of Node.js, and leave those of others as they are', () => {
    const file = join(folder, 'figures.json')
    const others = { 18: { node: 'v18.0.0', cpu: { Q1: { gateway: 9, yoga: 9 } } } }
    writeFileSync(file, JSON.stringify({ ...others, [major]: { node: 'v0.0.0', cpu: {} } }))
    writeFigures(results, file)
    const own = { node: process.version, cpu: { Q1: { gateway: 1.5, yoga: 2.5 } } }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...others, [major]: own })
    expect(lastFigures(file)).toEqual(own)
  })

  it('are shown beside those of a run, which says of which version they are, or that there are none', () => {
    const [, row] = table(results, { node: 'v98.7.6', cpu: { Q1: { gateway: 1.25, yoga: 2 } } })
      .split('\n')
      .filter((line: string) => line.startsWith('| Q1') || line.startsWith('| job'))
    expect(row).toContain('| 2.00 | 3.00 | 1.50× | 1.25× | 2.50× | 2.00× |')
    expect(table(results, { node: 'v98.7.6', cpu: {} })).toContain('"last" is of Node v98.7.6.')
    writeFileSync(join(folder, 'without.json'), '{"18": {"node": "v18.0.0", "cpu": {}}}')
    expect(lastFigures(join(folder, 'without.json'))).toBeUndefined()
    expect(table(results, undefined)).toContain(`no figures of Node ${major} are committed`)
  })

  it('are those of every job', () => {
    const committed = JSON.parse(readFileSync(new URL('figures.json', import.meta.url), 'utf8'))
    for (const [major, { node, cpu }] of Object.entries<{ node: string; cpu: object }>(committed)) {
      expect(node).toMatch(new RegExp(`^v${major}\\.`))
      expect(Object.keys(cpu)).toEqual(['Q1', 'Q2', 'Q3', 'Q4', 'Q5', 'Q6', 'Q7'])
    }
  })
})

describe('the first requests of saved operations', () => {
  it.skipIf(!TELLS && !process.env.CI)('cost at most twice as much as later ones', { timeout: 300_000 }, async () => {
    const { stdout } = await script('first-requests.mjs', '--gateways', '3')
    const rows = stdout.split('\n').filter((line) => /^\| [A-Z*]/.test(line))
    expect(rows.map((row) => row.split(' ')[1])).toEqual([...SAVED_OPERATIONS.map(({ name }) => name).sort(), '**median**'])
  })
})

describe('the prices', () => {
  it.skipIf(!TELLS && !process.env.CI)('are those of each fast path, for the same data and REST calls', async () => {
    const { stdout } = await run('--prices', '--quick', '--jobs', 'Q1')
    const rows = stdout.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    const [head, ...prices] = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    expect(head).toEqual(['', 'without', 'Q1', 'mean', ''])
    expect(prices.map(([, name]) => name)).toEqual(FAST_PATHS.map(({ name }) => name))
    for (const [, name, price] of prices) expect(price, name).toMatch(/^\d+\.\d\d×$/)
  })

  it('are not measured together with growth', async () => {
    const refused = { code: 2, stderr: expect.stringContaining('leave out `--growth`, `--check-only` and `--write`') }
    await expect(run('--prices', '--growth')).rejects.toMatchObject(refused)
    await expect(run('--prices', '--write')).rejects.toMatchObject(refused)
  })
})

describe('the growth', () => {
  /** Points whose whole cost is that of `of`. */
  const points = (of: (size: number) => number) => [10, 100, 1_000, 10_000].map((size) => ({ size, cost: of(size) / size }))

  it('is an exponent of the whole cost, which a fixed cost does not hide', () => {
    expect(exponentOf(points((size) => 7 * size))).toBeCloseTo(1)
    expect(exponentOf(points((size) => 7 * size ** 1.5))).toBeCloseTo(1.5)
    expect(exponentOf(points((size) => 300 + 7 * size))).toBeLessThan(1)
    // As much for the square as for the rows, at 10,000 rows.
    expect(exponentOf(points((size) => 300 + 7 * size + 0.0007 * size ** 2))).toBeGreaterThan(1.1)
  })

  it('may exceed linear growth only by noise, or where the floor does', () => {
    expect(verdictOf({ gateway: 1.09 })).toBe('linear or better')
    expect(verdictOf({ gateway: 1.11 })).toBe('worse than linear')
    expect(verdictOf({ floor: 0.8, gateway: 1.09 })).toBe('linear or better')
    expect(verdictOf({ floor: 0.8, gateway: 1.11 })).toBe('worse than linear')
    expect(verdictOf({ floor: 1.1, gateway: 1.19 })).toBe('no faster than the floor')
    expect(verdictOf({ floor: 1.1, gateway: 1.21 })).toBe('worse than linear')
  })

  it('is not measured together with the jobs', async () => {
    const refused = { code: 2, stderr: expect.stringContaining('leave out `--jobs`, `--write`') }
    await expect(run('--growth', '--write', '--jobs', 'Q1')).rejects.toMatchObject(refused)
    await expect(run('--plot', 'file.svg')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('`--plot` needs `--growth`') })
  })

  it.skipIf(!TELLS && !process.env.CI)('is printed and plotted for lists, nesting, callers and memory', async () => {
    const file = join(folder, 'growth.svg')
    const { stdout, code } = await finished('--growth', '--quick', '--plot', file)
    expect(code ?? 0, 'the exit code').toBe(stdout.includes(': worse than linear (') ? 1 : 0)
    const rows = stdout.split('\n').filter((line) => /^\| [\d,]+ /.test(line))
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    // What they are and their REST calls do not depend on the machine.
    expect(cells.map(([, size, calls]) => [size, calls]).slice(0, 14)).toEqual([
      ['10', '1'],
      ['100', '1'],
      ['1,000', '10'],
      ['10,000', '100'],
      ['40 (depth 2)', '11'],
      ['120 (depth 3)', '32'],
      ['280 (depth 4)', '73'],
      ['600 (depth 5)', '154'],
      ...['1', '10', '50', '100', '250', '500'].map((callers) => [callers, '1']),
    ])
    expect(cells.slice(14).map(([, size]) => size)).toEqual(['10', '100', '1,000', '10,000'])
    for (const row of cells) for (const cell of row.slice(2, -1)) expect(Number.parseFloat(cell), row.join()).toBeGreaterThan(0)
    const verdicts = /^[A-Z][a-z ]+: (?:linear or better|no faster than the floor|worse than linear) \(.*gateway [a-z]+\^\d\.\d\d\)$/gm
    expect(stdout.match(verdicts)).toHaveLength(4)
    const plot = readFileSync(file, 'utf8')
    // The lines of the legend, and of both servers for all but memory.
    expect(plot.match(/<g class="gateway">/g)).toHaveLength(1 + 4)
    expect(plot.match(/<g class="floor">/g)).toHaveLength(1 + 3)
    expect(plot).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe.skipIf(!TELLS && !process.env.CI).each([
  ['docs/operating.md', 'sizing.mjs', 19],
  ['docs/security.md', 'strangers.mjs', 8],
])('the figures of %s', (file, name, least) => {
  it('are of tables that the script prints, with the names of their columns and rows', { timeout: 300_000 }, async () => {
    const { stdout } = await script(name, '--quick')
    const page = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    // The figures of a short run say little.
    const names = (text: string): string[] => lines(text).map((line) => line.replace(/ (?:-?[\d.,]+|NaN|Infinity)(?= \|)/g, ' #'))
    const printed = names(stdout)
    expect(printed.length).toBeGreaterThan(least)
    expect(names(page).filter((name) => printed.includes(name))).toEqual(printed)
  })
})
