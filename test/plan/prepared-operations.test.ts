import { type DocumentNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { Planner } from '../../src/plan/planner.js'
import { type PreparedOperation, PreparedOperations, type PreparedOperationsOptions } from '../../src/plan/prepared-operations.js'
import { coerced } from '../support/graphql-version.js'
import { collectAll } from '../support/young.js'

// Which documents and operations the cache keeps, and for how long.

const schema = graphSchema()
const cacheOf = (options?: PreparedOperationsOptions): PreparedOperations => new PreparedOperations(new Planner(schema), options)

/** Runs a document from the cache, or parsed again. */
function run(cache: PreparedOperations, text: string, operationName: string | null = null, variables = {}): PreparedOperation | undefined {
  const document = cache.document(text) ?? parse(text)
  cache.passed(document, operationName)
  return cache.prepare(document, operationName, coerced(schema, document, variables, operationName))
}

const twice = (cache: PreparedOperations, texts: readonly string[]): void => {
  for (const text of texts) for (const _ of [1, 2]) run(cache, text)
}
const kept = (cache: PreparedOperations, texts: readonly string[]): number => texts.filter((text) => cache.document(text)).length
const SHORT = Array.from({ length: 3_000 }, (_, i) => `{ a${i}: priceTypes { slug } }`)

describe('a document', () => {
  it('is cached when it runs a second time, however many others run once', () => {
    const cache = cacheOf()
    twice(cache, ['{ priceTypes { name } }'])
    for (const text of SHORT) run(cache, text)
    expect(kept(cache, ['{ priceTypes { name } }', ...SHORT])).toBe(1)
  })

  it('is not cached before it is validated, and is found by its valid operations', () => {
    const cache = cacheOf()
    const text = 'query A { priceTypes { slug } } query B { priceTypes { name } }'
    const known = (): boolean[] => ['A', 'B', 'C'].map((name) => cache.known(text, name) !== undefined)
    for (const _ of [1, 2, 3]) cache.prepare(parse(text), 'A', {})
    expect(cache.document(text)).toBeUndefined()
    run(cache, text, 'A')
    expect(known()).toEqual([false, false, false])
    run(cache, text, 'B')
    expect(known()).toEqual([false, true, false])
    run(cache, text, 'A')
    expect(known()).toEqual([true, true, false])
    expect([cache.isValid(cache.document(text) as DocumentNode), cache.isValid(parse(text))]).toEqual([true, false])
  })

  it('is prepared ahead when it is trusted, up to 64 MB of all such documents', () => {
    const texts = Array.from({ length: 10 }, (_, i) => `{ a${i}: priceTypes { slug } }`.padEnd(200_000))
    const cache = cacheOf({ trusted: new Set(texts) })
    const ahead = texts.filter((text) => {
      if (!cache.hasRoom) return false
      const document = parse(text)
      cache.passed(document, null)
      expect(cache.ahead(document, null, {}, false)).toBe(cache.prepare(document, null, {}))
      return true
    })
    // A character counts as 40 bytes.
    expect(ahead.length).toBe(Math.ceil((64 * 2 ** 20) / (200_000 * 40)))
  })

  it('is parsed once when it arrives several times at once', () => {
    const cache = cacheOf()
    const [first, ...others] = Array.from({ length: 4 }, () => parse('{ priceTypes { slug } }')) as [DocumentNode, ...DocumentNode[]]
    cache.passed(first, null)
    for (const each of others) cache.passed(each, null)
    expect(cache.document('{ priceTypes { slug } }')).toBe(others[0])
  })

  it('is not cached if it has more than 20,000 characters', () => {
    const cache = cacheOf()
    const texts = [20_000, 20_001].map((length) => '{ priceTypes { slug } }'.padEnd(length))
    twice(cache, texts)
    expect(texts.map((text) => cache.document(text) !== undefined)).toEqual([true, false])
  })

  it('is evicted by bytes, least recently used first', () => {
    const cache = cacheOf({ maxBytes: 2_000_000 })
    twice(cache, SHORT)
    const found = SHORT.map((text) => cache.document(text) !== undefined)
    expect(found.lastIndexOf(false)).toBe(found.indexOf(true) - 1)
    expect(kept(cache, SHORT)).toBeGreaterThan(100)
    expect(kept(cache, SHORT)).toBeLessThan(300)
    const [last] = SHORT.slice(-1) as [string]
    const long = Array.from({ length: 3 }, (_, i) => `{ b${i}: priceTypes { slug } }`.padEnd(15_000))
    for (const text of long) {
      twice(cache, [text])
      expect(cache.document(last)).toBeDefined()
    }
    expect(kept(cache, long)).toBe(3)
  })

  it('is never evicted if it is trusted', () => {
    const trusted = '{ priceTypes { description } }'
    const cache = cacheOf({ maxBytes: 300_000, trusted: new Set([trusted]) })
    const first = run(cache, trusted)
    twice(cache, SHORT)
    expect(run(cache, trusted)).toBe(first)
    expect(kept(cache, SHORT)).toBeLessThan(50)
  })
})

describe('an operation', () => {
  const TEXT = `
    query A($on: Boolean!, $id: ID) { course(id: $id) { title slug @include(if: $on) } }
    query B($on: Boolean!, $id: ID) { course(id: $id) { content @include(if: $on) } }`

  it('is prepared once for its name and the values of its directives, for any other variables', () => {
    const cache = cacheOf()
    const prepared = (name: string, on: boolean, id = '1') => run(cache, TEXT, name, { on, id })
    prepared('A', true)
    prepared('A', true)
    expect(prepared('A', true)).toBe(prepared('A', true, '2'))
    expect(new Set([prepared('A', true), prepared('A', false), prepared('B', true), prepared('B', false)]).size).toBe(4)
    expect([prepared('A', true), prepared('B', true)].map((each) => each?.plan.operation.name?.value)).toEqual(['A', 'B'])
  })

  it('is undefined if the document lacks it', () => {
    const cache = cacheOf()
    for (const _ of [1, 2, 3]) expect([run(cache, TEXT, 'C'), run(cache, TEXT, null)]).toEqual([undefined, undefined])
  })

  it('has at most eight variants', () => {
    const cache = cacheOf()
    const names = ['a', 'b', 'c', 'd']
    const text = `query(${names.map((name) => `$${name}: Boolean!`)}) { ${names.map((name) => `${name}: priceTypes @skip(if: $${name}) { slug }`).join(' ')} p: priceTypes { name } }`
    const prepared = (number: number) =>
      run(cache, text, null, Object.fromEntries(names.map((name, bit) => [name, (number & (1 << bit)) > 0])))
    prepared(0)
    const first = prepared(0)
    for (let number = 1; number < 8; number++) prepared(number)
    expect(prepared(0)).toBe(first)
    prepared(8)
    expect(prepared(0)).not.toBe(first)
  })

  it('is not cached if it is prepared for an explanation only', () => {
    const cache = cacheOf()
    const text = TEXT.slice(0, TEXT.indexOf('query B'))
    for (const _ of [1, 2]) cache.passed(cache.document(text) ?? parse(text), null)
    const document = cache.document(text) as DocumentNode
    const variables = coerced(schema, document, { on: true, id: '1' })
    const explained = cache.prepare(document, 'A', variables, false)
    expect(cache.prepare(document, 'A', variables, false)).not.toBe(explained)
    const ran = cache.prepare(document, 'A', variables)
    expect(cache.prepare(document, 'A', variables, false)).toBe(ran)
  })

  it('is garbage-collected with its document', async () => {
    const cache = cacheOf({ maxBytes: 500_000 })
    const operations = SHORT.slice(0, 200).map((text) => {
      run(cache, text)
      return new WeakRef(run(cache, text) as object)
    })
    await new Promise((resolve) => setTimeout(resolve, 10))
    collectAll()
    const alive = operations.filter((operation) => operation.deref()).length
    expect(alive).toBeLessThan(100)
    expect(alive).toBeGreaterThan(10)
  })
})
