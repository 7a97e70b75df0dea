import { EventEmitter } from 'node:events'
import { appendFileSync } from 'node:fs'
import { type ExecutionArgs, type ExecutionResult, GraphQLScalarType, type GraphQLSchema, Kind, print } from 'graphql'
import { afterAll, afterEach, expect, inject } from 'vitest'
import { CompiledWriters } from '../../src/accelerators/response-writer.js'
import type { GraphContext } from '../../src/execute/context.js'
import type { FallbackEvents } from '../../src/execute/fallback.js'
import { executeWhole } from '../../src/plan/graphql-js.js'
import { Planner } from '../../src/plan/planner.js'
import { PreparedOperations } from '../../src/plan/prepared-operations.js'
import type { Prefetched } from '../../src/prefetch/prefetch.js'

// Runs before every test file: each response that a response writer writes is compared with the one that graphql-js makes of the same
// fetched records. A difference fails the test.

declare module 'vitest' {
  interface ProvidedContext {
    /** A file with a line for each test file: how many queries response writers wrote, and how many graphql-js answered. */
    executors: string
  }
}

let written = 0
let left = 0
let differences: string[] = []

/** Test files that share a process must not compare responses of each other. */
const known = CompiledWriters.prototype as CompiledWriters & { ordinary?: CompiledWriters['of'] }
known.ordinary ??= known.of
const of = known.ordinary
CompiledWriters.prototype.of = function (this: CompiledWriters, prepared) {
  const { plan } = prepared
  const compiled = of.call(this, prepared)
  return (prefetched, most) => {
    const text = compiled?.(prefetched, most)
    if (typeof text !== 'string') {
      if (text === undefined && plan.operation.operation === 'query') left++
      return text
    }
    written++
    // biome-ignore lint/complexity/useLiteralKeys: private members cannot be read otherwise.
    const ordinary = executed(this['schema'], prefetched)
    if (text !== ordinary) differences.push(`compiled: ${text}\nordinary: ${ordinary}\n${print(plan.document)}`)
    return text
  }
}

/** Accepts any value: variables are already coerced, with their defaults. */
const coerced = new GraphQLScalarType({ name: 'Coerced' })

/** The text that graphql-js makes of the prefetched records. A further REST call is a difference too. */
function executed(schema: GraphQLSchema, prefetched: Prefetched): string {
  const { plan, given, prefetch } = prefetched
  // biome-ignore lint/complexity/useLiteralKeys: private members cannot be read otherwise.
  const variables = given['variables']
  const variableDefinitions = (plan.operation.variableDefinitions ?? []).map(({ defaultValue: _, ...definition }) => ({
    ...definition,
    type: { kind: Kind.NAMED_TYPE as const, name: { kind: Kind.NAME as const, value: coerced.name } },
  }))
  const args: ExecutionArgs = {
    schema: Object.create(schema, { getType: { value: (name: string) => (name === coerced.name ? coerced : schema.getType(name)) } }),
    document: { kind: Kind.DOCUMENT, definitions: [{ ...plan.operation, variableDefinitions }] },
    variableValues: variables,
    contextValue: {
      operation: prefetch.operation,
      prepared: new PreparedOperations(new Planner(schema)),
      prefetched,
      events: new EventEmitter<FallbackEvents>(),
    } satisfies GraphContext,
  }
  const result = executeWhole(args)
  if (result instanceof Promise) return 'a promise'
  const { data, errors } = result as ExecutionResult
  return errors ? JSON.stringify({ errors, data }) : JSON.stringify(data)
}

afterEach(() => {
  const found = differences
  differences = []
  expect(found.slice(0, 3)).toEqual([])
})

afterAll(() => {
  expect(differences.slice(0, 3)).toEqual([])
  appendFileSync(inject('executors'), `${written} ${left}\n`)
})
