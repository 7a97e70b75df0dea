import { type DocumentNode, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { CostModel } from '../../../src/engine/cost/model.js'
import { Pricer } from '../../../src/engine/cost/price.js'
import { Operation } from '../../../src/engine/fetch/index.js'
import { Planner, PreparedOperations } from '../../../src/engine/prepare/index.js'
import { defineSite, graphSchema, PRESETS } from '../../../src/index.js'
import { courseList } from '../../../src/resources/course/routes.js'
import { ANONYMOUS, Credentials } from '../../../src/upstream/session.js'
import { CAPABILITIES } from '../../../src/upstream/site/capabilities.js'
import { Transport } from '../../../src/upstream/transport/transport.js'
import { upstreamOf } from '../../support/upstream.js'

const schema = graphSchema()
const ADMIN = new Credentials({ authorization: 'Basic x' })
const LEADER = new Credentials({ authorization: 'Basic y' })

/** Operations, each with the values of its variables: all combinations are run. */
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
])('cached prices, on %s', (_, names) => {
  const site = defineSite('http://127.0.0.1:9', names)
  const limits = { maxInFlight: 1, timeout: 1_000, connectTimeout: 1_000, maxBytes: 1_000, share: true }
  const upstream = upstreamOf(site, new Transport({ origin: site.url, ...limits }), { maxCalls: 300 })
  const { pricer, capabilities } = upstream
  const prepared = new PreparedOperations(new Planner(schema))
  const modelOf = (document: DocumentNode, variables: Record<string, unknown>): CostModel => {
    for (const _ of [1, 2]) prepared.passed(document, null)
    const operation = prepared.prepare(document, null, variables)
    if (!operation) throw new Error('It has no plan.')
    operation.cost ??= pricer.modelOf(operation.plan)
    return operation.cost
  }
  capabilities.refuse(LEADER, CAPABILITIES.include(courseList))

  it.each(Object.entries(OPERATIONS))('equal computed prices: %s', (query, values) => {
    const document = parse(query)
    expect(validate(schema, document)).toEqual([])
    // A second time all of them are known.
    for (const variables of [...combinations(values), ...combinations(values).reverse()]) {
      for (const credentials of [ANONYMOUS, ADMIN, LEADER]) {
        for (const viewer of [null, 3]) {
          const model = modelOf(document, variables)
          const ask = () => new Operation(upstream, { credentials, caller: '', operation: {}, viewer })
          const { permitted } = pricer.price(model, variables, ask())
          expect(pricer.permitted(model, variables, ask()), JSON.stringify({ variables, credentials: credentials.id, viewer })).toBe(
            permitted,
          )
        }
      }
    }
  })

  it('are used for any ids', () => {
    let priced = 0
    class Counting extends Pricer {
      override price(...what: Parameters<Pricer['price']>): ReturnType<Pricer['price']> {
        priced++
        return super.price(...what)
      }
    }
    const counting = new Counting(site, 10)
    const document = parse('query ($a: ID!, $b: ID!) { a: course(id: $a) { title } b: course(id: $b) { lessons { totalCount } } }')
    for (let id = 1; id <= 100; id++) {
      const variables = { a: id, b: id + 1 }
      const model = modelOf(document, variables)
      counting.permitted(
        model,
        variables,
        new Operation({ ...upstream, pricer: counting }, { credentials: ADMIN, caller: '', operation: {} }),
      )
    }
    expect(priced).toBe(1)
  })

  it('are bounded', () => {
    const document = parse('query ($first: Int) { courses(first: $first) { nodes { lessons { totalCount } } } }')
    const model = modelOf(document, {})
    for (let first = 1; first <= 300; first++) {
      const operation = new Operation(upstream, { credentials: ANONYMOUS, caller: '', operation: {} })
      expect(pricer.permitted(model, { first }, operation)).toBe(Math.ceil(first / site.pageCap) + first)
    }
  })
})
