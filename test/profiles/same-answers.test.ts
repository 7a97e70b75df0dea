import { isDeepStrictEqual } from 'node:util'
import { type GraphQLSchema, isAbstractType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import type { Profile } from '../../src/lms/profile/switches.js'
import { Coverage } from '../support/coverage.js'
import { SITE_NAMES } from '../support/profile.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import type { Selected, SelectedField } from '../support/selected.js'
import { SOAK, World } from '../support/world.js'
import { COMPLETE, COMPLETE_NAMES, COMPLETE_QUIRKS, IDS, mayShow } from './differences.js'
import { EXAMPLES } from './examples.js'

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 1_500 : 30))
const SEED = 20_261_122
const SITE = 'https://school.example'
/** Dates of progress are local on some sites, and UTC on others: moments are equal. */
const ZONE = { timeZone: 'Europe/Berlin' }
const schema = graphSchema()

const PROFILES = ['learndash', 'learndash-5'] as const
let plain: World
const worlds = new Map<string, World>()
beforeAll(async () => {
  const options = { limits: { maxCalls: 10_000 } }
  plain = await World.start(
    options,
    { site: SITE, switches: { progressSteps: false } },
    { ...SITE_NAMES, routes: COMPLETE_QUIRKS.routes, ...ZONE },
  )
  for (const profile of PROFILES)
    worlds.set(profile, await World.start(options, { site: SITE, profile, switches: COMPLETE }, { ...COMPLETE_NAMES, ...ZONE }))
})
afterAll(() => Promise.all([plain, ...worlds.values()].map((world) => world.close())))

type Json = Record<string, unknown>
const seen = { compared: 0, excused: new Map<string, number>() }

/** Compares two responses field by field. Returns the differences that are not in the table. */
function* differences(type: string, selections: readonly Selected[], a: Json, b: Json, path: string): Generator<string> {
  for (const { key, name, type: returned, selections: inner } of flat(type, selections)) {
    const field = `${type}.${name}`
    if (name === '__typename' || !(key in a)) continue
    if (!isDeepStrictEqual(a[key], b[key]) && mayShow(field, path.split('.')[0] as Profile, a[key], b[key])) {
      seen.excused.set(field, (seen.excused.get(field) ?? 0) + 1)
      continue
    }
    yield* below(isObjectType(returned) ? returned.name : undefined, inner, a[key], b[key], `${path}.${key}`, field)
  }
}

function* below(
  type: string | undefined,
  inner: readonly Selected[],
  a: unknown,
  b: unknown,
  path: string,
  field: string,
): Generator<string> {
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [index, item] of a.entries()) yield* below(type, inner, item, b[index], `${path}.${index}`, field)
  } else if (isRecord(a) && isRecord(b) && inner.length > 0) {
    yield* differences(type ?? (a.__typename as string), inner, a, b, path)
  } else {
    seen.compared++
    if (JSON.stringify(a) !== JSON.stringify(b))
      yield `${field} at ${path}: ${JSON.stringify(a)?.slice(0, 90)} and ${JSON.stringify(b)?.slice(0, 90)}`
  }
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function* flat(type: string, selections: readonly Selected[]): Generator<SelectedField> {
  for (const selected of selections) {
    if (selected.kind === 'field') yield selected
    else if (applies(schema, selected.on, type)) yield* flat(type, selected.selections)
  }
}

function applies(of: GraphQLSchema, on: string, type: string): boolean {
  const [condition, concrete] = [of.getType(on), of.getType(type)]
  return on === type || (isAbstractType(condition) && isObjectType(concrete) && of.isSubType(condition, concrete))
}

it('random operations have the same answers on every profile', { timeout: 1_800_000 }, async () => {
  const random = new Random(SEED)
  const coverage = new Coverage(schema, random)
  const found: string[] = []
  const calls = new Map<string, number>()
  for (let count = 0; count < OPERATIONS; count++) {
    const { query, variables, selections } = randomOperation({ schema, random, ids: IDS, steering: coverage })
    const expected = await plain.query(query, { as: 'admin', variables })
    coverage.count(selections, expected.data as Json | null)
    calls.set('lms', (calls.get('lms') ?? 0) + expected.calls.length)
    for (const [profile, world] of worlds) {
      const answer = await world.query(query, { as: 'admin', variables })
      calls.set(profile, (calls.get(profile) ?? 0) + answer.calls.length)
      if (expected.data && answer.data)
        for (const difference of differences('Query', selections, expected.data, answer.data, profile))
          found.push(`${difference}\n${query} ${JSON.stringify(variables)}`)
    }
  }
  console.log(
    [
      `${OPERATIONS} operations (seed ${SEED}) on ${PROFILES.join(' and ')}: ${seen.compared} values compared`,
      `REST calls: ${[...calls].map(([name, count]) => `${name} ${count}`).join(', ')}`,
      `excused: ${[...seen.excused].map(([field, count]) => `${field} ${count}`).join(', ')}`,
    ].join('\n'),
  )
  expect(found.slice(0, 40)).toEqual([])
  expect(seen.compared).toBeGreaterThan(OPERATIONS * 20)
})

it('the example operations have the same answers on every profile, at these numbers of REST calls', async () => {
  const rows = ['| operation | lms | learndash | learndash-5 |', '| --- | ---: | ---: | ---: |']
  for (const { name, text, variables } of EXAMPLES) {
    const expected = await plain.query(text, { as: 'admin', variables })
    expect([name, expected.errors]).toEqual([name, []])
    const calls = [expected.calls.length]
    for (const world of worlds.values()) {
      const { data, errors, calls: made } = await world.query(text, { as: 'admin', variables })
      expect([name, errors]).toEqual([name, []])
      expect([name, withoutKnown(data)]).toEqual([name, withoutKnown(expected.data)])
      calls.push(made.length)
    }
    rows.push(`| ${name} | ${calls.join(' | ')} |`)
  }
  console.log(rows.join('\n'))
})

/** A response without the fields that traps change, by their names in the examples. */
const withoutKnown = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value) =>
      /^(date(Started|Completed)|priceType|name|quiz|groupCourse|href|links)$/.test(key) ? undefined : value,
    ),
  )
