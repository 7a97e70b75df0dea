import { describe, expect, it } from 'vitest'
import { queryOf } from '../../src/upstream/query.js'
import { idOf, pathOf, type Route } from '../../src/upstream/routes.js'
import { defineSite, wireName } from '../../src/upstream/site/site.js'

const site = defineSite('https://example.org/wp-json/')
const route: Route = { path: 'v2/groups/:id/courses' }

describe('pathOf', () => {
  it('inserts parameters, encoded', () => {
    expect(pathOf(site, route, { id: 12 })).toBe('/lms/v2/groups/12/courses')
    expect(pathOf(site, { path: 'v2/price-types/:slug' }, { slug: 'a/../b?c#d e' })).toBe('/lms/v2/price-types/a%2F..%2Fb%3Fc%23d%20e')
  })

  it('uses the names of the site for namespaces and segments, but not for values', () => {
    const renamed = defineSite('https://example.org', {
      namespaces: { v1: 'ldlms/v1', v2: 'ldlms/v2' },
      segments: { groups: 'teams', courses: 'classes' },
    })
    expect(pathOf(renamed, route, { id: 'courses' })).toBe('/ldlms/v2/teams/courses/classes')
  })

  it('names the missing parameter', () => {
    expect(() => pathOf(site, route, {})).toThrow('v2/groups/:id/courses requires the parameter :id')
  })
})

describe('queryOf', () => {
  it('joins lists by commas, omits null and undefined, and encodes names and values', () => {
    expect(queryOf({})).toBe('')
    expect(queryOf({ a: undefined, b: null })).toBe('')
    expect(queryOf({ a: 1, b: 'x y&z=1', c: [1, 2], 'd[]': 'ä', e: 0, f: '' })).toBe('?a=1&b=x%20y%26z%3D1&c=1,2&d%5B%5D=%C3%A4&e=0&f=')
    expect(queryOf({ slug: ['a,b', 'c'] })).toBe('?slug=a%2Cb,c')
  })
})

describe('site', () => {
  it('is frozen, has the names of the specification, and accepts others', () => {
    expect(Object.isFrozen(site)).toBe(true)
    expect(site).toMatchObject({
      url: 'https://example.org/wp-json',
      namespaces: { v1: 'lms/v1', v2: 'lms/v2' },
      fieldFilter: '_filter',
      pageCap: 100,
    })
    expect(defineSite('https://example.org', { fieldFilter: '_fields', pageCap: 50 })).toMatchObject({
      fieldFilter: '_fields',
      pageCap: 50,
      namespaces: { v1: 'lms/v1', v2: 'lms/v2' },
    })
  })

  it('renames columns that begin with the prefix of terms', () => {
    const other = defineSite('https://example.org', { termPrefix: 'ld_' })
    expect([wireName(other, 'lms_course_tag'), wireName(other, 'title'), wireName(other, 'alms_tag')]).toEqual([
      'ld_course_tag',
      'title',
      'alms_tag',
    ])
    expect(wireName(site, 'lms_course_tag')).toBe('lms_course_tag')
  })
})

describe('keys', () => {
  it('are read from rows with a valid id only', () => {
    expect([{ id: 5 }, { id: '5' }].map((row) => idOf(row))).toEqual([5, 5])
    for (const id of [0, -1, 1.5, '', 'x', null, undefined, [], {}, true, Number.MAX_VALUE]) expect([id, idOf({ id })]).toEqual([id, null])
  })
})
