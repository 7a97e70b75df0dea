import { type GraphQLSchema, parse, validate } from 'graphql'
import { graphSchema } from '../../src/index.js'
import { blocksOf } from '../docs/contract.js'
import { ALL_PAGES, placeOf } from '../docs/page.js'
import { Coverage } from '../support/coverage.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { IDS } from '../support/random-site.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'
import { withParts } from './random-parts.js'
import type { Operation, Sequence } from './run.js'
import { KINDS, type KindName } from './sites.js'

const KIND_NAMES = Object.keys(KINDS) as KindName[]

/** How many random operations one gateway answers. */
const TOGETHER = 20
/** Of a hundred random operations, those with `@defer` or `@stream`, and of these those that are asked for in parts. */
const IN_PARTS = 0.35
const ASKED_IN_PARTS = 0.8
/** Most edges that a random operation follows from the root. */
const DEPTH = 5
/** Operations of the benchmark with each of its queries. */
const OF_EACH_JOB = 2

/** All sequences: the examples, and `count` random operations. */
export async function sequencesOf(seed: number, count: number): Promise<Iterable<Sequence>> {
  const examples = [...exampleSequences(), ...pageSequences(), await benchSequence()]
  return (function* () {
    yield* examples
    yield* randomSequences(graphSchema(), seed, count)
  })()
}

/** The example operations, in front of every site that changes when it is written to. */
function exampleSequences(): Sequence[] {
  const examples = SAVED_OPERATIONS.map(
    ({ file, query, variables, caller = 'admin' }): Operation => ({ name: file, query, ...(variables && { variables }), as: caller }),
  )
  const asLearner = examples.map((each) => ({ ...each, as: 'learner' }))
  return KIND_NAMES.filter((kind) => !('fails' in KINDS[kind])).flatMap((kind) => [
    { kind, operations: examples },
    { kind, operations: asLearner },
  ])
}

/** The operations of the documentation: those of a page in their order. */
function pageSequences(): Sequence[] {
  return ALL_PAGES.flatMap(({ blocks }): Sequence[] => {
    const operations = blocksOf(blocks, 'operation').map((block): Operation => {
      const { as, variables } = block.directive
      return { name: placeOf(block), query: block.text, ...(variables && { variables: JSON.parse(variables) }), ...(as && { as }) }
    })
    const asAdmin = operations.map((each) => ({ ...each, as: 'admin' }))
    return operations.length === 0
      ? []
      : [
          { kind: 'lms', operations },
          { kind: 'learndash', operations: asAdmin },
        ]
  })
}

/** Operations of the benchmark. */
async function benchSequence(): Promise<Sequence> {
  // Without types: the benchmark is JavaScript.
  const { JOBS } = (await import(new URL('../bench/jobs.mjs', import.meta.url).href)) as {
    JOBS: Record<string, { body(i: number): string; authorization?(): string }>
  }
  const operations = Object.entries(JOBS).flatMap(([name, { body, authorization }]) =>
    Array.from(
      { length: OF_EACH_JOB },
      (_, index): Operation => ({
        name: `${name}, ${index}`,
        ...JSON.parse(body(index)),
        ...(authorization && { as: 'admin' }),
      }),
    ),
  )
  return { kind: 'lms', operations }
}

function* randomSequences(schema: GraphQLSchema, seed: number, count: number): Iterable<Sequence> {
  const random = new Random(seed)
  const coverage = new Coverage(schema, random)
  const next = (number: number, kind: KindName): Operation => {
    const depth = random.int(1, DEPTH)
    const { query, variables, caller } = randomOperation({ schema, random, ids: IDS, steering: coverage, depth })
    const as = callerOf(caller, kind, random)
    const operation: Operation = { name: `random ${number}`, query, variables, ...(as && { as }) }
    if (!random.chance(IN_PARTS)) return operation
    return { ...operation, query: inParts(query, schema, random), ...(random.chance(ASKED_IN_PARTS) && { parts: true }) }
  }
  const kinds = KIND_NAMES.flatMap((kind) => Array<KindName>(KINDS[kind].share).fill(kind))
  for (let place = 0; place * TOGETHER < count; place++) {
    // Spread evenly: 37 and the 100 parts have no common divisor.
    const kind = kinds[(place * 37) % kinds.length] as KindName
    const first = place * TOGETHER + 1
    const length = Math.min(TOGETHER, count - first + 1)
    yield { kind, operations: Array.from({ length }, (_, index) => next(first + index, kind)) }
  }
}

/** On most sites of the plugin only administrators read courses. A new account has no courses. */
function callerOf(caller: string | undefined, kind: KindName, random: Random): string | undefined {
  if (caller !== 'admin' && KINDS[kind].profile !== 'lms' && random.chance(0.6)) return 'admin'
  return caller === 'learner' && random.chance(0.2) ? 'newcomer' : caller
}

/** The query with `@defer` and `@stream` where they are allowed. */
function inParts(query: string, schema: GraphQLSchema, random: Random): string {
  for (;;) {
    const changed = withParts(query, schema, random)
    if (/@(defer|stream)\b/.test(changed) && validate(schema, parse(changed)).length === 0) return changed
  }
}
