import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCheck } from '../../src/check/run.js'
import { startGateway } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { lmsOptionsOf, routesIn } from '../../src/options/lms.js'
import { effectiveOptions } from '../../src/serve.js'
import { optionsOf } from '../options/setup.js'
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.js'
import { OPERATIONS_FOLDER, SAVED_OPERATIONS, type TestedOperation } from '../support/saved-operations.js'
import { authorizationOf, type Login } from '../support/world.js'

interface Row {
  readonly name: string
  readonly min: number
  readonly expected: number
  readonly max: number
  readonly madeUp: readonly string[]
}

/** The embedded LMS as `serve` starts it. */
const SCHOOL = optionsOf(['serve']).options.lms
const routes = [...routesIn(SCHOOL)]

let lms: RunningLms
let proxy: RecordingProxy
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calls-'))
  lms = await startLms(lmsOptionsOf(SCHOOL))
  proxy = await startRecordingProxy(lms.url)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await proxy.close()
  await lms.close()
})

/** What a check estimates for the folder. */
async function estimates(...argv: readonly string[]): Promise<Row[]> {
  const given = optionsOf(['check', OPERATIONS_FOLDER, '--format', 'json', ...argv])
  const { text, isFailed } = await runCheck({ ...given, options: await effectiveOptions(given, false) }, () => {})
  const { operations, findings } = JSON.parse(text)
  expect([findings, isFailed]).toEqual([[], false])
  return operations
}

/** Runs an operation by HTTP, and counts what the site was asked. */
async function counted(url: string, { query, variables, name }: TestedOperation, login: Login | undefined): Promise<number> {
  const before = proxy.calls.length
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(login && { authorization: authorizationOf(login) }) },
    body: JSON.stringify({ query, variables, operationName: name }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  expect([name, errors, data === null]).toEqual([name, undefined, false])
  return proxy.calls.length - before
}

const print = (title: string, rows: readonly (Row & { readonly calls: number })[]): void =>
  console.log(
    [
      title,
      ...rows.map(
        ({ name, min, expected, max, calls }) =>
          `${name.padEnd(20)}${[min, expected, max, calls].map((each) => String(each).padStart(9)).join('')}`,
      ),
    ].join('\n'),
  )

describe('the calls that a check expects of each operation of the folder', () => {
  it('are at least, and at most, those that the site is asked when it runs', { timeout: 60_000 }, async () => {
    const rows: (Row & { readonly calls: number })[] = []
    for (const [place, row] of (await estimates('--upstream', proxy.url, '--site-routes', routes.join())).entries()) {
      const operation = SAVED_OPERATIONS[place] as TestedOperation
      expect([row.name, row.madeUp]).toEqual([operation.name, []])
      // A gateway that knows nothing yet, as the one of the check.
      const gateway = await startGateway({ site: { url: proxy.url, routes }, http: { port: 0 } })
      const calls = await counted(gateway.url, operation, operation.caller)
      await gateway.close()
      rows.push({ ...row, calls })
    }
    print('operation                 min expected      max    calls', rows)
    for (const { name, min, max, calls } of rows) expect([name, calls >= min, calls <= max]).toEqual([name, true, true])
    expect(rows).toHaveLength(SAVED_OPERATIONS.length)
  })

  it('are the counted ones at the address of a gateway that has run them', { timeout: 60_000 }, async () => {
    const gateway = await startGateway({ site: { url: proxy.url, routes }, http: { port: 0 }, observe: { explainFor: ['everybody'] } })
    const headers = join(folder, 'headers.txt')
    writeFileSync(headers, `Authorization: ${authorizationOf('admin')}\r\nX-Other: 1\n\n`)
    const calls = new Map<string, number>()
    for (let run = 0; run < 3; run++)
      for (const operation of SAVED_OPERATIONS) calls.set(operation.name, await counted(gateway.url, operation, 'admin'))
    const before = proxy.calls.length
    const rows = (await estimates('--url', `${gateway.url}/graphql`, '--headers-file', headers)).map((row) => ({
      ...row,
      calls: calls.get(row.name) as number,
    }))
    expect(proxy.calls.length).toBe(before)
    await gateway.close()
    print('after three runs as administrator', rows)
    for (const { name, min, max, calls } of rows) expect([name, calls >= min, calls <= max]).toEqual([name, true, true])
    // Writes may answer with what is shown, and the rules of access need less of some courses than of others.
    const above = rows.filter(({ expected, calls }) => expected > calls).map(({ name }) => name)
    expect(above).toEqual(['CreateCourse', 'ChangeAndAdd', 'LockedCourse', 'PrerequisiteMap'])
    for (const { name, expected, calls } of rows.filter((row) => !above.includes(row.name))) expect([name, expected]).toEqual([name, calls])
  })
})
