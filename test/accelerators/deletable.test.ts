import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copySources, linkPackages } from '../support/checkout.js'

// The folder of the accelerators can be deleted with the change of one line, which its first line names.

/** Suites to run in the copy: all of the quick tier, or those that `SUITES` names. */
const SUITES = process.env.SUITES?.split(' ') ?? []

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'without-accelerators-'))
  copySources(copy)
  linkPackages(copy)
  for (const folder of ['src/accelerators', 'test/accelerators']) rmSync(join(copy, folder), { recursive: true })
})
afterAll(() => rmSync(copy, { recursive: true }))

/** Runs a program of the packages in the copy. Its last lines are shown when it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  // Variables of vitest are those of this run.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|SYSTEM$|SOAK$|CI$|NODE_ENV$|TEST$)/.test(name))
  const child = spawn(program, args, { cwd: copy, env: Object.fromEntries(own), stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const [code] = await once(child, 'close')
  expect(code, printed.slice(-20_000)).toBe(0)
  return stripVTControlCharacters(printed)
}

const bin = (name: string): string => join(copy, 'node_modules', '.bin', name)

it('the rest builds and passes its suites without the folder, after the change of one line', { timeout: 3_600_000 }, async () => {
  const [first = ''] = readFileSync(new URL('../../src/accelerators/index.ts', import.meta.url), 'utf8').split('\n')
  const line = /write `(.+)` in place of its import in `(.+)`/.exec(first)
  expect(line, first).not.toBeNull()
  const [, by = '', file = ''] = line as RegExpExecArray
  const assembly = join(copy, 'src', file)
  const source = readFileSync(assembly, 'utf8')
  const imports = source.match(/^import .* from '\.\/accelerators\/.*'$/gm) ?? []
  expect(imports).toHaveLength(1)
  writeFileSync(assembly, source.replace(imports[0] as string, by))

  await run('npm', 'run', 'build')
  await run(bin('tsc'), '-p', 'tsconfig.json')
  const printed = await run(bin('vitest'), 'run', '--config', 'test/vitest.config.ts', ...SUITES)
  console.log(printed.match(/^ +(Test Files|Tests) .*$/gm)?.join('\n'))
  expect(printed).toMatch(/^ +Test Files +\d+ passed/m)
})
