import type { Site } from '../site/site.js'
import type { Bounds, Encode } from './encoders.js'
import * as encoders from './encoders.js'
import * as kinds from './kinds.js'
import { curies, links, methods } from './links.js'

const NOT_SENT = 'Null when the site does not send it.'
const NOT_SENT_LIST = 'Null when the site does not send them.'
const NOT_SET = 'Null when not set.'

/**
 * Each kind of column: how it is decoded, the meaning of null for clients and, if it can be written, how it is encoded (each item of a list by
 * itself) and what is written for null (`cleared`). `graph/kit/expose.ts` has the GraphQL types.
 */
const KINDS = {
  text: { decode: kinds.text, none: NOT_SENT, encode: encoders.text, cleared: '' },
  word: { decode: kinds.word, none: NOT_SENT, encode: encoders.text },
  html: { decode: kinds.html, none: NOT_SENT, encode: encoders.text, cleared: '' },
  plainText: { decode: kinds.plainText, none: NOT_SENT, encode: encoders.text, cleared: '' },
  url: { decode: kinds.url, none: NOT_SENT },
  urlText: { decode: kinds.urlText, none: NOT_SENT, encode: encoders.urlText, cleared: '' },
  toggle: { decode: kinds.toggle, none: 'Null when the site does not send it.', encode: encoders.asIs },
  integer: { decode: kinds.integer, none: NOT_SET, encode: encoders.number },
  decimal: { decode: kinds.decimal, none: NOT_SET, encode: encoders.number },
  reference: { decode: kinds.reference, none: 'Null when there is none.', encode: encoders.reference, cleared: 0 },
  references: { decode: kinds.references, none: NOT_SENT_LIST, encode: encoders.reference, cleared: [] },
  texts: { decode: kinds.texts, none: NOT_SENT_LIST },
  commaList: { decode: kinds.commaList, none: NOT_SENT_LIST, encode: encoders.listed, cleared: '' },
  instant: { decode: kinds.instant, none: NOT_SENT, encode: encoders.instant, cleared: null },
  timestamp: { decode: kinds.timestamp, none: NOT_SET },
  timestampOrText: { decode: kinds.timestampOrText, none: NOT_SET },
  localDateTime: { decode: kinds.localDateTime, none: NOT_SENT, encode: encoders.localDateTime, cleared: null },
  localDate: { decode: kinds.localDate, none: NOT_SET, encode: encoders.localDate, cleared: '' },
  object: { decode: kinds.object, none: NOT_SENT, encode: encoders.asIs },
  points: { decode: kinds.points, none: NOT_SET },
  links: { decode: links, none: '' },
  methods: { decode: methods, none: NOT_SENT_LIST },
  curies: { decode: curies, none: '' },
} as const satisfies Record<string, { decode: kinds.Decode<unknown>; none: string; encode?: Encode; cleared?: unknown }>

export type KindName = keyof typeof KINDS | 'enumeration' | 'records'

export interface ColumnOptions extends Bounds {
  /** Sent by the site only with `context=edit`. */
  readonly editOnly?: boolean
  /** Read for computed fields only: the graph has no field for it. */
  readonly hidden?: boolean
  /** Also sent with `context=embed`. */
  readonly embed?: boolean
  /** Large: read separately when only some records of a batch need it. */
  readonly heavy?: boolean
  /** Hidden by a post password in `context=view` but not in `edit`, so it is never read in `edit`. Wire name of the flag that says so. */
  readonly guarded?: string
  /** Whether the object of a member is requested as a whole, because sites cannot limit it to members. */
  readonly whole?: boolean
  /** Wire name of the column whose value replaces a missing one. */
  readonly fallback?: string
  /** Another value of the row that the value depends on: its wire name, and what the two mean on a site. It is read also where the value is unusable. */
  readonly beside?: { readonly wire: string; readonly decide: (value: unknown, other: unknown, site: Site) => unknown }
  /** Default for an absent value: the column is never null. */
  readonly otherwise?: unknown
  /** The meaning of null in one sentence, if it differs from the kind. */
  readonly none?: string
  /** Not part of any input. */
  readonly readOnly?: boolean
  /** Description in inputs, if what is written differs from what is read. */
  readonly input?: string
  /** Type of the referenced records. Inputs accept their global ids. */
  readonly of?: string
  /** What is written for null, if it differs from the kind. */
  readonly cleared?: unknown
  /** Inputs reject null, although the kind could be cleared. */
  readonly required?: boolean
  /** Column that can't be written in the same input. */
  readonly excludes?: string
  /** Returns the site's spelling of a word that is written. */
  readonly spell?: (word: string, site: Site) => string
  /** Written as text, although read as a number. */
  readonly asText?: boolean
}

/** One column of a record: its name on the wire, kind and meaning. */
export interface Column<T = unknown> extends ColumnOptions {
  readonly kind: KindName
  /** Name in the specification. A dot separates the name of a member. */
  readonly wire: string
  /** Meaning and unit. */
  readonly meaning: string
  /** Meaning, unit and the meaning of null: the description in the schema. */
  readonly description: string
  readonly decode: kinds.Decode<T>
  /** Undefined for a kind that is never written. */
  readonly encode?: Encode
  /** Name and members of an enumeration. */
  readonly values?: Enumeration
  /** Type name and columns of a list of records. */
  readonly members?: { readonly name: string; readonly description: string; readonly columns: Columns }
}

