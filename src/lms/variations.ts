import { KINDS, type Leaf, type Maker } from './kinds.js'
import type { Field, Resource, Variation } from './spec/index.js'
import { parseInstant } from './time.js'

/** The value as a site writes it, made from that of its kind and the record's id: each record always the same way. */
type Vary = (value: any, id: number) => unknown

/** One of this many records was never saved by the LMS itself. */
const UNSAVED_EVERY = 7

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0
const even = (id: number): boolean => id % 2 === 0

/** A day as seconds since 1970, at noon. */
const seconds = (day: string): number => Date.parse(`${day}T12:00:00Z`) / 1000

function looseDate(day: string, id: number): unknown {
  if (day === '') return even(id) ? '0' : ''
  return even(id) ? seconds(day) : day
}

/** One function for each way in which sites write the same value otherwise. */
const VARIATIONS: Readonly<Record<Variation, Vary>> = {
  blankUnset: (value) => value ?? '',
  emptyList: (value) => (isEmpty(value) ? [] : value),
  gradedText: (answers) => answers.map((answer: { _graded: boolean }) => (answer._graded ? { ...answer, _graded: '1' } : answer)),
  hyphens: (text) => text.replaceAll('_', '-'),
  looseDate,
  looseIds: (ids, id) => (ids.length === 0 ? ['', [''], []][id % 3] : even(id) ? ids.map(String) : ids),
  looseNumber: (digits, id) => (digits === '' || even(id) ? digits : Number(digits)),
  /** What is on stays text. */
  looseOff: (toggle, id) => (toggle === '' && even(id) ? false : toggle),
  loosePrice: (text, id) => (even(id) && text !== '' && String(Number(text)) === text ? Number(text) : text),
  looseToggle: (toggle, id) => (even(id) ? toggle !== '' : toggle),
  looseZero: (number, id) => (number === 0 && even(id) ? '0' : number),
  unsaved: (value, id) => (id % UNSAVED_EVERY === 0 ? '' : value),
  utc: (text) => (text === null ? null : (parseInstant(text) ?? text)),
  zero: () => 0,
}

const idColumn = ({ table }: Resource): string => (table === 'progress' ? 't.course' : 't.id')

/** How a field is made on the wire, as its kind says and its variations change it. */
export function makerOf(field: Field, resource: Resource): Maker {
  const maker = KINDS[field.kind](field, resource)
  if (!field.variations?.length || 'members' in maker) return maker
  return varied(
    maker,
    field.variations.map((name) => VARIATIONS[name]),
    idColumn(resource),
  )
}

function varied({ columns, encode }: Leaf, variations: readonly Vary[], id: string): Leaf {
  const last = columns.length
  return {
    columns: [...columns, id],
    encode: (row, at, env) => variations.reduce((value, vary) => vary(value, Number(row[at + last])), encode(row, at, env)),
  }
}
