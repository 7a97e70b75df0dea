import { expect, it } from 'vitest'
import { BadInputError } from '../../src/upstream/errors.js'
import { type QueryValue, queryOf, shownPath } from '../../src/upstream/query.js'

it.each<[Record<string, QueryValue>, string]>([
  [{}, ''],
  [{ a: null, b: undefined }, ''],
  [{ page: 2 }, '?page=2'],
  [{ a: null, page: 0, search: '', b: undefined, order: 'asc' }, '?page=0&search=&order=asc'],
  [{ include: [1, 'b c', 3], slug: [] }, '?include=1,b%20c,3&slug='],
  [{ search: 'a&b=c' }, '?search=a%26b%3Dc'],
  [{ search: ' a' }, '?search=%20a'],
  [{ search: 'a ' }, '?search=a%20'],
  [{ after: '2026-11-20T18:12:23', word: 'a.b_c-d' }, '?after=2026-11-20T18%3A12%3A23&word=a.b_c-d'],
  [{ 'a b': 1 }, '?a%20b=1'],
])('%j is written %s', (values, query) => expect(queryOf(values)).toBe(query))

it('names are spelled as the site spells them', () => {
  expect(queryOf({ one: 1, two: [2, 3], three: null }, (name) => name.toUpperCase())).toBe('?ONE=1&TWO=2,3')
})

it('a lone surrogate is refused', () => {
  const refusal = "A text contains a lone surrogate (half a character), which a URL can't contain."
  expect(() => queryOf({ search: 'a\uD83D' })).toThrow(new BadInputError(refusal))
  expect(() => queryOf({ slug: ['a', '\uDE00b'] })).toThrow(new BadInputError(refusal))
  expect(queryOf({ search: '😀' })).toBe('?search=%F0%9F%98%80')
})

it.each([
  ['/course', '/course'],
  ['/course?a=1&b=2', '/course?a=1&b=2'],
  ['/course?password=secret', '/course?password=[redacted]'],
  ['/course?password=a%26b&a=1', '/course?password=[redacted]&a=1'],
  ['/course?a=1&password=secret&password=again', '/course?a=1&password=[redacted]&password=[redacted]'],
  ['/course?nopassword=1', '/course?nopassword=1'],
])('%s is shown as %s', (path, shown) => expect(shownPath(path)).toBe(shown))

it('a list of the kept parameter is encoded once', () => {
  const fields = ['id', 'a b']
  const write = (list: readonly string[]): string => queryOf({ page: 1, fields: list }, encodeURIComponent, 'fields')
  expect([write(fields), write(fields)]).toEqual(['?page=1&fields=id,a%20b', '?page=1&fields=id,a%20b'])
  fields.push('later')
  expect([write(fields), write([...fields])]).toEqual(['?page=1&fields=id,a%20b', '?page=1&fields=id,a%20b,later'])
  expect(queryOf({ fields })).toBe('?fields=id,a%20b,later')
})
