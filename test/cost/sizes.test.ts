import { buildSchema, type GraphQLObjectType, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { Estimator } from '../../src/cost/estimate.js'
import type { ObservedSizes } from '../../src/cost/observed.js'
import { batchByIds } from '../../src/load/by-key.js'
import type { Edge } from '../../src/model/edge.js'
import type { Entity, LmsRecord } from '../../src/model/entity.js'
import { type RecordState, Store } from '../../src/model/records.js'
import type { PlannedEdge } from '../../src/plan/plan.js'
import * as c from '../../src/upstream/codec/columns.js'
import { NO_COLUMNS, Shape } from '../../src/upstream/codec/records.js'
import { ForbiddenError, type LmsError, UnavailableError } from '../../src/upstream/errors.js'
import type { ListRoute } from '../../src/upstream/routes.js'

const route: ListRoute = { path: 'v1/things', window: 'offset', filters: {}, orders: {} }
const THING: Entity = {
  name: 'Thing',
  shape: new Shape('Thing', { title: c.text('title', 'Title.') }),
  key: 'databaseId',
  byKey: batchByIds(route),
}
const field = (buildSchema('type Query { things: Int }').getQueryType() as GraphQLObjectType).getFields().things!
const [node] = (parse('{ things }').definitions[0] as any).selectionSet.selections

const listEdge = (id: string): Edge => ({
  kind: 'list',
  id,
  needs: [],
  entity: THING,
  route,
  shape: THING.shape,
  parse: () => ({ query: {}, window: { start: 0, end: null, first: 10, last: null } }),
  scope: () => ({ params: {} }),
})
const keyEdge = (id: string): Edge => ({ kind: 'key', id, needs: [], parse: () => null, entities: () => [THING], targets: () => null })
const planned = (edge: Edge, origin?: Edge): PlannedEdge => ({
  edge,
  origin,
  node,
  isFixed: true,
  fixed: undefined,
  field,
  children: new Map(),
  rowData: null,
  rows: true,
  total: false,
  next: false,
})

const LIST = planned(listEdge('Query.things'))
const KEY = planned(keyEdge('Thing.kin'), listEdge('Query.things'))

const parents = (count: number): LmsRecord[] => Array.from({ length: count }, (_, databaseId) => ({ databaseId }))
const list = (totalCount: number) => ({ states: Array.from({ length: totalCount }, (_, index) => index), totalCount })
const sizesOfOne = (): ObservedSizes => new Estimator().sizesOf('caller')
const lengthsIn = (sizes: ObservedSizes, of = LIST): readonly number[] => sizes.listsOf(of, {})?.lengths ?? []

/** So many records that are there, and others that are not shown. */
function entries(present: number, hidden = 0, error: LmsError = new ForbiddenError('No.', { status: 403, code: null })): RecordState[] {
  const store = new Store(THING, undefined)
  return Array.from({ length: present + hidden }, (_, key) => {
    const entry = store.stateOf(key)
    if (key < present) entry.status = 'present'
    else entry.fail(NO_COLUMNS, error)
    return entry
  })
}

describe('observed sizes', () => {
  it('are bounded: the edges that were observed last are kept', () => {
    const sizes = sizesOfOne()
    for (let edge = 0; edge < 50_000; edge++) sizes.learnLists(planned(listEdge(`list ${edge}`)), {}, [list(1)])
    expect(lengthsIn(sizes, planned(listEdge('list 0')))).toEqual([])
    expect(lengthsIn(sizes, planned(listEdge('list 49999')))).toEqual([1])
    for (let run = 0; run < 1_000; run++) sizes.learnLists(LIST, {}, [list(1), list(2)])
    expect(lengthsIn(sizes).length).toBe(32)
    // Each edge is kept with and without the edge above it.
    const kept = Array.from({ length: 50_000 }, (_, edge) => lengthsIn(sizes, planned(listEdge(`list ${edge}`))).length).filter(Boolean)
    expect(kept.length).toBe(20_000 - 1)
  })

  it('are kept apart for each caller, of a bounded number of callers', () => {
    const sizes = new Estimator()
    sizes.sizesOf('a').learnLists(LIST, {}, [list(7)])
    expect([lengthsIn(sizes.sizesOf('a')), lengthsIn(sizes.sizesOf('b'))]).toEqual([[7], []])
    for (let caller = 0; caller < 15_000; caller++) {
      sizes.sizesOf(`caller ${caller}`).learnLists(LIST, {}, [list(7)])
      // A caller who comes back is not forgotten for others.
      expect(sizes.sizesOf('a')).toBe(sizes.sizesOf('a'))
    }
    // From the last one on, because asking for a forgotten caller makes another one be forgotten.
    let remembered = 0
    while (lengthsIn(sizes.sizesOf(`caller ${14_999 - remembered}`)).length > 0) remembered++
    expect(remembered).toBe(10_000 - 1)
    expect(lengthsIn(sizes.sizesOf('caller 0'))).toEqual([])
  })

  it('are those of the closest circumstances that are known', () => {
    const sizes = sizesOfOne()
    sizes.learnKeys(KEY, THING, parents(1), entries(3))
    expect(sizes.keysOf(KEY, 'Thing')?.targets.at(1)).toBe(3)
    const elsewhere = planned(KEY.edge, keyEdge('Thing.twin'))
    expect(sizes.keysOf(elsewhere, 'Thing')?.targets.at(1)).toBe(3)
    sizes.learnKeys(elsewhere, THING, parents(1), entries(1))
    expect([sizes.keysOf(KEY, 'Thing')?.targets.at(1), sizes.keysOf(elsewhere, 'Thing')?.targets.at(1)]).toEqual([3, 1])
    expect(sizes.keysOf(KEY, 'Part')).toBeUndefined()
    sizes.learnLists(LIST, {}, [list(40)])
    sizes.learnLists(LIST, { search: 'x' }, [list(2)])
    expect([{}, { search: 'y' }, { author: 1 }, { orderby: 'id' }].map((query) => sizes.listsOf(LIST, query)?.lengths)).toEqual([
      [40],
      [2],
      [40],
      [40],
    ])
  })

  it('follow what changes, within some dozens of operations', () => {
    const sizes = sizesOfOne()
    const mean = (): number => lengthsIn(sizes).reduce((sum, length) => sum + length, 0) / lengthsIn(sizes).length
    for (let run = 0; run < 500; run++) {
      sizes.learnLists(LIST, {}, [list(10)])
      sizes.learnKeys(KEY, THING, parents(1), entries(1))
    }
    expect([mean(), sizes.keysOf(KEY, 'Thing')?.targets.at(1)]).toEqual([10, 1])
    for (let run = 0; run < 300; run++) {
      sizes.learnLists(LIST, {}, [list(80)])
      sizes.learnKeys(KEY, THING, parents(1), entries(8))
    }
    expect(mean()).toBeGreaterThan(79)
    expect(sizes.keysOf(KEY, 'Thing')?.targets.at(1)).toBeGreaterThan(7)
  })

  it('give results of so many, also of numbers between the observed ones', () => {
    const sizes = sizesOfOne()
    const at = (count: number): number => Math.round(10 * (sizes.keysOf(KEY, 'Thing')?.records.at(count) ?? Number.NaN)) / 10
    sizes.learnKeys(KEY, THING, parents(1), entries(1))
    expect([at(0.5), at(1), at(10)]).toEqual([0.5, 1, 10])
    // The more parents, the more of them lead to the same.
    sizes.learnKeys(KEY, THING, parents(64), entries(16))
    expect([at(1), at(64), at(128)]).toEqual([1, 16, 32])
    expect(at(8)).toBe(5)
  })

  it('have no rows and no records where the site refuses them, and nothing where it fails', () => {
    const sizes = sizesOfOne()
    const [refusal, failure] = [
      new ForbiddenError('No.', { status: 403, code: null }),
      new UnavailableError('Down.', { status: 503, code: null }),
    ]
    sizes.learnLists(LIST, {}, [refusal, failure])
    expect(lengthsIn(sizes)).toEqual([0])
    sizes.learnKeys(KEY, THING, parents(4), entries(2, 2, refusal))
    sizes.learnKeys(KEY, THING, parents(4), entries(0, 4, failure))
    expect([sizes.keysOf(KEY, 'Thing')?.targets.at(4), sizes.keysOf(KEY, 'Thing')?.records.at(4)]).toEqual([4, 2])
  })

  it('count a record once that several lists show', () => {
    const sizes = sizesOfOne()
    sizes.learnLists(LIST, {}, [list(4), list(4)])
    sizes.learnLists(LIST, {}, [list(64)])
    expect([8, 64].map((rows) => sizes.listsOf(LIST, {})?.records.at(rows))).toEqual([4, 64])
  })

  it('know how many records of a type there are from a list of all of them', () => {
    const sizes = sizesOfOne()
    sizes.learnLists(LIST, { search: 'x' }, [list(3)])
    sizes.learnLists(planned(listEdge('Thing.things'), LIST.edge), {}, [list(4)])
    expect(sizes.totalOf('Thing')).toBe(Number.POSITIVE_INFINITY)
    sizes.learnLists(LIST, {}, [list(120)])
    expect([sizes.totalOf('Thing'), sizes.totalOf('Part')]).toEqual([120, Number.POSITIVE_INFINITY])
  })
  it('are observed in all operations at first, then in some', () => {
    const sizes = sizesOfOne()
    const due = (count: number): number => Array.from({ length: count }, () => sizes.isDue()).filter(Boolean).length
    expect(due(8)).toBe(8)
    expect(due(1_600)).toBe(100)
  })
})
