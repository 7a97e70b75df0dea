import { type GraphQLInterfaceType, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { COMPLETE, COMPLETE_NAMES, mayShow } from '../profiles/differences.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { Coverage, type Shown } from '../support/coverage.js'
import { FaultyUpstream } from '../support/faulty-upstream.js'
import { executorMode, gatewayMode, type Mode } from '../support/modes.js'
import { ALL_ROUTES, IS_PLUGIN, PROFILE, SPELLING } from '../support/profile.js'
import { Random } from '../support/random.js'
import { type RandomOperation, randomOperation } from '../support/random-operations.js'
import { FAULTS, IDS } from '../support/random-site.js'
import { comparableLeaves, differences, pathOf } from '../support/reference.js'
import { authorizationOf, SOAK } from '../support/world.js'

const ADDRESS = 'https://school.example'
/** Whether the run continues until every field and edge has occurred: in the system tier and in long runs. */
const IS_WHOLE = SOAK || process.env.SYSTEM === '1'
const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 2_000 : 40))
const SEED = Number(process.env.SEED ?? 20_261_123)

const schema = graphSchema()
const random = new Random(SEED)
const coverage = new Coverage(schema, random)
const upstream = new FaultyUpstream(FAULTS)
let lms: RunningLms
/** The site as specified, with the same records: responses are compared with them. */
let specified: RunningLms
let proxy: AlteringProxy
let records: AlteringProxy
let modes: Record<string, Mode>

beforeAll(async () => {
  lms = await startLms({ profile: PROFILE, switches: COMPLETE, site: ADDRESS })
  specified = await startLms({ site: ADDRESS })
  proxy = await startAlteringProxy(lms.url, { answer: (path, reply) => upstream.answer(SPELLING.specified(path), reply) })
  records = await startAlteringProxy(specified.url, { answer: (_, reply) => reply })
  const names = IS_PLUGIN ? COMPLETE_NAMES : ALL_ROUTES
  const site = defineSite(proxy.url, names)
  modes = {
    'plan on': await gatewayMode(site),
    'plan removed': executorMode(site, schema),
    '40 % forgotten': executorMode(site, schema, { share: 0.4, random: new Random(SEED + 1) }),
    'field filter off': await gatewayMode(defineSite(proxy.url, { ...names, fieldFilter: null })),
  }
})

afterAll(async () => {
  for (const mode of Object.values(modes)) await mode.close()
  for (const each of [proxy, records, lms, specified]) await each.close()
})

const seen = { errors: new Map<string, number>(), compared: 0, records: 0 }

/** Runs an operation in every mode; all must show the same. */
async function runEverywhere(operation: RandomOperation): Promise<Shown[]> {
  const { query, variables, caller, selections } = operation
  const document = parse(query)
  expect(validate(schema, document), query).toEqual([])
  const asked = { document, query, variables, caller }
  const [first, ...others] = Object.entries(modes) as [[string, Mode], ...[string, Mode][]]
  const answer = await first[1].run(asked)
  for (const [name, mode] of others) {
    const other = await mode.run(asked)
    expect(other, `${name} differs as ${caller ?? 'anonymous'}\n${query}\n${JSON.stringify(variables)}`).toEqual(answer)
  }
  for (const error of answer.errors) {
    const code = error.slice(error.lastIndexOf(' ') + 1)
    seen.errors.set(code, (seen.errors.get(code) ?? 0) + 1)
  }
  return coverage.count(selections, answer.data)
}

/** Holds what was shown of single records against the records themselves. */
async function compareWithRecords(shown: readonly Shown[], { caller, query }: RandomOperation): Promise<void> {
  for (const each of shown) {
    const path = pathOf(each)
    if (path === undefined || comparableLeaves(each) === 0) continue
    const { status, body } = await records.honest(path, caller && authorizationOf(caller))
    expect(status, path).toBe(200)
    const found = [...differences(each, body as object)].filter(({ field, expected, shown }) => !mayShow(field, PROFILE, expected, shown))
    expect(found, query).toEqual([])
    seen.compared += comparableLeaves(each)
    seen.records++
  }
}

