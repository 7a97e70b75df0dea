import type { Site } from '../site/site.js'
import type { Bounds, Encode } from './encoders.js'
import * as encoders from './encoders.js'
import * as kinds from './kinds.js'
import { curies, links } from './links.js'

const NOT_SENT = 'Null when the site does not send it.'
const NOT_SENT_LIST = 'Null when the site does not send them.'
const NOT_SET = 'Null when not set.'

/**
 * Each kind of column: how it is read, what null says to those who read it, and, where it can be written, how, and what is written
 * for null. `graph/expose.ts` has its GraphQL types.
 */
const KINDS = {
  text: { decode: kinds.text, none: NOT_SENT, encode: encoders.text, cleared: '' },
  word: { decode: kinds.word, none: NOT_SENT, encode: encoders.text },
  html: { decode: kinds.html, none: NOT_SENT, encode: encoders.text, cleared: '' },
  plainText: { decode: kinds.plainText, none: NOT_SENT, encode: encoders.text, cleared: '' },
  url: { decode: kinds.url, none: NOT_SENT },
  urlText: { decode: kinds.urlText, none: NOT_SENT, encode: encoders.urlText, cleared: '' },
  toggle: { decode: kinds.toggle, none: 'Null when the site does not say.', encode: encoders.asIs },
  integer: { decode: kinds.integer, none: NOT_SET, encode: encoders.number },
  decimal: { decode: kinds.decimal, none: NOT_SET, encode: encoders.number },
  reference: { decode: kinds.reference, none: 'Null when there is none.', encode: encoders.reference, cleared: 0 },
  references: { decode: kinds.references, none: NOT_SENT_LIST, encode: encoders.references, cleared: [] },
  texts: { decode: kinds.texts, none: NOT_SENT_LIST },
  commaList: { decode: kinds.commaList, none: NOT_SENT_LIST, encode: encoders.commaList, cleared: '' },
  instant: { decode: kinds.instant, none: NOT_SENT, encode: encoders.instant, cleared: null },
  localDateTime: { decode: kinds.localDateTime, none: NOT_SENT, encode: encoders.localDateTime, cleared: null },
  localDate: { decode: kinds.localDate, none: NOT_SET, encode: encoders.localDate, cleared: '' },
  object: { decode: kinds.object, none: NOT_SENT, encode: encoders.asIs },
  points: { decode: kinds.points, none: NOT_SET },
  links: { decode: links, none: '' },
  curies: { decode: curies, none: '' },
} as const satisfies Record<string, { decode: kinds.Decode<unknown>; none: string; encode?: Encode; cleared?: unknown }>

export type KindName = keyof typeof KINDS | 'enumeration' | 'records'

export interface ColumnOptions extends Bounds {
  /** Sent only with `context=edit`. */
  readonly editOnly?: boolean
  /** Also sent with `context=embed`. */
  readonly embed?: boolean
  /** Large: read apart from the light columns when only some records of a batch need it. */
  readonly heavy?: boolean
  /** Hidden by a post password in `context=view`, but not in `edit`: never read in `edit`, whatever else is. Names the flag that tells so. */
  readonly guarded?: string
  /** Name in the specification of the column that stands in for a missing value. */
  readonly fallback?: string
  /** Never null: an absent value becomes this. */
  readonly otherwise?: unknown
  /** What null says, in one sentence, where it is not what the kind says. */
  readonly none?: string
  /** Never written: no input has it. */
  readonly readOnly?: boolean
  /** What inputs say of it, where what is written is not what is read. */
  readonly input?: string
  /** Type of the records a reference leads to: inputs take their ids. */
  readonly of?: string
  /** What is written for null, where it is not what the kind writes. */
  readonly cleared?: unknown
  /** Inputs refuse null, though the kind could be cleared. */
  readonly required?: boolean
  /** Column that can't be written together with this one. */
  readonly excludes?: string
  /** The site's spelling of a word that is written. */
  readonly spell?: (word: string, site: Site) => string
  /** Written as text, though read as a number. */
  readonly asText?: boolean
}

/** One column of a record: where it stands on the wire, of which kind it is, and what it means. */
export interface Column<T = unknown> extends ColumnOptions {
  readonly kind: KindName
  /** Name in the specification; a dot leads to a member. */
  readonly wire: string
  /** Meaning and unit. */
  readonly meaning: string
  /** The same with what null says, for people who read the schema. */
  readonly description: string
  readonly decode: kinds.Decode<T>
  /** Nothing for a kind that is never written. */
  readonly encode?: Encode
  /** For an enumeration: its name and members. */
  readonly values?: Enumeration
  /** For a list of records: their type name and columns. */
  readonly members?: { readonly name: string; readonly description: string; readonly columns: Columns }
}

export type Columns = Readonly<Record<string, Column>>

type Kinds = typeof KINDS
type Decoded<K extends keyof Kinds> = Kinds[K]['decode'] extends kinds.Decode<infer T> ? T : never

