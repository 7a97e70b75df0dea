import { type DocumentNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type Plan, Planner } from '../../src/engine/prepare/plan.js'
import { graphSchema } from '../../src/schema/graph.js'
import { collectAll } from '../support/young.js'

// Which plans there are of a document, and for how long they are kept.

const documentOf = (i: number): DocumentNode =>
  parse(`{ courses { nodes { ${Array.from({ length: 1_200 }, (_, field) => `a${i}_${field}: id`).join(' ')} } } }`)

describe('a plan', () => {
  const TWO = parse(`
    query A($on: Boolean!, $id: ID) { course(id: $id) { title slug @include(if: $on) } }
    query B($on: Boolean!, $id: ID) { course(id: $id) { content @include(if: $on) } }
  `)

  it('is the same for the same operation and switches, whatever the other variables are', () => {
    const planner = new Planner(graphSchema())
    const plan = (name: string | null, on: boolean, id = '1') => planner.plan(TWO, name, { on, id })
    plan('A', true)
    expect(plan('A', true)).toBe(plan('A', true, '2'))
    expect(new Set([plan('A', true), plan('A', false), plan('B', true), plan('B', false)]).size).toBe(4)
    expect([plan('A', true)?.operation.name?.value, plan('B', true)?.operation.name?.value]).toEqual(['A', 'B'])
  })

  it('is none where there is no such operation', () => {
    const planner = new Planner(graphSchema())
    expect([planner.plan(TWO, 'C', { on: true }), planner.plan(TWO, 'C', { on: true }), planner.plan(TWO, null, { on: true })]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

/** The plan of a document that has come before. */
function again(planner: Planner, document: DocumentNode): Plan | undefined {
  planner.plan(document, null, {})
  return planner.plan(document, null, {})
}

describe('what is kept of plans', () => {
  it('is none of a document that has come once only', () => {
    const planner = new Planner(graphSchema())
    const document = documentOf(0)
    const [first, second, third] = [1, 2, 3].map(() => planner.plan(document, null, {}))
    expect(second).not.toBe(first)
    expect(third).toBe(second)
  })

  it('is given up for that of others, the plans that were used last excepted', () => {
    const planner = new Planner(graphSchema())
    const [used, unused] = [documentOf(0), documentOf(1)]
    const [planOfUsed, planOfUnused] = [again(planner, used), again(planner, unused)]
    for (let i = 2; i < 130; i++) {
      again(planner, documentOf(i))
      expect(planner.plan(used, null, {})).toBe(planOfUsed)
    }
    expect(planner.plan(unused, null, {})).not.toBe(planOfUnused)
  })

  it('goes with its document', async () => {
    const planner = new Planner(graphSchema())
    const plans = Array.from({ length: 20 }, (_, i) => new WeakRef(again(planner, documentOf(i)) as object))
    await new Promise((resolve) => setTimeout(resolve, 10))
    collectAll()
    expect(plans.filter((plan) => plan.deref()).length).toBeLessThan(3)
  })
})
