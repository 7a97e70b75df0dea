import fc from 'fast-check'
import {
  type ExecutionResult,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledWriters } from '../../src/accelerators/response-writer.js'
import type { ResponseWriter } from '../../src/execute/context.js'
import type { ArgumentContext } from '../../src/model/edge.js'
import { Arguments } from '../../src/plan/arguments.js'
import { executeWhole } from '../../src/plan/graphql-js.js'
import { Planner } from '../../src/plan/planner.js'
import { PreparedOperation } from '../../src/plan/prepared-operations.js'
import type { Prefetched } from '../../src/prefetch/prefetch.js'
import { SOAK } from '../support/world.js'

// Whatever value stands where a type is expected: the compiled operation writes what graphql-js makes of it, or nothing.

const RUNS = SOAK ? 50_000 : 1_000

/** Strings of all kinds: short ones, long ones, with control characters, quotes and halves of surrogate pairs. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 5 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '/', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udfff', 'ä', '😀', '<'),
    maxLength: 70,
  }),
)
const int = fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })

const shout = new GraphQLScalarType({
  name: 'Shout',
  serialize: (value) => {
    if (typeof value !== 'string') throw new TypeError('Only texts can be shouted.')
    return value.toUpperCase()
  },
})

/** Leaf types, each with values it takes as they are. */
const LEAVES: Readonly<Record<string, readonly [type: GraphQLLeafType, values: fc.Arbitrary<unknown>]>> = {
  text: [GraphQLString, text],
  id: [GraphQLID, fc.oneof(text, int, fc.integer(), fc.constantFrom(-0, 1e21))],
  int: [GraphQLInt, fc.oneof(int, fc.constantFrom(-0, 1.0))],
  float: [GraphQLFloat, fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), int, fc.constantFrom(-0, 1e21, 5e-324))],
  toggle: [GraphQLBoolean, fc.boolean()],
  choice: [new GraphQLEnumType({ name: 'Choice', values: { ONE: { value: 'one' }, TWO: { value: 2 } } }), fc.constantFrom('one', 2)],
  shown: [new GraphQLScalarType({ name: 'Shown', extensions: { lms: { asIs: true } } }), text],
  shout: [shout, text],
  object: [new GraphQLScalarType({ name: 'Json' }), fc.dictionary(text, fc.jsonValue())],
}

const anything = fc.oneof(
  fc.constantFrom(null, undefined, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 1.5, '', 'one', new Error('odd'), {}, [], [null]),
  fc.anything({ withDate: true, withNullPrototype: true }),
)

/** A type under construction. */
type Shape =
  | { readonly kind: 'leaf'; readonly name: string }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'required'; readonly of: Shape }
  | { readonly kind: 'fields'; readonly fields: readonly Shape[]; readonly read: boolean }
  | { readonly kind: 'several'; readonly fields: readonly Shape[]; readonly name: string }

const { shape } = fc.letrec<{ shape: Shape; open: Shape }>((tie) => {
  const fields = fc.array(tie('shape'), { minLength: 1, maxLength: 3 })
  return {
    open: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ kind: fc.constant('leaf' as const), name: fc.constantFrom(...Object.keys(LEAVES)) }),
      fc.record({ kind: fc.constant('list' as const), of: tie('shape') }),
      fc.record({ kind: fc.constant('fields' as const), fields, read: fc.boolean() }),
      fc.record({ kind: fc.constant('several' as const), fields, name: fc.constant('') }),
    ),
    shape: fc.oneof(tie('open'), fc.record({ kind: fc.constant('required' as const), of: tie('open') })),
  }
})

/** The shape with a name of its own for each interface. */
function named(shape: Shape, count = { interfaces: 0 }): Shape {
  if (shape.kind === 'leaf') return shape
  if (shape.kind === 'list' || shape.kind === 'required') return { ...shape, of: named(shape.of, count) }
  const fields = shape.fields.map((each) => named(each, count))
  return shape.kind === 'fields' ? { ...shape, fields } : { ...shape, fields, name: `I${++count.interfaces}` }
}

/** Values a type takes; `odd` is mixed in anywhere. */
function valuesOf(shape: Shape, odd: fc.Arbitrary<unknown> | undefined): fc.Arbitrary<unknown> {
  const plain = goodValuesOf(shape, odd)
  if (!odd) return shape.kind === 'required' ? plain : fc.oneof({ weight: 5, arbitrary: plain }, fc.constantFrom(null, undefined))
  return fc.oneof({ weight: 8, arbitrary: plain }, odd)
}

