import { ROOT } from '../../src/model/entity.js'
import { layOut } from '../../src/plan/layout.js'
import type { Plan } from '../../src/plan/plan.js'
import type { Operation } from '../../src/prefetch/operation.js'
import { Prefetch, type Prefetched } from '../../src/prefetch/prefetch.js'

/** Lays a plan out, and prefetches it. */
export async function prefetched(operation: Operation, plan: Plan, variables: Readonly<Record<string, unknown>>): Promise<Prefetched> {
  const given = operation.argumentsUnder(variables)
  const prefetch = new Prefetch(operation, layOut([plan.root], given, true))
  await prefetch.run([ROOT])
  return { plan, given, prefetch }
}
