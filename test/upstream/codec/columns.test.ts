import { describe, expect, it } from 'vitest'
import * as c from '../../../src/upstream/codec/columns.js'
import { UNDECODABLE } from '../../../src/upstream/codec/kinds.js'
import { defineSite, type Site } from '../../../src/upstream/site/site.js'

const NOT_SENT = 'Null when the site does not send it.'
const NOT_SENT_LIST = 'Null when the site does not send them.'
const NOT_SET = 'Null when not set.'

type Made = c.Column & { readonly cleared?: unknown }

/** For each kind, the description of null, and the encoding of a value and of null; undefined if it is read-only. */
const KINDS: readonly [
  make: (wire: string, meaning: string, options?: c.ColumnOptions) => c.Column,
  kind: string,
  none: string,
  written?: [unknown, unknown, cleared?: unknown],
][] = [
  [c.text, 'text', NOT_SENT, ['a', 'a', '']],
  [c.word, 'word', NOT_SENT, ['a', 'a']],
  [c.html, 'html', NOT_SENT, ['<p>', '<p>', '']],
  [c.plainText, 'plainText', NOT_SENT, ['a', 'a', '']],
  [c.url, 'url', NOT_SENT],
  [c.urlText, 'urlText', NOT_SENT, ['https://a.example', 'https://a.example', '']],
  [c.toggle, 'toggle', 'Null when the site does not send it.', [true, true]],
  [c.integer, 'integer', NOT_SET, [4, 4]],
  [c.decimal, 'decimal', NOT_SET, [4.5, 4.5]],
  [c.reference, 'reference', 'Null when there is none.', [4, 4, 0]],
  [c.references, 'references', NOT_SENT_LIST, [4, 4, []]],
  [c.texts, 'texts', NOT_SENT_LIST],
  [c.commaList, 'commaList', NOT_SENT_LIST, ['a', 'a', '']],
  [c.instant, 'instant', NOT_SENT, ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05', null]],
  [c.localDateTime, 'localDateTime', NOT_SENT, ['2026-01-02T03:04:05', '2026-01-02T03:04:05', null]],
  [c.localDate, 'localDate', NOT_SET, ['2026-01-02', '2026-01-02', '']],
  [c.object, 'object', NOT_SENT, [{ a: 1 }, { a: 1 }]],
  [c.points, 'points', NOT_SET],
  [c.linkList, 'links', ''],
  [c.curieList, 'curies', ''],
]

describe.each(KINDS)('a column', (make, kind, none, written) => {
  it(`of kind ${kind} has a path, a description and a description of null`, () => {
    const column = make('wire', 'Meaning.', { embed: true }) as Made
    expect(column).toMatchObject({ kind, wire: 'wire', meaning: 'Meaning.', embed: true })
    expect(column.description).toBe(`Meaning. ${none}`.trim())
    expect([column.decode(Symbol('odd')), 'none' in column]).toEqual([UNDECODABLE, false])
    expect(make('wire', 'Meaning.', { none: 'None.' }).description).toBe('Meaning. None.')
    expect(make('wire', 'Meaning.', { none: '' }).description).toBe('Meaning.')
    expect(make('wire', 'Meaning.', { otherwise: [] }).description).toBe('Meaning.')
    const forEditors = 'Meaning. Only editors may read it. Others get null and a FORBIDDEN error.'
    expect(make('wire', 'Meaning.', { editOnly: true, none: 'None.' }).description).toBe(forEditors)
  })

  it(`of kind ${kind} is encoded as the interface expects`, () => {
    const column = make('wire', 'Meaning.') as Made
    expect(column.encode?.(written?.[0] as never, {})).toEqual(written?.[1])
    expect([column.encode === undefined, column.cleared]).toEqual([written === undefined, written?.[2]])
    expect((make('wire', 'Meaning.', { cleared: 'x' }) as Made).cleared).toBe('x')
  })
})

it('a word with several spellings is decoded to one, and encoded in the spelling of the site', () => {
  const spelling = (word: string, { payNowSpelling }: Site): string => (word === 'paynow' ? payNowSpelling : word)
  const { decode, encode, spell, ...column } = c.spelled({ buynow: 'paynow' }, spelling, 'type', 'Type.', { none: 'None.', longest: 4 })
  expect(column).toMatchObject({ kind: 'word', wire: 'type', description: 'Type. None.' })
  expect(['buynow', 'open', 'toString', '', 7, []].map((raw) => decode(raw))).toEqual([
    'paynow',
    'open',
    'toString',
    null,
    '7',
    UNDECODABLE,
  ])
  for (const payNowSpelling of ['paynow', 'buynow'] as const) {
    const site = defineSite('http://site.test', { payNowSpelling })
    expect(['paynow', 'buynow', 'open', 'toString'].map((word) => spell?.(word, site))).toEqual([
      payNowSpelling,
      payNowSpelling,
      'open',
      'toString',
    ])
  }
  expect(() => encode?.('opens' as never, column)).toThrow('at most 4')
})

it('a number is not decoded to a word that is spelled in digits', () => {
  expect(['7', 7].map((raw) => c.spelled({ 7: 'seven' }, (word) => word, 'type', 'Type.').decode(raw))).toEqual(['seven', '7'])
})

it('a toggle of two words is decoded from these words only', () => {
  const { decode, ...column } = c.either({ success: true, failed: false }, 'status', 'Whether.')
  expect(column).toMatchObject({ kind: 'toggle', wire: 'status', meaning: 'Whether.' })
  expect(['success', 'failed', 'toString', true, 1].map((raw) => decode(raw))).toEqual([true, false, UNDECODABLE, UNDECODABLE, UNDECODABLE])
  expect(c.either({ true: true }, 'status', 'Whether.').decode(true)).toBe(UNDECODABLE)
})

describe('an enumeration', () => {
  const values: c.Enumeration = {
    name: 'Size',
    description: 'How large.',
    members: { SMALL: { wire: ['small', 's'], description: 'Small.' }, LARGE: { wire: ['large'], description: 'Large.' } },
  }
  const enumeration = () => c.openEnumeration('size', values, 'wire_size', 'How large it is.', { embed: true, none: 'No size.' })

  it('decodes all spellings of its members', () => {
    const raw = ['small', 's', 'large', 'SMALL', 'huge', 5, true, '', false, {}, []]
    const read = ['SMALL', 'SMALL', 'LARGE', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', null, null, UNDECODABLE, UNDECODABLE]
    const { size } = enumeration()
    expect(raw.map((each) => size.decode(each))).toEqual(read)
    expect(size).toMatchObject({ kind: 'enumeration', wire: 'wire_size', description: 'How large it is. No size.', embed: true, values })
    const { plain } = c.openEnumeration('plain', values, 'wire', 'How large it is.')
    expect(plain.description).toBe('How large it is. Null when not set.')
  })

  it('encodes the first spelling', () => {
    const { size } = enumeration()
    expect(['SMALL', 'LARGE', 'UNKNOWN'].map((member) => size.encode?.(member as never, {}))).toEqual(['small', 'large', undefined])
  })

  it('has a read-only column with the text of the site', () => {
    const { sizeValue } = enumeration()
    expect(sizeValue).toMatchObject({ kind: 'word', wire: 'wire_size', readOnly: true, embed: true })
    const sent = 'The unchanged text that the site sent for `size`, also when that is UNKNOWN. Null when the site sent no text.'
    expect([sizeValue.description, sizeValue.decode('huge')]).toEqual([sent, 'huge'])
  })
})

it('a list of records is decoded as a list', () => {
  const members = { name: 'Part', description: 'One.', columns: {} }
  const column = c.records(members, 'parts', 'Parts.', { heavy: true })
  expect(column).toMatchObject({ kind: 'records', wire: 'parts', description: `Parts. ${NOT_SENT_LIST}`, members, heavy: true })
  expect([column.decode([{}]), column.decode({}), column.decode('')]).toEqual([[{}], UNDECODABLE, UNDECODABLE])
})
