import { afterAll, expect, it } from 'vitest'
import { answerColumns } from '../../src/graph/question/columns.js'
import type { Columns, KindName } from '../../src/upstream/codec/columns.js'
import { Random } from '../support/random.js'
import { COLUMNS, decode, type Odd, RECORDS, SHAPES } from './corpus.js'
import { brokenIn, PROMISES } from './promises.js'

type Row = Record<string, unknown>

const SEED = 20_261_122
const ROUNDS = 5_000

const random = new Random(SEED)
const met = new Map<string, number>()

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)
const valuesIn = (value: unknown): unknown[] => [
  value,
  ...(typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : []),
]

/** Every distinct value of the corpus. */
const POOL = [...new Map(RECORDS.flatMap(({ row }) => valuesIn(row)).map((value) => [JSON.stringify(value), value])).values()]

/** Sets a member as an own one, whatever its name. */
const put = (row: object, key: string, value: unknown): unknown =>
  Object.defineProperty(row, key, { value, writable: true, enumerable: true, configurable: true })

const anyValue = (): unknown => structuredClone(random.pick(POOL))

const wrapped = (value: unknown): unknown =>
  random.pick([[value], [[value]], { rendered: value }, { 0: value, 2: value }, [value, null], { value }])

const retyped = (value: unknown): unknown =>
  random.pick([
    JSON.stringify(value) ?? '',
    Number(typeof value === 'object' ? Number.NaN : value),
    Boolean(value),
    null,
    ` ${String(JSON.stringify(value))} `,
    -1,
    2 ** 31,
    0.5,
    '',
  ])

const MUTATIONS: readonly ((row: Row, key: string) => void)[] = [
  (row, key) => {
    const other = random.pick(Object.keys(row))
    const value = row[other]
    put(row, other, row[key])
    put(row, key, value)
  },
  (row, key) => put(row, key, anyValue()),
  (row, key) => put(row, key, anyValue()),
  (row, key) => delete row[key],
  (row, key) => put(row, key, wrapped(row[key])),
  (row, key) => put(row, key, retyped(row[key])),
  (row, key) => {
    const inner = random.pick(valuesIn(row[key]).filter(isObject)) ?? row
    const members = Object.keys(inner)
    put(
      inner,
      members.length > 0 && random.chance(0.8) ? random.pick(members) : random.pick(['rendered', 'href', '__proto__', 'length']),
      anyValue(),
    )
  },
]

/** A record with one to six changes; most change a column of its shape. */
function mutated({ shape, row }: Odd): Row {
  const copy = structuredClone(row) as Row
  const wires = Object.values(COLUMNS[shape]).map(({ wire }) => wire.split('.')[0] as string)
  for (let left = random.int(1, 6); left > 0; left--) {
    if (Object.keys(copy).length === 0) put(copy, 'id', 1)
    random.pick(MUTATIONS)(copy, random.pick(random.chance(0.6) ? wires : Object.keys(copy)))
  }
  // As on the wire: without values that JSON cannot represent.
  return JSON.parse(JSON.stringify(copy)) as Row
}

/** Decodes a row, and checks its values against their types. */
function hold(odd: Pick<Odd, 'shape' | 'preset'>, row: Row, seen: string): void {
  let values: Row
  try {
    values = decode(odd, row).values
  } catch (error) {
    throw new Error(`${seen} throws`, { cause: error })
  }
  const columns: Columns = COLUMNS[odd.shape]
  const broken = brokenIn(columns, values)
  expect(broken, seen).toEqual([])
  for (const [name, value] of Object.entries(values)) count(met, value === null ? 'null' : (columns[name]?.kind as KindName))
}

const count = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1)

it(`decodes ${ROUNDS} corrupted records without an exception, to values of the types of the graph`, () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const odd = random.pick(RECORDS)
    const row = mutated(odd)
    hold(odd, row, `round ${round} of seed ${SEED}, from ${odd.shape}: ${odd.name}: ${JSON.stringify(row).slice(0, 2_000)}`)
  }
})

it('decodes every value of the corpus in every column, and as a member of a column', () => {
  for (const value of POOL)
    for (const shape of SHAPES) {
      const wires = new Set(Object.values(COLUMNS[shape]).map(({ wire }) => wire.split('.')[0] as string))
      const members = { rendered: value, raw: value, protected: value, self: value, curies: value, 0: value }
      for (const each of [value, members, [value], [Object.fromEntries(Object.values(answerColumns).map(({ wire }) => [wire, value]))]])
        hold(
          { shape, preset: 'lms' },
          Object.fromEntries([...wires].map((wire) => [wire, each])),
          `${shape}: ${JSON.stringify(each)?.slice(0, 500)} everywhere`,
        )
    }
  const never = Object.keys(PROMISES).filter((kind) => !met.has(kind))
  expect(never).toEqual([])
})

afterAll(() => {
  const shown = (counts: Map<string, number>): string => [...counts].map(([name, times]) => `${name} ${times}`).join(', ') || 'none'
  console.log(`${ROUNDS} spoiled records of seed ${SEED}, and ${POOL.length} values in every column\ndecoded: ${shown(met)}`)
})
