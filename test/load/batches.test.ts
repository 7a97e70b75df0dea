import { describe, expect, it } from 'vitest'
import type { Row } from '../../src/upstream/client.js'
import { json } from '../support/site.js'
import { all, complete, isBatch, known, record, refuse, thingSite, upTo } from './thing-site.js'

const things = thingSite()
const { answerTo, load, operationOn, paths } = things

describe('a batch', () => {
  const includes = () => paths().filter((path) => path.includes('include='))
  const singles = () => paths().filter((path) => /things\/\d+/.test(path))

  it('matches rows by id, in any order, and ignores unrequested rows', async () => {
    answerTo(isBatch, (response) => json(response, [record(9), { id: 'x' }, record(2), record(1)]))
    expect((await load(all([1, 2]))).map((each) => (each as Row).slug)).toEqual(['s1', 's2'].map(() => undefined))
    expect(await load(all([1, 2]))).toEqual(known(1, 2))
    expect(paths()).toHaveLength(1)
  })

  it('reads further pages while they have new rows', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1)
      json(response, [record(page * 2 - 1), record(page * 2)].slice(0, page === 3 ? 1 : 2), { headers: { 'x-wp-totalpages': '3' } })
    })
    expect(await load(all(upTo(5)))).toEqual(known(...upTo(5)))
    expect(includes().map((path) => /&page=(\d)/.exec(path)?.[1])).toEqual([undefined, '2', '3'])
    expect(paths()).toHaveLength(3)
  })

  it('reads no further than the last page', async () => {
    delete (things.rows as Record<number, Row>)[2]
    expect(await load(all([1, 2, 3]))).toEqual([...known(1), 'missing', ...known(3)])
    expect(paths().map((path) => path.split('?')[0])).toEqual(['things', 'things/2'])
  })

  it('reads further pages without totals while they are short and have new rows', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1)
      if (page > 2) refuse(response, 400, 'rest_post_invalid_page_number')
      else json(response, page === 1 ? [record(1), record(2)] : [record(3)])
    })
    expect(await load(all([1, 2, 3, 4]))).toEqual(known(1, 2, 3, 4))
    expect(paths().map((path) => path.replace(/\?.*?(&page=\d)?$/, '$1'))).toEqual(['things', 'things&page=2', 'things&page=3', 'things/4'])
  })

  it('without new rows reads no further page', async () => {
    answerTo(isBatch, (response) => json(response, []))
    expect(await load(all([1, 2]))).toEqual(known(1, 2))
    expect(paths().map((path) => path.split('?')[0])).toEqual(['things', 'things/1', 'things/2'])
  })

  it('whose further page fails leaves the remaining records failed', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      if (searchParams.has('page')) refuse(response, 503)
      else json(response, [record(1)])
    })
    const failed = ['failed', 'UnavailableError', 'The site answered 503 for v1/things.']
    expect(await load(all([1, 2, 3]))).toEqual([...known(1), failed, failed])
    expect(paths()).toHaveLength(2)
  })

  it('that omits records leads to at most ten single reads in the operation', async () => {
    things.rows = { 1: record(1) }
    const operation = operationOn({})
    const fates = await load(all(upTo(13)), {}, operation)
    const message = 'The site left this record out of a batch, together with too many others to read each one.'
    expect(fates).toEqual([...known(1), ...Array(10).fill('missing'), ...Array(2).fill(['failed', 'UnresolvedError', message])])
    expect(singles()).toHaveLength(10)
  })

  it('of an entity that hides nothing proves which records are missing, if it is complete', async () => {
    things.rows = { 1: record(1), 2: record(2) }
    expect(await load(all(upTo(4)), { entity: complete() })).toEqual([...known(1, 2), 'missing', 'missing'])
    expect(paths()).toHaveLength(1)
    answerTo(isBatch, (response) => json(response, [record(1)], { headers: { 'x-wp-total': '2' } }))
    expect(await load(all([1, 2, 3]), { entity: complete() })).toEqual([...known(1, 2), 'missing'])
    expect(singles()).toHaveLength(2)
  })

  it.each([
    [true, {}, 0],
    [false, {}, 2],
    [true, { 'x-wp-total': '0' }, 0],
    [false, { 'x-wp-total': '0' }, 0],
  ])('that is empty may have no total: emptyUntold %j, %j', async (emptyUntold, headers, count) => {
    things.rows = {}
    answerTo(isBatch, (response) => json(response, [], { headers: headers as never }))
    expect(await load(all([1, 2]), { entity: complete(), on: { emptyUntold } })).toEqual(['missing', 'missing'])
    expect(singles()).toHaveLength(count)
  })

  it('without a total is not complete unless it is empty', async () => {
    things.rows = {}
    answerTo(isBatch, (response) => json(response, [record(9)]))
    await load(all([1, 2]), { entity: complete(), on: { emptyUntold: true } })
    expect(singles()).toHaveLength(2)
    answerTo(isBatch, (response, { searchParams }) => json(response, searchParams.has('page') ? [] : [record(1)]))
    await load(all([1, 2]), { entity: complete(), on: { emptyUntold: true } })
    expect(singles()).toHaveLength(1)
  })
})