export type Columns = Readonly<Record<string, Column>>

const EDITORS_ONLY = 'Only editors may read it. Others get null and a FORBIDDEN error.'

/** Adds the meaning of null to the description of a column. */
function described(kind: KindName, wire: string, meaning: string, none: string, options: ColumnOptions) {
  const nothing = options.editOnly ? EDITORS_ONLY : options.otherwise === undefined ? (options.none ?? none) : ''
  return { kind, wire, meaning, description: nothing === '' ? meaning : `${meaning} ${nothing}`, ...options }
}

const column =
  <T>(
    kind: KindName,
    { none, ...codec }: { readonly decode: kinds.Decode<T>; readonly none: string; readonly encode?: Encode; readonly cleared?: unknown },
  ) =>
  (wire: string, meaning: string, options: ColumnOptions = {}): Column<T> => ({
    ...codec,
    ...described(kind, wire, meaning, none, options),
  })

/** One function per kind: `text('course_price', 'What it means.')` returns a column. */
export const text = column('text', KINDS.text)
export const word = column('word', KINDS.word)
export const html = column('html', KINDS.html)
export const plainText = column('plainText', KINDS.plainText)
export const url = column('url', KINDS.url)
export const urlText = column('urlText', KINDS.urlText)
export const toggle = column('toggle', KINDS.toggle)
export const integer = column('integer', KINDS.integer)
export const decimal = column('decimal', KINDS.decimal)
export const reference = column('reference', KINDS.reference)
export const references = column('references', KINDS.references)
export const texts = column('texts', KINDS.texts)
export const commaList = column('commaList', KINDS.commaList)
export const instant = column('instant', KINDS.instant)
export const timestamp = column('timestamp', KINDS.timestamp)
export const timestampOrText = column('timestampOrText', KINDS.timestampOrText)
export const localDateTime = column('localDateTime', KINDS.localDateTime)
export const localDate = column('localDate', KINDS.localDate)
export const object = column('object', KINDS.object)
export const points = column('points', KINDS.points)
export const linkList = column('links', KINDS.links)
export const methodList = column('methods', KINDS.methods)
export const curieList = column('curies', KINDS.curies)

/**
 * A word with several spellings. `spellings` maps spellings on the wire to the one in the graph; `spelling` returns the spelling that a site
 * accepts. Other words are unchanged.
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

/** Text whose entities are decoded unless the flag `isHtml` says that it is HTML. */
export const textOrHtml = (wire: string, isHtml: string, meaning: string): Column<string> => ({
  ...text(wire, meaning),
  beside: { wire: isHtml, decide: (value, flag) => (kinds.toggle(flag) === true ? value : kinds.withoutEntities(value)) },
})

/** A moment in UTC: from a time in GMT that some sites send, or from the local time where the time zone of the site is known. The time stamp 0 is none. */
export const moment = (wire: string, gmt: string, meaning: string, options: ColumnOptions): Column<string> => ({
  ...timestamp(wire, meaning, options),
  decode: kinds.localDateTime,
  beside: {
    wire: gmt,
    decide: (local, sent, { timeZone }) => kinds.unlessZero(kinds.instant(sent ?? '') ?? kinds.momentIn(timeZone, local)),
  },
})

/** A Boolean that the site sends as one of two words. */
export const either = (words: Readonly<Record<string, boolean>>, wire: string, meaning: string): Column<boolean> => ({
  ...toggle(wire, meaning),
  decode: (raw) => (typeof raw === 'string' && Object.hasOwn(words, raw) ? (words[raw] as boolean) : kinds.UNDECODABLE),
})

/** An open enumeration: the spellings of each member, the first of which is written. Other values are read as `UNKNOWN`. */
export interface Enumeration {
  readonly name: string
  readonly description: string
  readonly members: Readonly<
    Record<string, { readonly wire: readonly string[]; readonly description: string; readonly readOnly?: boolean }>
  >
}

export const UNKNOWN = 'UNKNOWN'

/** A column whose value is a member of an enumeration. */
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

/** An object with one property, whose name keeps its literal type. The cast: TypeScript widens the types of computed names. */
export const named = <N extends string, T>(name: N, value: T): Record<N, T> => ({ [name]: value }) as Record<N, T>

/** Two columns: the enumeration, and as `<name>Value` the text that the site sent. */
export function openEnumeration<N extends string>(
  name: N,
  values: Enumeration,
  wire: string,
  meaning: string,
  options: ColumnOptions = {},
): Record<N, Column<string>> & Record<`${N}Value`, Column<string>> {
  const sent = `The unchanged text that the site sent for \`${name}\`, also when that is UNKNOWN.`
  return {
    ...named(name, enumeration(values, wire, meaning, options)),
    ...named(`${name}Value`, word(wire, sent, { ...options, none: 'Null when the site sent no text.', readOnly: true })),
  }
}

/** A column with a list of objects that have columns of their own. */
export function records(
  members: NonNullable<Column['members']>,
  wire: string,
  meaning: string,
  options: ColumnOptions = {},
): Column<readonly object[]> {
  const decode: kinds.Decode<readonly object[]> = (raw) => (Array.isArray(raw) ? raw : kinds.UNDECODABLE)
  return { ...described('records', wire, meaning, NOT_SENT_LIST, options), members, decode }
}
