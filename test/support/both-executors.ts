import { appendFileSync } from 'node:fs'
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLScalarType, type GraphQLSchema, Kind, print } from 'graphql'
import { afterAll, afterEach, expect, inject } from 'vitest'
import type { GraphContext } from '../../src/engine/context.js'
import type { Fetcher } from '../../src/engine/fetch/fetcher.js'
import type { Plan } from '../../src/engine/plan.js'
import { Planner } from '../../src/engine/prepare/planner.js'
import { PreparedOperations } from '../../src/engine/prepare/prepared-operations.js'
import { ResponseWriters } from '../../src/engine/respond/response-writer.js'
import { takeFallbacks } from './fallbacks.js'

// Set up before every test file: whatever a compiled operation writes in any test is held against what graphql-js makes of the same
// fetched records. A text that differs fails the test it was written in.

declare module 'vitest' {
  interface ProvidedContext {
    /** A file with a line for each test file: how many queries were written, and how many left to graphql-js. */
    executors: string
  }
}

/** No suite may leave the fast path unasked. */
afterEach(() => {
  expect(takeFallbacks().map(({ step, operationName, cause }) => [step, operationName, cause])).toEqual([])
})

let written = 0
let left = 0
let differences: string[] = []

/** Files that share a process must not hold each other's answers against theirs. */
const known = ResponseWriters.prototype as ResponseWriters & { ordinary?: ResponseWriters['of'] }
known.ordinary ??= known.of
const of = known.ordinary
ResponseWriters.prototype.of = function (this: ResponseWriters, plan) {
  const compiled = of.call(this, plan)
  return (fetcher) => {
    const text = compiled?.(fetcher)
    if (text === undefined) {
      if (plan.operation.operation === 'query') left++
      return undefined
    }
    written++
    // biome-ignore lint/complexity/useLiteralKeys: what is private can be read by no other way.
    const ordinary = executed(this['schema'], plan, fetcher)
    if (text !== ordinary) differences.push(`compiled: ${text}\nordinary: ${ordinary}\n${print(plan.document)}`)
    return text
  }
}

/** Takes whatever it is given: variables that have been coerced already, with their defaults in place. */
const coerced = new GraphQLScalarType({ name: 'Coerced' })

/** The text graphql-js makes of what was fetched. To ask the site for more would be a difference too. */
function executed(schema: GraphQLSchema, plan: Plan, fetcher: Fetcher): string {
  // biome-ignore lint/complexity/useLiteralKeys: what is private can be read by no other way.
  const { schedule } = fetcher['fetchRun']
  // biome-ignore lint/complexity/useLiteralKeys: likewise.
  const [operation, variables] = [schedule.operation, schedule['arguments']['variables']]
  const variableDefinitions = (plan.operation.variableDefinitions ?? []).map(({ defaultValue: _, ...definition }) => ({
    ...definition,
    type: { kind: Kind.NAMED_TYPE as const, name: { kind: Kind.NAME as const, value: coerced.name } },
  }))
  const args: ExecutionArgs = {
    schema: Object.create(schema, { getType: { value: (name: string) => (name === coerced.name ? coerced : schema.getType(name)) } }),
    document: { kind: Kind.DOCUMENT, definitions: [{ ...plan.operation, variableDefinitions }] },
    variableValues: variables,
    contextValue: {
      operation,
      prepared: new PreparedOperations(new Planner(schema)),
      fetched: { plan, variables, fetcher },
    } satisfies GraphContext,
  }
  const result = execute(args)
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
