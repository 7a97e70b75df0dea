import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { buildSchema, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type Ask, callerOf, canBeFound, openIds, SiteIds } from '../../src/graphiql/operations/site-ids.js'
import type { Ids } from '../../src/operations/head.js'
import { saved } from './saved.js'

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'))

/** An operation with these kinds of ids in its variables. */
const operation = (ids: Ids, variables: Record<string, unknown> = {}) => saved({ ids, variables })

const course = (databaseId: number, author: number) => ({ id: `Course:${databaseId}`, databaseId, author: { databaseId: author } })
const DATA = {
  courses: { nodes: [course(7, 21), course(8, 22)] },
  groups: { nodes: [{ id: 'Group:3', databaseId: 3 }] },
  priceTypes: [{ id: 'PriceType:open' }],
  viewer: { id: 'User:5', databaseId: 5 },
}

/** A site that gives these responses, one after the other, and the queries it received. */
function site(...answers: (object | Error)[]) {
  const queries: string[] = []
  const ask = async (query: string) => {
    queries.push(query)
    expect(validate(schema, parse(query))).toEqual([])
    const answer = answers[Math.min(queries.length, answers.length) - 1]
    if (answer instanceof Error) throw answer
    return answer as Awaited<ReturnType<Ask>>
  }
  return { queries, ask }
}

describe('SiteIds', () => {
  it('puts ids of the site in the places of an operation, and keeps the rest of the variables', async () => {
    const { ask, queries } = site({ data: DATA })
    const ids = { id: 'course', other: 'course', third: 'course', input: { list: ['course.id', 'group.id', 'priceType.id'], user: 'user' } }
    const filled = await new SiteIds().fill(operation(ids, { text: 'a', id: 1, input: { title: 't', list: [1, 2, 3] } }), '', ask)
    expect(filled).toEqual({
      text: 'a',
      id: 7,
      other: 8,
      third: 8,
      input: { title: 't', list: ['Course:7', 'Group:3', 'PriceType:open'], user: 5 },
    })
    expect(queries.length).toBe(1)
  })

  it('asks only for the kinds that an operation needs, each once per caller', async () => {
    const { ask, queries } = site({ data: DATA })
    const ids = new SiteIds()
    const fill = (place: string, caller: string) => ids.fill(operation({ id: place }), caller, ask)
    expect(await Promise.all([fill('course', 'a'), fill('course', 'a')])).toEqual([{ id: 7 }, { id: 7 }])
    expect(await fill('course.id', 'a')).toEqual({ id: 'Course:7' })
    expect(await fill('author', 'a')).toEqual({ id: 21 })
    expect(queries).toEqual(['query SiteIds { courses(first: 2) { nodes { id databaseId author { id databaseId } } } }'])
    expect(await ids.fill(operation({ id: 'course', group: 'group' }), 'a', ask)).toEqual({ id: 7, group: 3 })
    expect(queries.slice(1)).toEqual(['query SiteIds { groups(first: 2) { nodes { id databaseId } } }'])
    await fill('course', 'b')
    expect(queries.length).toBe(3)
  })

  it('forgets callers and what the site has told them', async () => {
    const { ask, queries } = site({ data: DATA }, { data: { ...DATA, courses: { nodes: [course(9, 23)] } } })
    const ids = new SiteIds()
    expect(await ids.fill(operation({ id: 'course' }), 'Basic SECRET', ask)).toEqual({ id: 7 })
    ids.clear()
    expect(inspect(ids, { depth: null })).not.toContain('SECRET')
    expect(await ids.fill(operation({ id: 'course' }), 'Basic SECRET', ask)).toEqual({ id: 9 })
    expect(queries).toHaveLength(2)
  })

  it('asks for nothing when the caller chooses, and leaves those ids open', async () => {
    const { ask, queries } = site({ data: DATA })
    const chosen = operation({ id: 'choose' }, { id: 500001 })
    expect(await new SiteIds().fill(chosen, '', ask)).toEqual({ id: '' })
    expect(await new SiteIds().fill(saved(), '', ask)).toBeNull()
    expect(queries).toEqual([])
    expect(canBeFound(openIds(chosen, '{"id": ""}'))).toBe(false)
  })

  it('knows other users by their courses', async () => {
    const { ask } = site({ data: DATA })
    expect(await new SiteIds().fill(operation({ first: 'user', second: 'author', third: 'author' }), '', ask)).toEqual({
      first: 5,
      second: 21,
      third: 22,
    })
  })

  const wanted = operation({ course: 'course', author: 'author', group: 'group', user: 'user', list: ['priceType.id'] })
  const open = { course: '', author: '', group: '', user: '', list: [''] }
  const found = { course: 7, author: 21, group: 3, user: 5, list: ['PriceType:open'] }
  const nothing = { courses: null, groups: null, viewer: null, priceTypes: null }
  const errors = (code: string) => Object.keys(nothing).map((path) => ({ path: [path], extensions: { code } }))

  it.each([
    ['no data', { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }],
    ['errors that may end', { data: nothing, errors: errors('UPSTREAM_UNAVAILABLE') }],
    ['a failure', new Error('not reached')],
  ])('leaves ids open when the site answers with %s, and asks again', async (_, answer) => {
    const { ask, queries } = site(answer, { data: DATA })
    const ids = new SiteIds()
    expect(await ids.fill(wanted, '', ask)).toEqual(open)
    expect(openIds(wanted, JSON.stringify(open))).toEqual(['course', 'author', 'group', 'user', 'priceType'])
    expect(canBeFound(openIds(wanted, JSON.stringify(open)))).toBe(true)
    expect(await ids.fill(wanted, '', ask)).toEqual(found)
    expect(queries.length).toBe(2)
  })

  it.each([
    ['no records', { data: { courses: { nodes: [] }, groups: { nodes: [null] }, viewer: null, priceTypes: [] } }],
    ['refusals', { data: nothing, errors: errors('FORBIDDEN') }],
  ])('leaves ids open when the site answers with %s, and does not ask the same caller again', async (_, answer) => {
    const { ask, queries } = site(answer, { data: DATA })
    const ids = new SiteIds()
    expect([await ids.fill(wanted, 'a', ask), await ids.fill(wanted, 'a', ask)]).toEqual([open, open])
    expect(queries.length).toBe(1)
    expect(await ids.fill(wanted, 'b', ask)).toEqual(found)
  })

  it('asks again only for what has failed', async () => {
    const { ask, queries } = site({ data: { ...DATA, groups: null }, errors: [errors('UPSTREAM_TIMEOUT')[1]] }, { data: DATA })
    const ids = new SiteIds()
    expect(await ids.fill(wanted, '', ask)).toEqual({ ...found, group: '' })
    expect(await ids.fill(wanted, '', ask)).toEqual(found)
    expect(queries[1]).toBe('query SiteIds { groups(first: 2) { nodes { id databaseId } } }')
  })
})

