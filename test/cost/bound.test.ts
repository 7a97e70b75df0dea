import { type DocumentNode, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { checkBudget, type LaidOut } from '../../src/cost/admission.js'
import { Estimator } from '../../src/cost/estimate.js'
import { courseList } from '../../src/graph/course/routes.js'
import { graphSchema } from '../../src/graph/schema.js'
import { entitiesIn } from '../../src/model/marks.js'
import { layOut } from '../../src/plan/layout.js'
import type { Plan } from '../../src/plan/plan.js'
import { Planner } from '../../src/plan/planner.js'
import { Operation, type Upstream } from '../../src/prefetch/operation.js'
import { Client } from '../../src/upstream/client.js'
import { Projections } from '../../src/upstream/codec/records.js'
import { ANONYMOUS, Credentials } from '../../src/upstream/credentials.js'
import { CAPABILITIES, CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { ViewerCache } from '../../src/upstream/site/viewers.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { coerced } from '../support/graphql-version.js'

const schema = graphSchema()

function laidOut(operation: Operation, plan: Plan, variables: Readonly<Record<string, unknown>>): LaidOut {
  const given = operation.argumentsUnder(variables)
  return { plan, layout: layOut([plan.root], given, true), given, variables }
}

const ADMIN = new Credentials({ authorization: 'Basic x' })
const LEADER = new Credentials({ authorization: 'Basic y' })

/** Operations, each with the values of its variables: all combinations are asked for. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'query ($id: ID!) { course(id: $id) { title content lessons { totalCount } } }': { id: [1, 2, 'odd'] },
  'query ($a: ID!, $b: ID!, $c: ID!) { a: course(id: $a) { title } b: course(id: $b) { title content } c: lesson(id: $c) { course { title } } }':
    {
      a: [1, 2, 3],
      b: [1, 2],
      c: [1, 2],
    },
  // One that is fixed and others that may be the same.
  'query ($a: ID!, $p: String) { a: course(id: $a, password: $p) { title } b: course(id: 1) { title } node(id: "Q291cnNlOjE=") { id ... on Course { title } } }':
    {
      a: [1, 2],
      p: [null, 'x', 'y'],
    },
  'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Course { title lessons { totalCount } } ... on CourseProgress { status } } }': {
    ids: [
      [],
      ['Q291cnNlOjE='],
      ['Q291cnNlOjE=', 'Q291cnNlOjE='],
      ['Q291cnNlOjE=', 'Q291cnNlOjI='],
      ['Q291cnNlUHJvZ3Jlc3M6Mzox', 'Q291cnNlUHJvZ3Jlc3M6Mzoy'],
      ['Q291cnNlUHJvZ3Jlc3M6Mzox', 'Q291cnNlUHJvZ3Jlc3M6NDox'],
    ],
  },
  'query ($first: Int, $last: Int, $offset: Int) { courses(first: $first, last: $last, offset: $offset) { totalCount nodes { author { id } prerequisites { title } lessons { totalCount } } } }':
    { first: [null, 1, 10, 150], last: [null, 3, 250], offset: [null, 1, 500] },
  'query ($where: CourseWhere) { courses(first: 100, where: $where) { nodes { lessons { totalCount } } } }': {
    where: [
      null,
      {},
      { search: 'x' },
      { id: { in: [] } },
      { id: { in: [1] } },
      { id: { in: [4] } },
      { id: { in: [1, 2, 3] } },
      { id: { notIn: [1] } },
      { author: { in: [1, 2] } },
    ],
  },
  'query ($x: Int, $y: Int) { x: courses(first: $x) { nodes { title lessons { totalCount } } } y: courses(first: $y) { nodes { title points } } }':
    {
      x: [1, 5],
      y: [1, 5, 7],
    },
  'query ($u: ID!, $v: ID!) { courses { nodes { a: progress(user: $u) { status } b: progress(user: $v) { status course { title } } } } }': {
    u: [1, 2],
    v: [1, 2],
  },
  'query ($u: ID!, $c: ID!) { user(id: $u) { progressIn(course: $c) { status } courseProgress { nodes { course { title content } } } } viewer { id } }':
    {
      u: [3, 4],
      c: [1, 2],
    },
}

/** Every combination of some values. */
function combinations(values: Readonly<Record<string, readonly unknown[]>>): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}]
  for (const [name, each] of Object.entries(values)) all = all.flatMap((so) => each.map((value) => ({ ...so, [name]: value })))
  return all
}

