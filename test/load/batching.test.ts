import { describe, expect, it } from 'vitest'
import { type Asked, all, byKey, known, readColumns, route, shape, thing, thingSite, upTo } from './thing-site.js'

const things = thingSite()
const { load, operationOn, paths } = things

describe('a batch', () => {
  it('is made for several records, and a single read for one', async () => {
    expect(await load(all([3]))).toEqual(known(3))
    expect(paths()).toEqual(['things/3?context=view&_filter=id,title'])
    expect(await load(all([1, 2, 3]))).toEqual(known(1, 2, 3))
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,title&include=1,2,3'])
    expect(await load({})).toEqual([])
    expect(paths()).toEqual([])
  })

  it('has the light columns of all its records, and heavy columns are read separately', async () => {
    expect(await load({ 1: ['title'], 2: ['slug'], 3: ['title', 'content'], 4: ['content'], 5: ['more'] })).toEqual([
      { databaseId: 1, title: 'T1', slug: 's1' },
      { databaseId: 2, title: 'T2', slug: 's2' },
      { databaseId: 3, title: 'T3', content: 'c3' },
      { databaseId: 4, title: 'T4', content: 'c4' },
      { databaseId: 5, more: 'm5' },
    ])
    expect(paths().sort()).toEqual([
      'things/5?context=view&_filter=id,more',
      'things?per_page=100&context=view&_filter=content,id,title&include=3,4',
      'things?per_page=100&context=view&_filter=id,slug,title&include=1,2',
    ])
  })

  it('has either edit-only columns or guarded ones', async () => {
    expect(await load(all([1, 2], ['title', 'raw', 'content']))).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, raw: `r${id}`, content: `c${id}` })),
    )
    expect(paths().sort()).toEqual([
      'things?per_page=100&context=edit&_filter=id,raw,title&include=1,2',
      'things?per_page=100&context=view&_filter=content,id&include=1,2',
    ])
    await load(all([1], ['raw', 'more']))
    expect(paths()).toEqual(['things/1?context=edit&_filter=id,more,raw'])
  })

  it('has only columns that are not present yet', async () => {
    const operation = operationOn({})
    await load(all([1, 2]), {}, operation)
    await load({ 1: ['title'], 2: ['title', 'slug'], 3: ['title', 'slug'], 4: ['title'] }, {}, operation)
    expect(paths().sort()).toEqual(['things?per_page=100&context=view&_filter=id,slug,title&include=2,3,4'])
    await load({ 2: ['title', 'slug'], 1: ['title', 'more'], 3: ['more'] }, {}, operation)
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,more&include=1,3'])
    await load(all([1, 2, 3, 4]), {}, operation)
    expect(paths()).toEqual([])
  })

  it('has all columns that one of its records lacks', async () => {
    const operation = operationOn({})
    await load(all([1]), {}, operation)
    expect(await load(all([1, 2], ['title', 'slug']), {}, operation)).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, slug: `s${id}` })),
    )
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,slug,title&include=1,2'])
  })

  it('is not made for an entity without a route', async () => {
    const { byKey: _, ...entity } = thing()
    expect(await load(all([1, 2]), { entity })).toEqual([{ databaseId: 1 }, { databaseId: 2 }])
    const operation = operationOn({})
    await readColumns(operation, new Map([[operation.records.stateOf({ entity, key: 1 }), shape.set(['title'])]]))
    expect(paths()).toEqual([])
  })

  it.each<[string, Asked]>([
    ['the site has no batch of them', { on: { unbatched: ['Thing'] } }],
    ['a query goes with each', { query: { password: 'x' } }],
    ['the interface has none', { entity: { ...thing(), byKey: { ...byKey, many: undefined as never } } }],
  ])('is replaced by single reads if %s', async (_, asked) => {
    // A record is told the query with which it was read: the password may open its content.
    expect(await load(all([1, 2]), asked)).toEqual(
      known(1, 2).map((record) => ({ ...record, ...(asked.query && { readWith: asked.query }) })),
    )
    const password = asked.query ? '&password=x' : ''
    expect(paths().sort()).toEqual([1, 2].map((id) => `things/${id}?context=view&_filter=id,title${password}`))
    await load(all([1, 2]), { on: { unbatched: ['Other'] } })
    expect(paths()).toHaveLength(1)
  })

  it('is split by the page cap, and uses the smallest context', async () => {
    expect(await load(all(upTo(7)), { on: { pageCap: 3, fieldFilter: null } })).toEqual(known(...upTo(7)).map(() => expect.anything()))
    expect(paths()).toEqual([
      'things?per_page=3&context=embed&include=1,2,3',
      'things?per_page=3&context=embed&include=4,5,6',
      'things?per_page=3&context=embed&include=7',
    ])
    await load(all([1, 2]), { entity: thing({ one: { path: 'v1/things/:id', contexts: false } }) })
    expect(paths()).toEqual(['things?per_page=100&_filter=id,title&include=1,2'])
  })

  it('has records of one scope only', async () => {
    const scopes = [{ half: 0 }, { half: 1 }]
    const scoped = thing({
      many: { route: { ...route, path: 'v1/things' }, scope: (key) => ({ ...scopes[Number(key) % 2] }), id: (key) => Number(key) },
    })
    expect(await load(all([1, 2, 3, 4, 5]), { entity: scoped })).toEqual(known(1, 2, 3, 4, 5))
    expect(paths().map((path) => /include=(.*)/.exec(path)?.[1])).toEqual(['1,3,5', '2,4'])
  })
})