describe('openIds', () => {
  const wanted = operation({ id: 'course', input: { ids: ['course', 'group'] } })

  it.each([
    ['{"id": 7, "input": {"ids": [1, "2"]}}', []],
    ['{"id": "", "input": {"ids": ["", 2]}}', ['course']],
    ['{"id": "x", "input": {"ids": [1, ""]}}', ['group']],
    ['{"text": ""}', []],
    ['', []],
    [null, []],
    ['{"id": ""', []],
    ['{ // text\n"id": "", }', ['course']],
    ['[]', []],
    ['null', []],
  ])('in %s are %j', (text, expected) => {
    expect(openIds(wanted, text)).toEqual(expected)
  })
})

describe('callerOf', () => {
  it('asks with the headers of the page and of the tab, which take precedence in any case', async () => {
    const received: unknown[] = []
    const server = createServer(({ headers }, response) => {
      received.push([headers.authorization, headers['x-api-key']])
      response.end('{"data":{}}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const page = { Authorization: 'Basic page', 'X-API-Key': 'key' }
      const [caller, ask] = callerOf(url, page, '{ "authorization": "Basic tab", /* and no other */ }')
      expect(await ask('{ a }')).toEqual({ data: {} })
      await callerOf(url, page, null)[1]('{ a }')
      expect(received).toEqual([
        ['Basic tab', 'key'],
        ['Basic page', 'key'],
      ])
      expect(callerOf(url, page, '{"Authorization": "Basic tab"}')[0]).toBe(caller)
      expect(callerOf(url, page, null)[0]).not.toBe(caller)
      await expect(callerOf(url, page, '{"Author')[1]('{ a }')).rejects.toThrow('headers of the tab are invalid')
      expect(received).toHaveLength(2)
    } finally {
      server.close()
    }
  })
})
