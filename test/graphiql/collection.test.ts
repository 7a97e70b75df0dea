import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Collection, nameIn } from '../../src/graphiql/operations/collection.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'
import { saved } from './saved.js'

describe('Collection', () => {
  /** What the server answers. */
  let answer = { status: 200, body: '' }
  const server = createServer((_request, response) => {
    response.statusCode = answer.status
    response.end(answer.body)
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void server.close())

  const [one, two] = [saved({ name: 'One', query: 'query One { a }' }), saved({ name: 'Two', query: 'query Two { b }' })]
  const has = (...operations: object[]) => {
    answer = { status: 200, body: JSON.stringify({ operations }) }
  }
  let collection: Collection
  let changes: number
  beforeEach(() => {
    const { port } = server.address() as AddressInfo
    collection = new Collection(async () => {
      const response = await fetch(`http://127.0.0.1:${port}`)
      if (!response.ok) throw new Error(`The answer was ${response.status}`)
      return response
    })
    changes = 0
    collection.subscribe(() => changes++)
  })

  it('has the operations of the last read', async () => {
    expect(collection.current()).toEqual({ operations: [], problem: '' })
    has(one)
    await collection.read()
    expect(collection.current()).toEqual({ operations: [one], problem: '' })
    has(two, one)
    await collection.read()
    expect(collection.current()).toEqual({ operations: [two, one], problem: '' })
    expect(changes).toBe(2)
  })

  it('keeps the same objects, and tells nobody, when a read finds nothing new', async () => {
    has(one, two)
    await collection.read()
    const before = collection.current()
    await collection.read()
    expect(collection.current()).toBe(before)
    expect(changes).toBe(1)
  })

  it.each([
    ['an error', 500, '{"operations":[]}', 'The answer was 500'],
    ['no JSON', 200, '<html>', 'JSON'],
    ['JSON without operations', 200, '{}', 'iterable'],
  ])('keeps the operations and says why when the server answers with %s, until it can read them again', async (_, status, body, why) => {
    has(one)
    await collection.read()
    answer = { status, body }
    await collection.read()
    expect(collection.current()).toEqual({ operations: [one], problem: expect.stringContaining(why) })
    has(one)
    await collection.read()
    expect(collection.current()).toEqual({ operations: [one], problem: '' })
  })

  it('finds the operation of a document by its name, also when the document was changed', async () => {
    has(one, two)
    await collection.read()
    expect(collection.find('# Something\nquery Two($n: Int) {')).toEqual(two)
    expect(collection.find('query Three { a }')).toBeUndefined()
    expect(collection.find('{ a }')).toBeUndefined()
    expect(collection.find(null)).toBeUndefined()
  })

  it('knows the documents that were saved before, but not those that are saved', async () => {
    const changed = { ...one, query: 'query One { a b }' }
    for (const operations of [[one, two], [changed, two], [changed]]) {
      has(...operations)
      await collection.read()
    }
    expect([one, changed, two].map(({ query }) => collection.replaced.has(query))).toEqual([true, false, true])
    has(one)
    await collection.read()
    expect([one, changed].map(({ query }) => collection.replaced.has(query))).toEqual([false, true])
  })
})

describe('nameIn', () => {
  it.each([
    ['query A { a }', 'A'],
    ['# A page\n# query B {\n  mutation Rename_2($id: ID!) { a', 'Rename_2'],
    ['fragment f on T { query }\nsubscription S{ a }', 'S'],
    ['query A { a }\nquery B { b }', 'A'],
    ['query\n  A\n  @live { a }', 'A'],
    ['{\n  query\n  a\n}', undefined],
    ['query { a }', undefined],
    ['query ($a: Int) { a }', undefined],
    ['{ query }', undefined],
    ['# query A { a }', undefined],
    ['', undefined],
    [null, undefined],
  ])('of %j is %s', (query, name) => {
    expect(nameIn(query)).toBe(name)
  })

  it('of what the server sends for an operation is its name', () => {
    expect(SAVED_OPERATIONS.map(({ query }) => nameIn(query))).toEqual(SAVED_OPERATIONS.map(({ name }) => name))
  })
})
