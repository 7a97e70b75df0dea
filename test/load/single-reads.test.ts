import { describe, expect, it } from 'vitest'
import type { RecordState } from '../../src/model/records.js'
import { loadRecord } from '../../src/prefetch/steps.js'
import type { Row } from '../../src/upstream/client.js'
import { type Asked, all, isAny, isEdit, record, refuse, shape, THING, thing, thingSite } from './thing-site.js'

const things = thingSite()
const { answerTo, load, operationOn, paths } = things

describe('a single read', () => {
  const one = (row: Row | number, asked: Asked = {}, columns = ['title']) => {
    things.rows = { 1: row }
    return load({ 1: columns }, asked)
  }

  it.each([0, '0'])('of a record with the id %j finds no record', async (id) => {
    expect(await one({ id, title: 'x' })).toEqual(['missing'])
  })

  it.each([{ title: 'x' }, { id: null, title: 'x' }, { id: 'x' }])('without a valid record fails: %j', async (row) => {
    expect(await one(row)).toEqual([['failed', 'InvalidResponseError', 'The response to v1/things/:id is not a record.']])
  })

  it('that returns another record fails, with the status of the response', async () => {
    const operation = operationOn({})
    things.rows = { 1: record(2) }
    const message = 'The response to v1/things/:id is a different record from the one requested.'
    expect(await load(all([1]), {}, operation)).toEqual([['failed', 'InvalidResponseError', message]])
    expect(operation.records.stateOf({ entity: THING, key: 1 }).status).toBe('failed')
    const { error } = await late({ id: 'x' })
    expect(error?.upstream).toEqual({ status: 200, code: null })
    expect((await late(record(2))).error?.upstream).toEqual({ status: 200, code: null })
  })

  async function late(row: Row): Promise<RecordState> {
    things.rows = { 1: row }
    return loadRecord(operationOn({}), { entity: thing(), key: 1 }, shape.set(['title']))
  }

  it('finds no record on 404, unless the route does not exist', async () => {
    expect(await one(404)).toEqual(['missing'])
    expect(await one(410)).toEqual(['missing'])
    answerTo(isAny, (response) => refuse(response, 404, 'rest_no_route'))
    expect(await one(record(1))).toEqual([['failed', 'NotFoundError', 'No.']])
  })

  it('that is refused in `edit` is read in `view`, and edit-only columns have the error', async () => {
    answerTo(isEdit, (response) => refuse(response, 403))
    expect(await one(record(1), {}, ['title', 'raw'])).toEqual([{ databaseId: 1, title: 'T1', raw: 'ForbiddenError' }])
    expect(paths()).toEqual(['things/1?context=edit&_filter=id,raw,title', 'things/1?context=view&_filter=id,title'])
    expect(await one(404, {}, ['title', 'raw'])).toEqual(['missing'])
    answerTo(isAny, (response) => refuse(response, 403))
    expect(await one(record(1))).toEqual([['failed', 'ForbiddenError', 'No.']])
    expect(paths()).toHaveLength(1)
  })

  it('that fails otherwise is not repeated', async () => {
    expect(await one(500, {}, ['raw'])).toEqual([['failed', 'UnavailableError', 'The site answered 500 for v1/things/:id.']])
    expect(paths()).toHaveLength(1)
  })
})
