import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import * as c from '../../../src/upstream/codec/columns.js'
import { contextFor, covers, NO_COLUMNS, Projections, type RepairEvents, repairsOf, Shape } from '../../../src/upstream/codec/records.js'
import { defineSite, type Site } from '../../../src/upstream/site/site.js'

let thing: Shape
beforeEach(() => {
  thing = new Shape('Thing', {
    id: c.reference('id', 'Id.', { embed: true }),
    title: c.plainText('title.rendered', 'Title.', { embed: true }),
    titleRaw: c.text('title.raw', 'Title as written.', { editOnly: true }),
    content: c.html('content', 'Text.', { heavy: true, guarded: 'content.protected' }),
    slug: c.word('slug', 'Slug.'),
    name: c.word('name', 'Name.', { fallback: 'slug' }),
    size: c.integer('lms_size', 'Size.', { otherwise: 7 }),
    parts: c.records(
      { name: 'Part', description: 'One.', columns: { label: c.text('label', 'Label.'), weight: c.integer('w', 'W.') } },
      'parts',
      'Parts.',
    ),
  })
})

const site = (names: Partial<Omit<Site, 'url'>> = {}): Site => defineSite('http://site.example', names)

/** The decoded row, and the columns that could not be decoded. */
function read(row: Record<string, unknown>, names: readonly string[], on = site()) {
  const told: string[] = []
  const projections = new Projections(
    on,
    new EventEmitter<RepairEvents>().on('repair', (shape, column) => told.push(`${shape}.${column}`)),
  )
  const record: Record<string, unknown> = {}
  projections.of(thing, thing.set(names), []).decode(row, record)
  return { record, told, repairs: [...(repairsOf(record) ?? [])] }
}

const filterOf = (names: readonly string[], also: readonly string[] = [], on = site()) =>
  new Projections(on).of(thing, thing.set(names), also).filter

describe('sets of columns', () => {
  it('hold their columns', () => {
    expect(thing.list(thing.editOnly)).toEqual(['titleRaw'])
    expect(thing.list(thing.heavy)).toEqual(['content'])
    expect(thing.list(thing.guarded)).toEqual(['content'])
    expect(thing.list(thing.embed)).toEqual(['id', 'title'])
    expect(thing.list(thing.set(['slug', 'nonsense', 'id']))).toEqual(['id', 'slug'])
    expect([thing.bit('nonsense'), thing.set([]), thing.list(NO_COLUMNS)]).toEqual([NO_COLUMNS, NO_COLUMNS, []])
  })

  it('cover the sets they contain', () => {
    const [id, both] = [thing.set(['id']), thing.set(['id', 'slug'])]
    expect([covers(both, id), covers(id, id), covers(id, NO_COLUMNS), covers(id, both), covers(NO_COLUMNS, id)]).toEqual([
      ...[true, true, true],
      ...[false, false],
    ])
  })

  it('can be converted to another shape', () => {
    const view = new Shape('View', { slug: c.word('s', 'S.'), title: c.word('t', 'T.'), more: c.word('m', 'M.') }, thing.names)
    expect([view.names, view.bit('slug'), view.bit('more')]).toEqual([['title', 'slug'], thing.bit('slug'), NO_COLUMNS])
  })

  it('omit columns that a site lacks', () => {
    expect(thing.list(thing.carried(site()))).toEqual(thing.names)
    const poor = site({ missingColumns: ['Thing.slug', 'Thing.name', 'Other.size'] })
    expect(thing.list(thing.carried(poor))).toEqual(['id', 'title', 'titleRaw', 'content', 'size', 'parts'])
    expect(thing.carried(poor)).toBe(thing.carried(poor))
  })

  it('can be read from a row', () => {
    const shown = (row: Record<string, unknown>, on = site()) => thing.list(thing.shownBy(row, on))
    expect(shown({ id: null, title: { raw: 'x' }, slug: '' })).toEqual(['id', 'titleRaw', 'slug'])
    expect(shown({ title: 'x', parts: [] })).toEqual(['parts'])
    expect(shown({ lms_size: 3 })).toEqual(['size'])
    expect(shown({ ld_size: 3, lms_size: 4 }, site({ termPrefix: 'ld_' }))).toEqual(['size'])
    expect(shown({ ld_size: 3 })).toEqual([])
  })

  it('hold guarded columns only when the record has no password', () => {
    const shown = (protectedBy: unknown) => thing.list(thing.shownBy({ content: { rendered: '', protected: protectedBy } }, site()))
    expect([shown(false), shown(true), shown(undefined)]).toEqual([['content'], [], []])
  })
})

describe('the context', () => {
  it.each([
    ['embed', {}, ['id', 'title']],
    ['view', {}, ['id', 'slug']],
    ['view', { viewOnly: ['Thing'] }, ['id']],
    ['embed', { viewOnly: ['Other'] }, ['id']],
    ['view', { fieldFilter: '_fields' }, ['id']],
  ])('is %s on a site with %j for %j', (context, names, columns) => {
    expect(contextFor(site({ fieldFilter: null, ...names }), thing, thing.set(columns))).toBe(context)
  })
})

