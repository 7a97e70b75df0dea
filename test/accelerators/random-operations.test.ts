import { type DocumentNode, Kind, type OperationDefinitionNode, parse, print, type SelectionNode, validate, visit } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CompiledWriters } from '../../src/accelerators/response-writer.js'
import { graphSchema } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { type AlteringProxy, startAlteringProxy } from '../support/altering-proxy.js'
import { Coverage } from '../support/coverage.js'
import { type Asked, type Executed, Executors } from '../support/executors.js'
import { FaultyUpstream } from '../support/faulty-upstream.js'
import { Random } from '../support/random.js'
import { type RandomOperation, randomOperation } from '../support/random-operations.js'
import { FAULTS, IDS } from '../support/random-site.js'
import { SOAK } from '../support/world.js'

const OPERATIONS = Number(process.env.OPERATIONS ?? (SOAK ? 2_000 : 50))
const SEED = Number(process.env.SEED ?? 20_261_124)

const schema = graphSchema()
const random = new Random(SEED)
const upstream = new FaultyUpstream(FAULTS)
let lms: RunningLms
let honest: AlteringProxy
let faulty: AlteringProxy

beforeAll(async () => {
  lms = await startLms()
  honest = await startAlteringProxy(lms.url, { answer: (_, reply) => reply })
  faulty = await startAlteringProxy(lms.url, { answer: upstream.answer })
})
afterAll(async () => {
  await honest.close()
  await faulty.close()
  await lms.close()
})

interface Seen {
  ran: number
  written: number
  /** Among those with data and without errors. */
  good: number
  errors: number
  characters: number
  /** The same without operations with `nextLesson`, which leads to a record of a list, and those of them that were written. */
  goodOfPlan: number
  writtenOfPlan: number
  /** Runs that were repeated because the calls of the first two differed. */
  repeated: number
}

/** Operations in front of one site, each with both executors. */
class Comparing {
  readonly seen: Seen = { ran: 0, written: 0, good: 0, errors: 0, characters: 0, goodOfPlan: 0, writtenOfPlan: 0, repeated: 0 }
  private readonly executors: Executors

  constructor({ url }: AlteringProxy) {
    this.executors = new Executors(url, (of) => new CompiledWriters(of))
  }

  async run(asked: Asked): Promise<Executed> {
    const { compiled, ordinary } = await this.executors.both(asked)
    const told = `as ${asked.caller ?? 'anonymous'}\n${asked.query}\n${JSON.stringify(asked.variables)}`
    expect(compiled.text, told).toBe(ordinary.text)
    await this.compareCalls(asked, [compiled], [ordinary], told)
    this.seen.ran++
    this.seen.errors += compiled.errors.length
    this.seen.characters += compiled.text.length
    if (compiled.errors.length === 0) this.seen.good++
    if (compiled.written) this.seen.written++
    if (compiled.errors.length === 0 && !/\bnextLessons?\b/.test(asked.query)) {
      this.seen.goodOfPlan++
      if (compiled.written) this.seen.writtenOfPlan++
    }
    return compiled
  }

  /** Which calls are together in a batch can depend on the order of responses, so runs are repeated until two have the same calls. */
  private async compareCalls(asked: Asked, compiled: Executed[], ordinary: Executed[], told: string): Promise<void> {
    const sets = (runs: readonly Executed[]): string[] => runs.map(({ calls }) => calls.map(withSortedIds).sort().join('\n'))
    const isEqual = (): boolean => sets(compiled).some((set) => sets(ordinary).includes(set))
    while (!isEqual() && compiled.length < 6) {
      const again = await this.executors.both(asked)
      compiled.push(again.compiled)
      ordinary.push(again.ordinary)
      this.seen.repeated++
    }
    expect(isEqual() ? [] : sets(compiled).slice(0, 1), told).toEqual(isEqual() ? [] : sets(ordinary).slice(0, 1))
  }

  report(title: string): Seen {
    const { ran, written, good, errors, characters, repeated } = this.seen
    console.log(
      `${title} (seed ${SEED}): ${ran} operations, ${good} of them without errors; ${written} written by compiled operations, ` +
        `${ran - written} left to graphql-js; ${errors} errors, ${characters} characters; ${repeated} repeated`,
    )
    return this.seen
  }

  close(): Promise<void> {
    return this.executors.close()
  }
}