describe.each<[string, object]>([
  ['a site as specified', {}],
  ['a site of the plugin', PRESETS.learndash],
])('the bound of the estimate, on %s', (_, names) => {
  const site = defineSite('http://127.0.0.1:9', names)
  const limits = { maxInFlight: 1, timeout: 1_000, connectTimeout: 1_000, maxBytes: 1_000, share: true }
  const capabilities = new CapabilityCache()
  const estimator = new Estimator()
  const client = new Client(site, new Transport({ origin: site.url, ...limits }))
  const viewers = new ViewerCache()
  const upstream: Upstream = {
    client,
    projections: new Projections(site),
    capabilities,
    viewers,
    limits: { rows: 1_000, unpaged: 10 },
    entities: entitiesIn(schema),
    estimator,
    maxCalls: 300,
  }
  const planner = new Planner(schema)
  const planOf = (document: DocumentNode, variables: Record<string, unknown>): Plan => {
    const plan = planner.make(document, null, variables)
    if (!plan) throw new Error('It has no plan.')
    return plan
  }
  capabilities.refuse(LEADER, CAPABILITIES.include(courseList))

  it.each(Object.entries(OPERATIONS))('is never below the expected calls: %s', (query, values) => {
    const document = parse(query)
    expect(validate(schema, document)).toEqual([])
    for (const given of combinations(values)) {
      const variables = coerced(schema, document, given)
      for (const credentials of [ANONYMOUS, ADMIN, LEADER]) {
        for (const viewer of [null, 3]) {
          const plan = planOf(document, variables)
          const operation = new Operation(upstream, callScope({ credentials, viewer }))
          const { layout, given: args } = laidOut(operation, plan, variables)
          const { expected } = estimator.estimate(operation, plan, layout, args)
          const what = JSON.stringify({ variables, credentials: credentials.id, viewer })
          expect(estimator.bound(operation, plan, layout, args), what).toBeGreaterThanOrEqual(expected)
        }
      }
    }
  })

  it('is what a list and a batch for each of its rows cost', () => {
    const document = parse('query ($first: Int) { courses(first: $first) { nodes { lessons { totalCount } prerequisites { title } } } }')
    const plan = planOf(document, {})
    for (let first = 1; first <= 300; first++) {
      const operation = new Operation(upstream, callScope({ credentials: ANONYMOUS }))
      const pages = Math.ceil(first / site.pageCap)
      const { layout, given } = laidOut(operation, plan, coerced(schema, document, { first }))
      expect(estimator.bound(operation, plan, layout, given)).toBe(pages + first + Math.ceil((10 * first) / site.pageCap))
    }
  })

  it('spares the estimate of an operation that is below the budget, whatever ids are asked for', () => {
    let estimated = 0
    class Counting extends Estimator {
      override estimate(...what: Parameters<Estimator['estimate']>): ReturnType<Estimator['estimate']> {
        estimated++
        return super.estimate(...what)
      }
    }
    const document = parse('query ($first: Int) { courses(first: $first) { nodes { prerequisites { lessons { totalCount } } } } }')
    const plan = planOf(document, {})
    const admitted = (maxCalls: number, variables: Record<string, unknown>): unknown[] => {
      const operation = new Operation({ ...upstream, estimator: new Counting(), maxCalls }, callScope({ credentials: ADMIN }))
      estimated = 0
      return [checkBudget({ operation }, laidOut(operation, plan, coerced(schema, document, variables))) === undefined, estimated > 0]
    }
    for (let first = 1; first <= 4; first++) expect(admitted(50, { first })).toEqual([true, false])
    expect(admitted(50, { first: 10 })).toEqual([true, true])
    expect(admitted(50, { first: 30 })).toEqual([false, true])
  })
})