function goodValuesOf(shape: Shape, odd: fc.Arbitrary<unknown> | undefined): fc.Arbitrary<unknown> {
  if (shape.kind === 'leaf') return (LEAVES[shape.name] as (typeof LEAVES)[string])[1]
  if (shape.kind === 'list') return fc.array(valuesOf(shape.of, odd), { maxLength: 4 })
  if (shape.kind === 'required') return goodValuesOf(shape.of, odd)
  const members = Object.fromEntries(shape.fields.map((each, place) => [`f${place}`, valuesOf(each, odd)]))
  return fc.record(shape.kind === 'several' ? { ...members, __typename: fc.constantFrom(`${shape.name}A`, `${shape.name}B`) } : members)
}

/** A schema whose one root field is of that type, and the operation that asks for everything. */
class Built {
  readonly schema: GraphQLSchema
  readonly query: string
  private types = 0
  private readonly all: GraphQLObjectType[] = []

  constructor(shape: Shape, value: unknown) {
    const type = this.typeOf(shape)
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { root: { type, resolve: () => value, extensions: { lms: { resolve: () => value } } } },
    })
    this.schema = new GraphQLSchema({ query, types: this.all })
    this.query = `{ root ${this.selectionOf(shape)} }`
  }

  private typeOf(shape: Shape): GraphQLOutputType {
    if (shape.kind === 'leaf') return (LEAVES[shape.name] as (typeof LEAVES)[string])[0]
    if (shape.kind === 'list') return new GraphQLList(this.typeOf(shape.of))
    if (shape.kind === 'required') return new GraphQLNonNull(this.typeOf(shape.of) as never)
    const fields = Object.fromEntries(
      shape.fields.map((each, place) => {
        const [name, type] = [`f${place}`, this.typeOf(each)]
        const resolve = (source: any) => source[name]
        return [name, shape.kind === 'fields' && shape.read ? { type, resolve, extensions: { lms: { resolve } } } : { type }]
      }),
    )
    if (shape.kind === 'fields') return new GraphQLObjectType({ name: `T${++this.types}`, fields })
    const type = new GraphQLInterfaceType({ name: shape.name, fields, resolveType: ({ __typename }) => __typename })
    for (const end of ['A', 'B']) this.all.push(new GraphQLObjectType({ name: shape.name + end, fields, interfaces: [type] }))
    return type
  }

  private selectionOf(shape: Shape): string {
    if (shape.kind === 'leaf') return ''
    if (shape.kind === 'list' || shape.kind === 'required') return this.selectionOf(shape.of)
    const fields = shape.fields.map((each, place) => `f${place} ${this.selectionOf(each)}`).join(' ')
    return `{ ${fields} __typename again: ${fields} }`
  }
}

interface Outcome {
  readonly written: ReturnType<ResponseWriter>
  readonly expected: string | undefined
}

/** What was read of an operation without edges: nothing. */
const NOTHING = { given: new Arguments({}, {} as ArgumentContext), prefetch: {} } as Prefetched

/** The text that the response writer writes of a value, and that of graphql-js if there is no error. */
function outcome(shape: Shape, value: unknown): Outcome {
  const { schema, query } = new Built(shape, value)
  const document = parse(query)
  const plan = new Planner(schema).make(document, undefined, {})
  const compiled = plan && new CompiledWriters(schema).of(new PreparedOperation(plan))
  if (!compiled) throw new Error(`It is not compiled: ${query}`)
  const { data, errors } = executeWhole({ schema, document }) as ExecutionResult
  return { written: compiled({ ...NOTHING, plan }, Number.POSITIVE_INFINITY), expected: errors ? undefined : JSON.stringify(data) }
}

const cases = (odd?: fc.Arbitrary<unknown>) =>
  shape.map((each) => named(each)).chain((each) => fc.tuple(fc.constant(each), valuesOf(each, odd)))

describe('the response writer', () => {
  it('writes valid values of any type like graphql-js', () => {
    let characters = 0
    fc.assert(
      fc.property(cases(), ([shape, value]) => {
        const { written, expected } = outcome(shape, value)
        expect(expected).toBeDefined()
        expect(written).toBe(expected)
        characters += expected?.length ?? 0
      }),
      { numRuns: RUNS },
    )
    expect(characters).toBeGreaterThan(RUNS * 20)
  })

  it('bails out on invalid values, or writes what graphql-js writes', () => {
    const seen = { written: 0, wrong: 0, left: 0 }
    fc.assert(
      fc.property(cases(anything), ([shape, value]) => {
        const { written, expected } = outcome(shape, value)
        if (written !== undefined) expect(written).toBe(expected)
        seen[written !== undefined ? 'written' : expected === undefined ? 'wrong' : 'left']++
      }),
      { numRuns: RUNS },
    )
    console.log(
      `${RUNS} values, odd ones among them: ${seen.written} written, ${seen.wrong} that are errors, ${seen.left} left to graphql-js`,
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RUNS / 100)
  })
})
