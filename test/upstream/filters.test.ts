import { describe, expect, it } from 'vitest'
import { BadInputError } from '../../src/upstream/errors.js'
import { type Filters, type Narrowing, narrow, type Ordering } from '../../src/upstream/filters.js'

const filters = {
  id: { kind: 'ids', of: 'Book', param: 'include', notIn: 'exclude', description: '' },
  genre: { kind: 'terms', param: 'genre', notIn: 'genre_exclude', description: '' },
  slug: { kind: 'texts', param: 'slug', description: '' },
  search: { kind: 'text', param: 'search', description: '' },
  shelf: { kind: 'id', of: 'Shelf', param: 'shelf', description: '' },
  row: { kind: 'id', of: 'Row', param: 'row', needs: 'shelf', description: '' },
  noRow: { kind: 'flag', param: 'row', on: '0', needs: 'shelf', description: '' },
} as const satisfies Filters

type Given = Partial<Record<keyof typeof filters, Omit<Narrowing, 'filter'>>>

const narrowed = (given: Given, ordering: Ordering | null = null, fixed: readonly string[] = []) =>
  narrow(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { filter: filters[name as keyof typeof filters], ...value }])),
    ordering,
    fixed,
  )

const by = (name: string, needs?: string): Ordering => ({
  name,
  order: { wire: name.toLowerCase(), description: '', ...(needs ? { needs } : {}) },
  direction: 'desc',
})

describe('narrow', () => {
  it('turns filters and order into parameters, and adds no others', () => {
    expect(narrowed({})).toEqual({})
    expect(narrowed({ id: { in: [3, 1] }, search: { value: 'a b' } })).toEqual({ include: [3, 1], search: 'a b' })
    expect(narrowed({ id: { notIn: [2] } })).toEqual({ exclude: [2] })
    expect(narrowed({ shelf: { value: 7 }, row: { value: 8 } })).toEqual({ shelf: 7, row: 8 })
    expect(narrowed({ slug: { in: ['a'] } }, by('TITLE'))).toEqual({ slug: ['a'], orderby: 'title', order: 'desc' })
  })

  it('treats an empty `in` as a match for nothing, and an empty `notIn` as no filter', () => {
    expect(narrowed({ id: { in: [] } })).toBeNull()
    expect(narrowed({ slug: { in: [] }, search: { value: 'x' } })).toBeNull()
    expect(narrowed({ id: { notIn: [] } })).toEqual({})
  })

  it('subtracts ids, and sends both lists of terms', () => {
    expect(narrowed({ id: { in: [3, 1, 2], notIn: [2, 9] } })).toEqual({ include: [3, 1] })
    expect(narrowed({ id: { in: [3], notIn: [3] }, search: { value: 'x' } })).toBeNull()
    expect(narrowed({ genre: { in: [3, 2], notIn: [2] } })).toEqual({ genre: [3, 2], genre_exclude: [2] })
  })

  it('refuses a filter or an order without the arguments it needs', () => {
    expect(() => narrowed({ row: { value: 8 } })).toThrow(new BadInputError('`where.row` requires `where.shelf`.'))
    expect(narrowed({ row: { value: 8 } }, null, ['shelf'])).toEqual({ row: 8 })
    expect(() => narrowed({}, by('INCLUDE', 'id.in'))).toThrow('`orderBy.field: INCLUDE` requires `where.id.in`.')
    expect(() => narrowed({ id: { notIn: [1] } }, by('INCLUDE', 'id.in'))).toThrow('requires `where.id.in`')
    expect(() => narrowed({}, by('RELEVANCE', 'search'))).toThrow('requires `where.search`')
    expect(narrowed({ id: { in: [1] } }, by('INCLUDE', 'id.in'))).toEqual({ include: [1], orderby: 'include', order: 'desc' })
    expect(narrowed({ search: { value: 'x' } }, by('RELEVANCE', 'search'))).toEqual({ search: 'x', orderby: 'relevance', order: 'desc' })
  })

  it('refuses two filters of one parameter, and too many values', () => {
    expect(() => narrowed({ shelf: { value: 7 }, row: { value: 8 }, noRow: { value: '0' } })).toThrow(
      "`where.noRow` can't be combined with another filter",
    )
    const many = Array.from({ length: 501 }, (_, i) => i + 1)
    expect(() => narrowed({ id: { in: many } })).toThrow('`where.id` holds 501 values; at most 500 are allowed.')
    expect(() => narrowed({ id: { notIn: many } })).toThrow('at most 500')
    expect(narrowed({ id: { in: many.slice(1) } })?.include).toHaveLength(500)
  })
})
