import * as kinds from './kinds.js'
import { curies, links } from './links.js'

/** How a kind of column is read, and the name under which `graph/expose.ts` finds its GraphQL type. */
const KINDS = {
  text: kinds.text,
  word: kinds.word,
  html: kinds.text,
  plainText: kinds.plainText,
  url: kinds.word,
  toggle: kinds.toggle,
  integer: kinds.integer,
  decimal: kinds.decimal,
  reference: kinds.reference,
  references: kinds.references,
  texts: kinds.texts,
  commaList: kinds.commaList,
  instant: kinds.instant,
  localDateTime: kinds.localDateTime,
  localDate: kinds.localDate,
  object: kinds.object,
  points: kinds.points,
  links,
  curies,
} as const

export type KindName = keyof typeof KINDS | 'enumeration' | 'records'

export interface ColumnOptions {
  /** Sent only with `context=edit`. */
  readonly editOnly?: boolean
  /** Also sent with `context=embed`. */
  readonly embed?: boolean
  /** Large: read apart from the light columns when only some records of a batch need it. */
  readonly heavy?: boolean
  /** Hidden by a post password in `context=view`, but not in `edit`: never read in `edit`, whatever else is. */
  readonly guarded?: boolean
  /** Name in the specification of the column that stands in for a missing value. */
  readonly fallback?: string
  /** Never null: an absent value becomes this. */
  readonly otherwise?: unknown
}

/** One column of a record: where it stands on the wire, of which kind it is, and what it means. */
export interface Column<T = unknown> extends ColumnOptions {
  readonly kind: KindName
  /** Name in the specification; a dot leads to a member. */
  readonly wire: string
  /** Meaning, unit and what null says, for people who read the schema. */
  readonly description: string
  readonly decode: kinds.Decode<T>
  /** For an enumeration: its name and members. */
  readonly values?: Enumeration
  /** For a list of records: their type name and columns. */
  readonly members?: { readonly name: string; readonly description: string; readonly columns: Columns }
}

export type Columns = Readonly<Record<string, Column>>

type Decoded<K extends keyof typeof KINDS> = (typeof KINDS)[K] extends kinds.Decode<infer T> ? T : never

const column =
  <K extends keyof typeof KINDS>(kind: K) =>
  (wire: string, description: string, options: ColumnOptions = {}): Column<Decoded<K>> =>
    ({ kind, wire, description, decode: KINDS[kind], ...options }) as Column<Decoded<K>>

/** Makers of columns, one per kind: `text('course_price', 'What it means.')`. */
export const text = column('text')
export const word = column('word')
export const html = column('html')
export const plainText = column('plainText')
export const url = column('url')
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

/** Words with several spellings on the wire, each with the one used here; other words stay as they are. */
export const spelled = (
  spellings: Readonly<Record<string, string>>,
  wire: string,
  description: string,
  options: ColumnOptions = {},
): Column<string> => ({
  ...word(wire, description, options),
  decode: (raw) => (typeof raw === 'string' && Object.hasOwn(spellings, raw) ? (spellings[raw] as string) : kinds.word(raw)),
})

/** An open enumeration: the site's spellings of each member. What is none of them is `UNKNOWN`. */
export interface Enumeration {
  readonly name: string
  readonly description: string
  readonly members: Readonly<Record<string, { readonly wire: readonly string[]; readonly description: string }>>
}

export const UNKNOWN = 'UNKNOWN'

/** A column whose text is one of an enumeration's members. */
export function enumeration(values: Enumeration, wire: string, description: string, options: ColumnOptions = {}): Column<string> {
  const byWire = new Map(
    Object.entries(values.members).flatMap(([name, member]) => member.wire.map((spelling) => [spelling, name] as const)),
  )
  const decode: kinds.Decode<string> = (raw) => {
    if (typeof raw !== 'string') return typeof raw === 'object' ? kinds.UNDECODABLE : UNKNOWN
    return byWire.get(raw) ?? (raw === '' ? null : UNKNOWN)
  }
  return { kind: 'enumeration', wire, description, decode, values, ...options }
}

/** An enumeration and, beside it under `<name>Value`, the text the site sent. */
export function openEnumeration<N extends string>(
  name: N,
  values: Enumeration,
  wire: string,
  description: string,
  options: ColumnOptions = {},
): Record<N, Column<string>> & Record<`${N}Value`, Column<string>> {
  return {
    [name]: enumeration(values, wire, description, options),
    [`${name}Value`]: word(
      wire,
      `What the site sent for \`${name}\`, as it is; tells more where that is UNKNOWN. Null when it sent nothing.`,
      options,
    ),
  } as Record<N, Column<string>> & Record<`${N}Value`, Column<string>>
}

/** A list of objects inside a record, each with columns of its own. */
export function records(
  members: NonNullable<Column['members']>,
  wire: string,
  description: string,
  options: ColumnOptions = {},
): Column<readonly object[]> {
  return { kind: 'records', wire, description, members, decode: (raw) => (Array.isArray(raw) ? raw : kinds.UNDECODABLE), ...options }
}