const EDITORS_ONLY = 'Only editors may read it: others get null and a FORBIDDEN error.'

/** Names, meaning and options of a column in one. */
function described(kind: KindName, wire: string, meaning: string, none: string, options: ColumnOptions) {
  const nothing = options.editOnly ? EDITORS_ONLY : options.otherwise === undefined ? (options.none ?? none) : ''
  return { kind, wire, meaning, description: nothing === '' ? meaning : `${meaning} ${nothing}`, ...options }
}

const column =
  <K extends keyof Kinds>(kind: K) =>
  (wire: string, meaning: string, options: ColumnOptions = {}): Column<Decoded<K>> => {
    const { none, ...made } = KINDS[kind]
    return { ...made, ...described(kind, wire, meaning, none, options) } as unknown as Column<Decoded<K>>
  }

/** Makers of columns, one per kind: `text('course_price', 'What it means.')`. */
export const text = column('text')
export const word = column('word')
export const html = column('html')
export const plainText = column('plainText')
export const url = column('url')
export const urlText = column('urlText')
export const toggle = column('toggle')
export const integer = column('integer')
export const decimal = column('decimal')
export const reference = column('reference')
export const references = column('references')
export const texts = column('texts')
export const commaList = column('commaList')
export const instant = column('instant')
export const localDateTime = column('localDateTime')
export const localDate = column('localDate')
export const object = column('object')
export const points = column('points')
export const linkList = column('links')
export const curieList = column('curies')

/**
 * Words that sites spell in several ways: `spellings` maps a spelling on the wire to the one used here, `spelling` returns the one a site
 * takes. Other words stay as they are.
 */
export const spelled = (
  spellings: Readonly<Record<string, string>>,
  spelling: (word: string, site: Site) => string,
  wire: string,
  meaning: string,
  options: ColumnOptions = {},
): Column<string> => {
  const known = (raw: string): string | undefined => (Object.hasOwn(spellings, raw) ? spellings[raw] : undefined)
  return {
    ...word(wire, meaning, options),
    decode: (raw) => (typeof raw === 'string' ? known(raw) : undefined) ?? kinds.word(raw),
    spell: (given, site) => spelling(known(given) ?? given, site),
  }
}

/** A toggle the site writes as one of two words. */
export const either = (words: Readonly<Record<string, boolean>>, wire: string, meaning: string): Column<boolean> => ({
  ...toggle(wire, meaning),
  decode: (raw) => (typeof raw === 'string' && Object.hasOwn(words, raw) ? (words[raw] as boolean) : kinds.UNDECODABLE),
})

/** An open enumeration: the site's spellings of each member, the first of which is written. What is none of them is `UNKNOWN`. */
export interface Enumeration {
  readonly name: string
  readonly description: string
  readonly members: Readonly<
    Record<string, { readonly wire: readonly string[]; readonly description: string; readonly readOnly?: boolean }>
  >
}

export const UNKNOWN = 'UNKNOWN'

/** A column whose text is one of an enumeration's members. */
function enumeration(values: Enumeration, wire: string, meaning: string, options: ColumnOptions = {}): Column<string> {
  const byWire = new Map(
    Object.entries(values.members).flatMap(([name, member]) => member.wire.map((spelling) => [spelling, name] as const)),
  )
  const decode: kinds.Decode<string> = (raw) => {
    if (raw === '' || raw === false) return null
    if (typeof raw !== 'string') return typeof raw === 'object' ? kinds.UNDECODABLE : UNKNOWN
    return byWire.get(raw) ?? UNKNOWN
  }
  const encode = (member: string) => values.members[member]?.wire[0]
  return { ...described('enumeration', wire, meaning, NOT_SET, options), decode, encode, values }
}

/** An enumeration and, beside it under `<name>Value`, the text the site sent. */
export function openEnumeration<N extends string>(
  name: N,
  values: Enumeration,
  wire: string,
  meaning: string,
  options: ColumnOptions = {},
): Record<N, Column<string>> & Record<`${N}Value`, Column<string>> {
  const sent = `What the site sent for \`${name}\`, as it is; tells more where that is UNKNOWN.`
  return {
    [name]: enumeration(values, wire, meaning, options),
    [`${name}Value`]: word(wire, sent, { ...options, none: 'Null when it sent nothing.', readOnly: true }),
  } as Record<N, Column<string>> & Record<`${N}Value`, Column<string>>
}

/** A list of objects inside a record, each with columns of its own. */
export function records(
  members: NonNullable<Column['members']>,
  wire: string,
  meaning: string,
  options: ColumnOptions = {},
): Column<readonly object[]> {
  const decode: kinds.Decode<readonly object[]> = (raw) => (Array.isArray(raw) ? raw : kinds.UNDECODABLE)
  return { ...described('records', wire, meaning, NOT_SENT_LIST, options), members, decode }
}
