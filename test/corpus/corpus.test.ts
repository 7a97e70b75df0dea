import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import type { Column, Columns } from '../../src/upstream/codec/columns.js'
import { COLUMNS, columnsOf, type Decoded, decode, expected, type Odd, RECORDS, SHAPES, sentIn } from './corpus.js'
import { brokenIn } from './promises.js'

/** The wire format of a value by the specification. */
function isPlain(raw: unknown, value: unknown, { kind, values }: Column): boolean {
  if (kind === 'enumeration') return Object.values(values?.members ?? {}).some(({ wire }) => wire[0] === raw)
  if (kind === 'instant') return value === `${raw}Z`
  if (kind === 'commaList') return Array.isArray(value) && value.length > 0 && value.join(',') === raw
  if (kind === 'links' || kind === 'curies' || kind === 'records') return Array.isArray(value) && value.length > 0
  return isDeepStrictEqual(raw, value)
}

/** Every column of a record, with its wire value and its decoded value. */
function* metIn({ shape, preset, row }: Odd, { values }: Decoded): Generator<[name: string, column: Column, raw: unknown, value: unknown]> {
  for (const [name, column] of Object.entries(COLUMNS[shape] as Columns)) {
    const raw = sentIn(row, column, preset)
    if (raw !== undefined) yield [name, column, raw, values[name]]
    if (!column.members || !Array.isArray(raw)) continue
    const sent = raw.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null && !Array.isArray(each))
    for (const [index, answer] of sent.entries())
      for (const [inner, each] of Object.entries(column.members.columns))
        if (Object.hasOwn(answer, each.wire))
          yield [`${column.members.name}.${inner}`, each, answer[each.wire], (values[name] as any)[index][inner]]
  }
}

describe('the corpus of odd records', () => {
  it.each(RECORDS.map((record) => [`${record.shape}: ${record.name}`, record] as const))('%s', (_, record) => {
    const { values, repairs, noted } = decode(record, record.row)
    expect(values).toStrictEqual(expected(record))
    expect(repairs).toEqual([...record.repairs].sort())
    expect(noted).toEqual([...new Set(record.repairs.filter((name) => name in COLUMNS[record.shape]))].sort())
    expect(brokenIn(COLUMNS[record.shape], values)).toEqual([])
  })

  // A search for the end of each `<a` up to the end of the title would block the gateway for a minute.
  it('decodes long titles with broken tags in time', () => {
    const start = performance.now()
    decode({ shape: 'Course', preset: 'lms' }, { title: { rendered: '<a'.repeat(100_000) } })
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('names every record once, with its source', () => {
    const names = RECORDS.map(({ shape, name }) => `${shape}: ${name}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(RECORDS.filter(({ from }) => !from)).toEqual([])
    expect(RECORDS.length).toBeGreaterThanOrEqual(120)
  })

  it('expects existing columns only', () => {
    const unknown = RECORDS.flatMap(({ shape, name, values, repairs }) => {
      const known = new Set(['Answer', ...columnsOf(shape).map(([column]) => column)])
      return [...Object.keys(values), ...repairs].filter((column) => !known.has(column)).map((column) => `${shape}: ${name}: ${column}`)
    })
    expect(unknown).toEqual([])
  })

  it('has an odd value for every column of every shape', () => {
    const odd = new Set(
      RECORDS.flatMap((record) =>
        [...metIn(record, decode(record, record.row))]
          .filter(([, column, raw, value]) => !isPlain(raw, value, column))
          .map(([name]) => `${record.shape}.${name}`),
      ),
    )
    expect(all().filter((column) => !odd.has(column))).toEqual([])
  })

  afterAll(() => console.log(figures()))
})

const all = (): string[] => SHAPES.flatMap((shape) => columnsOf(shape).map(([name]) => `${shape}.${name}`))

/** A summary of the comparison. */
function figures(): string {
  const covered = new Set<string>()
  const nulls = new Map<string, number>()
  let [values, said, repaired] = [0, 0, 0]
  for (const record of RECORDS) {
    const decoded = decode(record, record.row)
    values += Object.keys(decoded.values).length
    repaired += decoded.repairs.length
    for (const [name, , raw, value] of metIn(record, decoded)) {
      said++
      covered.add(`${record.shape}.${name}`)
      if (value === null) nulls.set(JSON.stringify(raw), (nulls.get(JSON.stringify(raw)) ?? 0) + 1)
    }
  }
  const most = [...nulls]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 20)
    .map(([raw, count]) => `${raw.slice(0, 40)} ×${count}`)
  return [
    `${RECORDS.length} records; ${values} values compared, ${said} of them of columns that were sent; ${repaired} repairs`,
    `${covered.size} of ${all().length} columns of ${SHAPES.length} shapes met`,
    `sent, and null: ${[...nulls.values()].reduce((sum, count) => sum + count, 0)} values, ${nulls.size} different ones: ${most.join('  ')} …`,
  ].join('\n')
}