/** Names of arguments and of members of input types. */
const INPUT = /\(|Where\.|OrderBy\./

/** Types of reasons of access. Few random operations meet the state that each needs; `test/computed/access.test.ts` meets all of them. */
const REASONS = schema.getPossibleTypes(schema.getType('AccessReason') as GraphQLInterfaceType).map(({ name }) => name)
const isOfReason = (name: string): boolean => REASONS.includes(name.split('.')[0] as string)

/** Names that have not occurred: fields and edges; in long runs also arguments, filters and orders that are rare. */
const missed = () => [...coverage.hits].filter(([name, hits]) => !isOfReason(name) && (SOAK ? hits < 20 : hits === 0 && !INPUT.test(name)))

const table = (counts: Iterable<readonly [string, number]>): string => [...counts].map(([name, count]) => `${name} ${count}`).join(', ')

/** Reduced operations that once showed a difference. */
const REDUCED: readonly [what: string, query: string, data: object][] = [
  [
    'the same body beside fields that only editors may read',
    `{ a: group(id: ${SAMPLES.protectedGroup}) { content contentProtected titleRaw } }`,
    { a: { content: '', contentProtected: true, titleRaw: 'Evening College' } },
  ],
  [
    'no progress of a user there is not, in one course or several',
    '{ a: course(id: 10001) { progress(user: 7000123) { id } } b: user(id: 7000123) { progressIn(course: 10002) { id } } }',
    { a: { progress: null }, b: { progressIn: null } },
  ],
  [
    'where a window of an empty list lies, with its rows or without',
    `{ group(id: ${SAMPLES.emptyGroup}) { a: courses(first: 1, offset: 2) { nodes { id } pageInfo { hasPreviousPage } } b: courses(first: 1, offset: 2) { pageInfo { hasPreviousPage } } } }`,
    { group: { a: { nodes: [], pageInfo: { hasPreviousPage: false } }, b: { pageInfo: { hasPreviousPage: false } } } },
  ],
  [
    'all that one key asks for in several places',
    '{ a: group(id: 1001) { databaseId } a: group(id: 1001) { curies { name } } }',
    { a: { databaseId: 1001, curies: [{ name: 'wp' }] } },
  ],
]

describe('random operations', () => {
  it.each(REDUCED)('show %s', async (_, query, data) => {
    for (const [name, mode] of Object.entries(modes)) {
      const answer = await mode.run({ document: parse(query), query, variables: {}, caller: 'admin' })
      expect(answer, name).toEqual({ data, errors: [] })
    }
  })

  it('show the same with a plan, without a plan, with a plan that omits edges, and without a field filter', {
    timeout: 1_800_000,
  }, async () => {
    let count = 0
    for (; count < OPERATIONS || (IS_WHOLE && missed().length > 0 && count < 16 * OPERATIONS); count++) {
      const operation = randomOperation({ schema, random, ids: IDS, steering: coverage })
      const shown = await runEverywhere(operation)
      if (count % 2 === 0) await compareWithRecords(shown, operation)
    }
    const share = 1 - coverage.nulls / coverage.leaves
    const calls = Object.entries(modes).map(([name, mode]) => `${name} ${(mode.calls / count).toFixed(1)}`)
    console.log(
      [
        `${count} operations (seed ${SEED}); ${coverage.leaves} leaves, ${(100 * share).toFixed(1)} % of them non-null`,
        `REST calls per operation: ${calls.join(', ')}`,
        `${seen.compared} leaves of ${seen.records} records compared with the records themselves`,
        `errors: ${table(seen.errors)}`,
        `faults: ${table(upstream.hits)}`,
        `met least of ${coverage.hits.size} fields, arguments and orders: ${table(coverage.rarest(25))}`,
      ].join('\n'),
    )
    expect([...seen.errors.keys()]).not.toContain('INTERNAL_SERVER_ERROR')
    expect(share).toBeGreaterThanOrEqual(0.8)
    expect(seen.compared).toBeGreaterThan(count)
    if (!IS_WHOLE) return
    expect(missed()).toEqual([])
    expect(upstream.hits.size).toBeGreaterThanOrEqual(10)
  })
})
