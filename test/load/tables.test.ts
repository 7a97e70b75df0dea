import { beforeEach, describe, expect, it } from 'vitest'
import type { ListRoute } from '../../src/kit.js'
import { WHOLE } from '../../src/model/records.js'
import type { Row } from '../../src/upstream/client.js'
import { idOf } from '../../src/upstream/routes.js'
import { json } from '../support/site.js'
import { all, isTable, known, record, refuse, shown, thing, thingSite } from './thing-site.js'

const things = thingSite()
const { answerTo, load, operationOn, paths } = things

describe('a table', () => {
  const table: ListRoute = { path: 'v1/table', window: 'offset', filters: {}, orders: {} }
  const entity = thing({ table, many: undefined as never })
  const whole = (wants: Readonly<Record<string, readonly string[]>> = { [WHOLE]: ['title'] }, operation = operationOn({})) =>
    load(wants, { entity }, operation).then((fates) => [fates, paths()] as const)

  beforeEach(() => {
    things.rows = { 1: record(1), 2: record(2) }
    answerTo(isTable, (response, { searchParams }) => {
      const held = [...Object.values(things.rows), { title: 'no id' }]
      json(
        response,
        held.map((row) => shown(row as Row, searchParams.get('_filter'))),
      )
    })
  })

  it('is read when two of its rows are needed', async () => {
    expect(await whole(all([1]))).toEqual([known(1), ['things/1?context=view&_filter=id,title']])
    expect(await whole(all([1, 2, 3]))).toEqual([[...known(1, 2), 'missing'], ['table?context=view&_filter=id,title']])
    expect((await whole())[1]).toEqual(['table?context=view&_filter=id,title'])
  })

  it('makes each of its rows known', async () => {
    const operation = operationOn({})
    const store = operation.records.store({ entity })
    await whole(undefined, operation)
    expect(store.stateOf(WHOLE).rows?.map((each) => each.title)).toEqual(['T1', 'T2'])
    expect(await whole(all([1, 2, 3]), operation)).toEqual([[...known(1, 2), 'missing'], []])
    expect(await whole({ 1: ['title', 'slug'] }, operation)).toEqual([
      [{ databaseId: 1, title: 'T1', slug: 's1' }],
      ['things/1?context=view&_filter=id,slug'],
    ])
  })

  it('is read again for columns it lacks', async () => {
    const operation = operationOn({})
    await whole(undefined, operation)
    const [fates, asked] = await whole(all([1, 2], ['title', 'slug']), operation)
    expect(asked).toEqual(['table?context=view&_filter=id,slug'])
    expect(fates).toEqual([1, 2].map((id) => ({ databaseId: id, title: `T${id}`, slug: `s${id}` })))
  })

  it('in flight is used by reads of the same columns', async () => {
    const operation = operationOn({})
    const [first, second] = await Promise.all([whole(undefined, operation), load(all([2]), { entity }, operation)])
    expect([first[0].length, second]).toEqual([1, known(2)])
    expect(paths()).toHaveLength(1)
    const other = operationOn({})
    await Promise.all([whole(undefined, other), load(all([2], ['slug']), { entity }, other)])
    expect(paths().sort()).toEqual(['table?context=view&_filter=id,title', 'things/2?context=view&_filter=id,slug'])
  })

  it('that fails makes all reads of it fail', async () => {
    answerTo(isTable, (response) => refuse(response, 500))
    const failed = ['failed', 'UnavailableError', 'The site answered 500 for v1/table.']
    expect(await whole(all([1, 2]))).toEqual([[failed, failed], ['table?context=view&_filter=id,title']])
    expect((await whole())[0]).toEqual([failed])
  })

  it('has rows with keys', () => expect([idOf({ id: 5 }), idOf({})]).toEqual([5, null]))
})
