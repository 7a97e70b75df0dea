import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READER } from '../support/profile.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const LISTS = ['courses', 'groups', 'lessons', 'quizzes', 'course(id: 10001) { lessons', 'course(id: 10001) { quizzes'] as const

/** Runs a list with further arguments, and returns its data and its calls. */
async function listed(list: string, given: string): Promise<{ data: unknown; calls: readonly string[] }> {
  const end = list.includes('{') ? ' }' : ''
  const { data, errors, calls } = await world.query(`{ ${list}(first: 3${given}) { totalCount nodes { title } }${end} }`, {
    ...READER,
    as: 'admin',
  })
  expect(errors).toEqual([])
  return { data, calls }
}

describe.each(LISTS)('a blank search in %s', (list) => {
  it.each(['""', '" "', '" \\t\\u3000 "', 'null'])('%s is no search', async (text) => {
    const whole = await listed(list, '')
    expect((whole.data as object | null) !== null && whole.calls.length > 0).toBe(true)
    expect(await listed(list, `, where: { search: ${text} }`)).toEqual(whole)
  })

  it('keeps the other filters', async () => {
    expect(await listed(list, ', where: { search: "", status: [PUBLISH], menuOrder: null }')).toEqual(
      await listed(list, ', where: { status: [PUBLISH] }'),
    )
  })

  it('has the default order for RELEVANCE, in either direction', async () => {
    const whole = await listed(list, '')
    for (const direction of ['ASC', 'DESC'])
      expect(await listed(list, `, where: { search: "  " }, orderBy: { field: RELEVANCE, direction: ${direction} }`)).toEqual(whole)
  })
})

it.each(['courses', 'groups'])('what refines a search has no effect in %s without one', async (list) => {
  const whole = await listed(list, '')
  for (const search of ['', 'search: "", '])
    expect(await listed(list, `, where: { ${search}searchColumns: [TITLE], searchSemantics: EXACT }`)).toEqual(whole)
})

it('a variable can hold the blank text of an emptied search box', async () => {
  const query = 'query ($text: String) { courses(where: { search: $text }, orderBy: { field: RELEVANCE }) { totalCount } }'
  const asked = async (text: string) => (await world.query(query, { ...READER, variables: { text } })).data.courses.totalCount
  expect(await asked('')).toBeGreaterThan(await asked('algebra'))
})
