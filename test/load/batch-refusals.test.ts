import { describe, expect, it } from 'vitest'
import { ANONYMOUS, Credentials } from '../../src/upstream/credentials.js'
import { json } from '../support/site.js'
import { all, complete, EDITOR, isAny, isAnyStatus, isBatch, isEdit, known, record, refuse, thing, thingSite } from './thing-site.js'

const things = thingSite()
const { answerTo, load, paths } = things

describe('a refused batch', () => {
  const ids = (start: number, count: number): number[] => Array.from({ length: count }, (_, i) => start + i)
  const includes = () => paths().filter((path) => path.includes('include='))
  const singles = () => paths().filter((path) => /things\/\d+/.test(path))

  it.each([
    [2, 3, 0],
    [2, 4, 2],
    [5, 5, 0],
    [5, 6, 5],
  ])('of %i records with %i unrequested rows leads to %i single reads, then and later', async (count, unrequested, alone) => {
    const found = [...ids(10, unrequested), ...(alone === 0 ? ids(1, count) : [])].map(record)
    answerTo(isBatch, (response) => json(response, found))
    expect(await load(all(ids(1, count)))).toEqual(known(...ids(1, count)))
    expect(singles()).toHaveLength(alone)
    await load(all(ids(1, count)))
    expect(includes()).toHaveLength(alone === 0 ? 1 : 0)
    expect(things.capabilities.allows(EDITOR, 'include on v1/things')).toBe(alone === 0)
  })

  it('in the context `edit` is read again in `view`', async () => {
    answerTo(isEdit, (response) => refuse(response, 403))
    expect(await load(all([1, 2], ['title', 'raw']))).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, raw: 'ForbiddenError' })),
    )
    expect(paths()).toHaveLength(2)
    answerTo(isAny, (response) => refuse(response, 403))
    expect(await load(all([1, 2]))).toEqual(Array(2).fill(['failed', 'ForbiddenError', 'No.']))
    // Each record may be readable by itself.
    expect([includes().length, singles().length]).toEqual([1, 2])
  })

  it.each([
    [400, false],
    [401, true],
    [403, true],
    [404, false],
    [429, false],
    [500, false],
  ])('with the status %i leads to single reads: %j', async (status, alone) => {
    answerTo(isBatch, (response) => refuse(response, status))
    const fates = await load(all([1, 2]))
    expect(singles()).toHaveLength(alone ? 2 : 0)
    expect(fates).toEqual(alone ? known(1, 2) : Array(2).fill(['failed', expect.any(String), expect.any(String)]))
    expect(things.capabilities.allows(EDITOR, 'include on v1/things')).toBe(!alone)
  })

  it.each([
    [400, true],
    [403, true],
    [404, true],
    [429, false],
    [500, false],
    [503, false],
  ])('of a list that needs a filter, with the status %i, leads to single reads: %j', async (status, alone) => {
    answerTo(isBatch, (response) => refuse(response, status))
    const fates = await load(all([1, 2]), { entity: thing({}, { narrowedBy: 'course' }) })
    expect(singles()).toHaveLength(alone ? 2 : 0)
    expect(fates).toEqual(alone ? known(1, 2) : Array(2).fill(['failed', expect.any(String), expect.any(String)]))
    expect(things.capabilities.allows(EDITOR, 'include on v1/things')).toBe(!alone)
    await load(all([1, 2]))
    expect(singles()).toHaveLength(alone ? 2 : 0)
  })

  it('whose connection was closed fails all its records', async () => {
    answerTo(isBatch, (response) => response.destroy())
    const fates = await load(all([1, 2]), { entity: thing({}, { narrowedBy: 'course' }) })
    expect(fates).toEqual(Array(2).fill(['failed', 'UnavailableError', 'The site could not be reached for v1/things.']))
  })

  it.each([
    ['rest_user_invalid_id', complete(), 'missing'],
    ['rest_no_route', complete(), ['failed', 'NotFoundError', 'No.']],
    ['rest_user_invalid_id', thing(), ['failed', 'NotFoundError', 'No.']],
  ])('of a list that does not exist: %s', async (code, entity, wanted) => {
    answerTo(isBatch, (response) => refuse(response, 404, code))
    expect(await load(all([1, 2]), { entity })).toEqual([wanted, wanted])
    expect(paths()).toHaveLength(1)
  })
})

describe('`status=any`', () => {
  const entity = thing({}, { anyStatus: true })
  const any = () => paths().map((path) => path.includes('status=any'))

  it('is sent with credentials if the list supports it', async () => {
    await load(all([1, 2]), { entity })
    expect(any()).toEqual([true])
    await load(all([1, 2]), { entity, as: ANONYMOUS })
    expect(any()).toEqual([false])
    await load(all([1, 2]))
    expect(any()).toEqual([false])
  })

  it('is given up for a credential when the site refuses the value', async () => {
    answerTo(isAnyStatus, (response) => refuse(response, 400))
    expect(await load(all([1, 2]), { entity })).toEqual(known(1, 2))
    expect(any()).toEqual([true, false])
    expect(things.capabilities.allows(EDITOR, 'status=any on v1/things')).toBe(false)
    await load(all([1, 2]), { entity })
    expect(any()).toEqual([false])
    await load(all([1, 2]), { entity, as: new Credentials({ authorization: 'Basic other' }) })
    expect(any()).toEqual([true, false])
  })

  it('is not given up if the list is refused without it too', async () => {
    answerTo(isAny, (response) => refuse(response, 400))
    await load(all([1, 2]), { entity })
    expect([any(), things.capabilities.allows(EDITOR, 'status=any on v1/things')]).toEqual([[true, false], true])
  })

  it.each([403, 500])('is not given up if the list is refused with %i', async (status) => {
    answerTo(isAnyStatus, (response) => refuse(response, status))
    await load(all([1, 2]), { entity })
    expect([any().filter(Boolean), things.capabilities.allows(EDITOR, 'status=any on v1/things')]).toEqual([[true], true])
  })
})
