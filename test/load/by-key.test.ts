import { describe, expect, it } from 'vitest'
import { batchByIds, oneByOne, recordTags, wholeTable } from '../../src/kit.js'
import { type ListRoute, pathOf } from '../../src/upstream/routes.js'
import { defineSite } from '../../src/upstream/site/site.js'

const site = defineSite('https://example.org/wp-json')
const list: ListRoute = { path: 'v1/groups', window: 'offset', filters: {}, orders: {}, tags: recordTags('Group') }

describe('records', () => {
  it('of posts are read by `/:id`, or many by `include`', () => {
    const byKey = batchByIds(list)
    expect(pathOf(site, byKey.one, byKey.params(7))).toBe('/lms/v1/groups/7')
    expect([byKey.one.hasStatus, byKey.one.tags]).toEqual([true, list.tags])
    expect([byKey.many.route, byKey.many.scope(7), byKey.many.id(7)]).toEqual([list, {}, 7])
    expect([byKey.keyOf({ id: 7 }, {}), byKey.keyColumns]).toEqual([7, ['id']])
  })

  it('of a table are read by their key, or all of them', () => {
    const byKey = wholeTable(list, { path: 'v2/kinds/:slug' }, 'slug')
    expect(pathOf(site, byKey.one, byKey.params('free'))).toBe('/lms/v2/kinds/free')
    expect([byKey.table, byKey.keyColumns]).toEqual([list, ['slug']])
    expect([{ slug: 'free' }, { slug: '' }, { slug: 7 }, {}].map((row) => byKey.keyOf(row, {}))).toEqual(['free', null, null, null])
  })

  it('without a list are read one by one', () => {
    const byKey = oneByOne({ path: 'v1/things/:id' })
    expect(pathOf(site, byKey.one, byKey.params(7))).toBe('/lms/v1/things/7')
    expect([byKey.many, byKey.table, byKey.keyOf({ id: 7 }, {}), byKey.keyColumns]).toEqual([undefined, undefined, 7, ['id']])
  })
})