const withSortedIds = (call: string): string => call.replace(/(?<=include=)[\d,]+/, (ids) => ids.split(',').sort().join(','))

const next = (): RandomOperation => randomOperation({ schema, random, ids: IDS, steering: new Coverage(schema, random) })

const SWITCHES = ['s1', 's2', 's3']

/** Puts `@skip` and `@include` with variables on selections anywhere. */
function withSwitches(query: string): string {
  const place = <N extends SelectionNode>(node: N): N | undefined => {
    if (!random.chance(0.25)) return undefined
    const name = { kind: Kind.NAME as const, value: random.pick(['skip', 'include']) }
    if (node.directives?.some((each) => each.name.value === name.value)) return undefined
    const value = { kind: Kind.VARIABLE as const, name: { kind: Kind.NAME as const, value: random.pick(SWITCHES) } }
    const when = { kind: Kind.ARGUMENT as const, name: { kind: Kind.NAME as const, value: 'if' }, value }
    return { ...node, directives: [...(node.directives ?? []), { kind: Kind.DIRECTIVE as const, name, arguments: [when] }] }
  }
  const document: DocumentNode = visit(parse(query), { Field: place, InlineFragment: place, FragmentSpread: place })
  const used = SWITCHES.filter((name) => print(document).includes(`$${name})`))
  if (used.length === 0) return query
  const declared = parse(`query (${used.map((name) => `$${name}: Boolean!`)}) { a }`).definitions[0] as OperationDefinitionNode
  const definitions = document.definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION
      ? { ...each, variableDefinitions: [...(each.variableDefinitions ?? []), ...(declared.variableDefinitions ?? [])] }
      : each,
  )
  return print({ ...document, definitions })
}

describe('random operations', () => {
  it('are written like graphql-js does', { timeout: 600_000 }, async () => {
    const comparing = new Comparing(honest)
    while (comparing.seen.ran < OPERATIONS) {
      const { query, variables } = next()
      // An administrator, who may read most records.
      for (let times = 0; times < 2; times++) await comparing.run({ query, variables, caller: 'admin' })
    }
    const { good, written, ran } = comparing.report('a good site')
    await comparing.close()
    expect(good / ran).toBeGreaterThan(0.5)
    expect(written / good).toBeGreaterThan(0.75)
    // Graphql-js answers what is selected below a record of a list that a computed field shows, such as `nextLesson { access }`.
    expect(comparing.seen.goodOfPlan).toBeGreaterThan(OPERATIONS / 10)
    expect(comparing.seen.writtenOfPlan / comparing.seen.goodOfPlan).toBeGreaterThan(0.95)
  })

  it('have the same errors at the same paths', { timeout: 600_000 }, async () => {
    const comparing = new Comparing(faulty)
    while (comparing.seen.ran < OPERATIONS || (upstream.hits.size < 8 && comparing.seen.ran < 10 * OPERATIONS)) await comparing.run(next())
    const { errors, written } = comparing.report('a faulty site')
    await comparing.close()
    expect(errors).toBeGreaterThan(OPERATIONS)
    expect(written).toBeGreaterThan(OPERATIONS / 5)
    expect(upstream.hits.size).toBeGreaterThanOrEqual(8)
  })

  it('follow @skip and @include anywhere, in every combination', { timeout: 600_000 }, async () => {
    const comparing = new Comparing(honest)
    const texts = new Set<string>()
    const { seen } = comparing
    while (seen.ran < OPERATIONS || (seen.written <= OPERATIONS / 2 && seen.ran < 10 * OPERATIONS)) {
      const { query, variables } = next()
      const switched = withSwitches(query)
      expect(validate(schema, parse(switched)), switched).toEqual([])
      for (let bits = 0; bits < 2 ** SWITCHES.length; bits++) {
        const values = Object.fromEntries(SWITCHES.map((name, place) => [name, (bits & (1 << place)) !== 0]))
        texts.add((await comparing.run({ query: switched, variables: { ...variables, ...values }, caller: 'admin' })).text)
      }
    }
    const { written } = comparing.report('with switches')
    await comparing.close()
    expect(texts.size).toBeGreaterThan(OPERATIONS / 2)
    expect(written).toBeGreaterThan(OPERATIONS / 2)
    expect(seen.writtenOfPlan / seen.goodOfPlan).toBeGreaterThan(0.95)
  })
})