describe('a field filter', () => {
  it('has the wire names once, sorted, in the spelling of the site', () => {
    expect(filterOf(['slug', 'id', 'name'], ['id'])).toEqual(['id', 'name', 'slug'])
    expect(filterOf(['size'], ['lms_key'], site({ termPrefix: 'ld_' }))).toEqual(['ld_key', 'ld_size'])
    expect(filterOf([])).toEqual([])
  })

  it('has a member only when its parent is absent', () => {
    expect(filterOf(['title', 'titleRaw'])).toEqual(['title.raw', 'title.rendered'])
    expect(filterOf(['title', 'slug'], ['title', 'slug'])).toEqual(['slug', 'title'])
  })

  it('omits names that mean something else on the site', () => {
    const on = site({ unusableColumns: ['Thing.slug', 'Other.id'] })
    expect(filterOf(['id', 'slug'], [], on)).toEqual(['id'])
    expect(read({ id: 1, slug: 'x' }, ['id', 'slug'], on)).toEqual({ record: { id: 1, slug: null }, told: [], repairs: [] })
  })
})

describe('a row', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['a member', { title: { rendered: 'a &amp; b' } }, { title: 'a & b', titleRaw: null }],
    ['both members', { title: { rendered: 'a', raw: 'b' } }, { title: 'a', titleRaw: 'b' }],
    ['text where an object was meant', { title: 'a' }, { title: 'a', titleRaw: null }],
    ['a number where an object was meant', { title: 5 }, { title: null, titleRaw: null }],
    ['null where an object was meant', { title: null }, { title: null, titleRaw: null }],
    ['a list where an object was meant', { title: ['a'] }, { title: null, titleRaw: null }],
    ['nothing', {}, { title: null, titleRaw: null }],
  ])('is decoded from %s', (_, row, record) => {
    expect(read(row, ['title', 'titleRaw'])).toEqual({ record, told: [], repairs: [] })
  })

  it.each<[Record<string, unknown>, unknown]>([
    [{ name: 'A', slug: 'a' }, 'A'],
    [{ name: '', slug: 'a' }, 'a'],
    [{ name: null, slug: 'a' }, 'a'],
    [{ slug: 'a' }, 'a'],
    [{ name: '', slug: '' }, null],
    [{ name: 'A' }, 'A'],
    [{}, null],
  ])('falls back on another column: %j', (row, name) => {
    expect(read(row, ['name']).record).toEqual({ name })
    expect(filterOf(['name'])).toEqual(['name', 'slug'])
  })

  it.each<[Record<string, unknown>, number]>([
    [{ lms_size: 3 }, 3],
    [{ lms_size: 0 }, 0],
    [{ lms_size: '' }, 7],
    [{ lms_size: null }, 7],
    [{}, 7],
  ])('has a default in place of null: %j', (row, size) => {
    expect(read(row, ['size'])).toEqual({ record: { size }, told: [], repairs: [] })
    if (row.lms_size === 3) expect(read({ ld_size: 4, ...row }, ['size'], site({ termPrefix: 'ld_' })).record).toEqual({ size: 4 })
  })

  it('counts values that cannot be decoded, and keeps their errors', () => {
    const { record, told, repairs } = read({ id: 'x', slug: [], lms_size: 'big', name: 'A' }, ['id', 'slug', 'size', 'name'])
    expect(record).toEqual({ id: null, slug: null, size: 7, name: 'A' })
    expect(told).toEqual(['Thing.id', 'Thing.slug', 'Thing.size'])
    expect(repairs).toEqual(['id', 'slug', 'size'])
    expect(repairsOf({})).toBeUndefined()
    const untold: Record<string, unknown> = {}
    new Projections(site()).of(thing, thing.set(['id']), []).decode({ id: 'x' }, untold)
    expect(untold).toEqual({ id: null })
  })

  it('has nested records, and ignores items that are not objects', () => {
    expect(read({ parts: [{ label: 'a', w: '2' }, 5, { label: [], w: 1 }] }, ['parts'])).toEqual({
      record: {
        parts: [
          { label: 'a', weight: 2 },
          { label: null, weight: 1 },
        ],
      },
      told: ['Part.', 'Part.label'],
      repairs: [],
    })
    expect(read({ parts: {} }, ['parts'])).toEqual({ record: { parts: null }, told: ['Thing.parts'], repairs: ['parts'] })
    expect(read({}, ['parts']).record).toEqual({ parts: null })
  })
})

describe('projections', () => {
  it('are made once for each set of columns, and kept in a bounded number', () => {
    const many = new Shape('Many', Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`c${i}`, c.integer(`c${i}`, 'C.')])))
    const projections = new Projections(site())
    const first = projections.of(many, 1n, [])
    expect(projections.of(many, 1n, [])).toBe(first)
    expect(projections.of(thing, 1n, []).filter).toEqual(['id'])
    for (let columns = 2n; columns <= 500n; columns++) projections.of(many, columns, [])
    expect(projections.of(many, 1n, [])).toBe(first)
    projections.of(many, 501n, [])
    expect(projections.of(many, 1n, [])).not.toBe(first)
  })
})
