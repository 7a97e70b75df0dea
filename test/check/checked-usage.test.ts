import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ASTNode, type FieldDefinitionNode, Kind, parse, print, printSchema, visit } from 'graphql'
import { afterAll, describe, expect, it } from 'vitest'
import { runCheck } from '../../src/check/run.js'
import { graphSchema } from '../../src/index.js'
import { optionsOf } from '../options/setup.js'
import { folderOf, lineOf, runWith, usageIn } from './logs.js'

// From a log to a check: `usage` with the operations that clients have, then `check` with those of the next release.

const TITLES = 'query Titles { courses { nodes { id title } } }'
const PRICES = 'query Prices { priceTypes { slug name } }'

const before = folderOf({ 'titles.graphql': TITLES, 'prices.graphql': PRICES })
const after = folderOf({ 'titles.graphql': TITLES })
const files = folderOf({ 'released.graphql': printSchema(graphSchema()) })
afterAll(() => {
  for (const folder of [before, after, files]) folder.remove()
})

/** The graph with another definition of a field, or without it. */
function changed(type: string, field: string, change: (definition: FieldDefinitionNode) => ASTNode | null): string {
  const document = parse(printSchema(graphSchema()))
  return print(
    visit(document, {
      ObjectTypeDefinition: (node) =>
        node.name.value !== type
          ? undefined
          : { ...node, fields: node.fields?.flatMap((each) => (each.name.value === field ? (change(each) ?? []) : each)) },
    }),
  )
}

const removed = (): null => null
const withArgument = (definition: FieldDefinitionNode): ASTNode => ({
  ...definition,
  arguments: [...(definition.arguments ?? []), ...neededArgument()],
})
function neededArgument() {
  const [query] = parse('type Query { field(year: Int!): Int }').definitions
  return (query?.kind === Kind.OBJECT_TYPE_DEFINITION && query.fields?.[0]?.arguments) || []
}

/** The findings of a check of the next release's folder against a changed graph, with the usage that a log shows or without it. */
async function check(graph: string, usage?: string) {
  const [released, next] = ['released.graphql', 'next.graphql'].map((name) => join(files.path, name)) as [string, string]
  writeFileSync(next, graph)
  const argv = ['check', after.path, '--schema', next, '--against', released, '--format', 'json']
  const { text, isFailed } = await runCheck(optionsOf([...argv, ...(usage === undefined ? [] : ['--usage', usage])]), () => {})
  const { findings } = JSON.parse(text) as { findings: { severity: string; message: string; file?: string }[] }
  return { isFailed, findings: findings.filter(({ severity, message }) => severity === 'error' || !/deprecated/.test(message)) }
}

/** Writes the usage of the operations that clients have, by a log. */
async function usageFile(...lines: readonly string[]): Promise<string> {
  const file = join(files.path, 'usage.json')
  writeFileSync(file, JSON.stringify(await usageIn([lines.join('\n')], before.path)))
  return file
}

describe('a change of what only the log knows', () => {
  const used = [lineOf('Prices', { time: Date.UTC(2026, 8, 3) }), lineOf('Prices', { caller: 'anonymous', time: Date.UTC(2026, 8, 1) })]

  it.each<[string, string]>([
    ['a removed field', changed('PriceType', 'name', removed)],
    ['a field that needs an argument', changed('Query', 'priceTypes', withArgument)],
  ])('is an error with the operation, its last use and its clients: %s', async (_, graph) => {
    const { isFailed, findings } = await check(graph, await usageFile(...used))
    expect(isFailed).toBe(true)
    expect(findings).toEqual([{ severity: 'error', message: expect.stringContaining('Prices') }])
    for (const part of ['2026-09-03T00:00:00.000Z', 'key:shop', 'anonymous']) expect(findings[0]?.message).toContain(part)
  })

  it('is a warning without the log', async () => {
    const { isFailed, findings } = await check(changed('PriceType', 'name', removed))
    expect([isFailed, findings]).toEqual([false, [{ severity: 'warning', message: expect.stringContaining('PriceType') }]])
  })

  it('is a warning if the log has the operation only as refused, or does not have it', async () => {
    const graph = changed('PriceType', 'name', removed)
    for (const line of [lineOf('Prices', { outcome: 'refused' }), lineOf('Titles'), lineOf('Elsewhere')]) {
      const { isFailed, findings } = await check(graph, await usageFile(line))
      expect([isFailed, findings.map(({ severity }) => severity)]).toEqual([false, ['warning']])
    }
  })

  it('is a warning if nobody used it, and an error where the folder uses it, with or without the log', async () => {
    const usage = await usageFile(...used, lineOf('Titles'))
    const unused = await check(changed('Question', 'title', removed), usage)
    expect([unused.isFailed, unused.findings.map(({ severity }) => severity)]).toEqual([false, ['warning']])
    for (const given of [usage, undefined]) {
      const { isFailed, findings } = await check(changed('Query', 'courses', removed), given)
      expect(isFailed).toBe(true)
      expect(findings).toEqual([expect.objectContaining({ severity: 'error', file: expect.stringContaining('titles.graphql') })])
    }
  })
})

it('a value that variables may have had is a warning that says so', async () => {
  const graph = printSchema(graphSchema()).replace(/(?<=^enum CourseOrderField \{[^}]*)"""[^"]*"""\s+MENU_ORDER\b/m, '')
  const unless = ', unless in variables, which the log does not show.'
  const { isFailed, findings } = await check(graph, await usageFile(lineOf('Titles')))
  expect([isFailed, findings]).toEqual([false, [{ severity: 'warning', message: expect.stringContaining(unless) }]])
  expect((await check(graph)).findings[0]?.message).not.toContain(unless)
})

it('the usage of a large folder is read whole', async () => {
  const usage = await usageFile(lineOf('Prices'))
  const read = JSON.parse(readFileSync(usage, 'utf8'))
  const others = Array.from({ length: 10_000 }, (_, each) => ({ ...read.coordinates[0], name: `Type${each}.field` }))
  writeFileSync(usage, JSON.stringify({ ...read, coordinates: [...others, ...read.coordinates] }))
  expect(statSync(usage).size).toBeGreaterThan(1_500_000)
  expect((await check(changed('PriceType', 'name', removed), usage)).isFailed).toBe(true)
})

it('a file that `usage` has not printed is refused', async () => {
  const released = join(files.path, 'released.graphql')
  const argv = ['check', after.path, '--schema', released, '--against', released, '--usage']
  for (const text of ['', 'OPERATION  RUNS', '{}', '{"format":2}', JSON.stringify({ format: 1, operations: [] })]) {
    const file = join(files.path, 'wrong.json')
    writeFileSync(file, text)
    const complaint = `The file \`${file}\` that \`--usage\` names is not what \`usage --format json\` prints.`
    await expect(runCheck(optionsOf([...argv, file]), () => {})).rejects.toThrow(complaint)
  }
})

it('the command fails with the report that the command has printed', async () => {
  const [released, next, usage] = ['released', 'next', 'usage'].map((name) => join(files.path, name)) as [string, string, string]
  writeFileSync(released, printSchema(graphSchema()))
  writeFileSync(next, changed('PriceType', 'name', removed))
  writeFileSync(usage, (await runWith([lineOf('Prices')], ['usage', before.path, '--format', 'json'])).stdout)
  const argv = ['check', after.path, '--schema', next, '--against', released, '--usage', usage]
  const { code, stdout, stderr } = await runWith([''], argv)
  expect([code, stderr, stdout]).toEqual([1, '', expect.stringMatching(/^error: .*PriceType.*Prices.*key:shop/m)])
})
