import { basename } from 'node:path/posix'
import { AVATAR_SIZES, AVATARS, FULL, picturePath, SIZES } from './pictures/files.js'
import type { Context, Field, Kind, Resource, Variation } from './spec/index.js'
import type { Cell, Row } from './store.js'
import { slugify, typeset } from './text.js'
import { parseInstant, siteTextOf } from './time.js'

/** What encoders need besides the row. */
export interface EncodeEnv {
  /** Address of the site, without a slash at its end. */
  readonly site: string
  /** Whether the texts of password-protected records may be shown. */
  readonly unlocked: boolean
  /** The methods that the caller may use on the records; undefined where links do not tell. */
  readonly methods?: readonly string[] | undefined
}

/** Encodes a wire value from neighbouring cells of a row. The first of them is at `at`. */
export interface ValueEncoder {
  readonly columns: readonly string[]
  readonly encode: (row: Row, at: number, env: EncodeEnv) => unknown
  /** Contexts that have the value. Default: those of its field. */
  readonly contexts?: readonly Context[]
}

/** Encodes a field: as one value, or as an object with a value per member. */
export type FieldEncoder = ValueEncoder | { readonly members: Readonly<Record<string, ValueEncoder>> }

const columnOf = (name: string): string => (/^\w+$/.test(name) ? `t.${name}` : name)

const fromCell =
  (encode: (cell: Cell) => unknown) =>
  (field: Field): ValueEncoder => ({ columns: [columnOf(field.column)], encode: (row, at) => encode(row[at]!) })

const asIs = fromCell((cell) => cell)
const EDIT: readonly Context[] = ['edit']
const raw = (column: string): ValueEncoder => ({ columns: [column], encode: (row, at) => row[at], contexts: EDIT })
const BLOCK_COMMENTS = /<!-- \/?wp:[^<\n]*?-->\n?/g

/** The HTML of a content, without the comments of the block editor. */
export const renderContent = (content: string): string => content.replace(BLOCK_COMMENTS, '')

const post = (query: string) => (_: Field, resource: Resource) => (row: Row, at: number, env: EncodeEnv) =>
  `${env.site}/?post_type=${resource.type}${query}p=${row[at]}`

const guid = post('&#038;')
const shortLink = post('&')

/** The address of the page of a record: with its slug, or with its id when it has none. */
const link = (_: Field, { type, path }: Resource): ValueEncoder => ({
  columns: ['t.id', 't.slug'],
  encode: (row, at, { site }) => (row[at + 1] === '' ? `${site}/?post_type=${type}&p=${row[at]}` : `${site}/${path}/${row[at + 1]}/`),
})

/** Ids of the terms of one taxonomy, separated by commas. */
const termsColumn = (taxonomy: string): string =>
  `(SELECT group_concat(term) FROM post_terms WHERE post = t.id AND taxonomy = '${taxonomy}')`

/** CSS class names of the terms of a record, separated by spaces. Those of `post_tag` begin with `tag`. */
const TERM_CLASSES = `(SELECT group_concat(replace(p.taxonomy, 'post_tag', 'tag') || '-' || terms.slug, ' ')
  FROM post_terms p JOIN terms ON terms.id = p.term WHERE p.post = t.id)`

/** Splits the class names of terms. Each begins with the name that links use for the taxonomy. */
function termClasses({ taxonomies }: Resource): (names: string) => string[] {
  const renamed = taxonomies.filter(({ taxonomy, shown }) => taxonomy !== shown)
  const rename = (name: string): string => {
    const found = renamed.find(({ taxonomy }) => name.startsWith(`${taxonomy}-`))
    return found ? found.shown + name.slice(found.taxonomy.length) : name
  }
  return (names) => (renamed.length ? names.split(' ').map(rename) : names.split(' '))
}

function classList(_: Field, resource: Resource): ValueEncoder {
  const { type } = resource
  const classes = termClasses(resource)
  return {
    columns: ['t.id', 't.status', "t.password <> ''", 't.featured_media > 0', TERM_CLASSES],
    encode: (row, at) => [
      `post-${row[at]}`,
      type,
      `type-${type}`,
      `status-${row[at + 1]}`,
      ...(row[at + 2] ? ['post-password-required'] : []),
      ...(row[at + 3] ? ['has-post-thumbnail'] : []),
      'hentry',
      ...(row[at + 4] ? classes(String(row[at + 4])) : []),
    ],
  }
}

/** A picture with its sizes. */
const media = ({ column }: Field): ValueEncoder => ({
  columns: [columnOf(column)],
  encode(row, at, { site }) {
    const entries = SIZES.map((size) => {
      const [{ name, width, height }, path] = [size, picturePath(String(row[at]), size)]
      return [name, { file: basename(path), width, height, mime_type: 'image/png', source_url: site + path }] as const
    })
    return { width: FULL.width, height: FULL.height, file: `${row[at]}.png`, sizes: Object.fromEntries(entries), image_meta: {} }
  },
})

/** One encoder for each kind of field. */
const ENCODERS: Readonly<Record<Kind, (field: Field, resource: Resource) => FieldEncoder>> = {
  text: asIs,
  html: asIs,
  integer: asIs,
  number: asIs,
  datetime: asIs,
  date: asIs,
  boolean: fromCell((cell) => (cell === null ? null : cell !== 0)),
  toggle: fromCell((cell) => (cell ? 'on' : '')),
  digits: fromCell((cell) => (cell === null ? '' : String(cell))),
  json: fromCell((cell) => JSON.parse(String(cell))),
  buyNow: fromCell((cell) => (cell === 'paynow' ? 'buynow' : cell)),
  terms: ({ column }) => ({
    columns: [termsColumn(column)],
    encode: (row, at) => (row[at] === null ? [] : String(row[at]).split(',').map(Number)),
  }),
  title: () => ({
    members: { rendered: { columns: ['t.title'], encode: (row, at) => typeset(String(row[at])) }, raw: raw('t.title') },
  }),
  content: () => ({
    members: {
      rendered: {
        columns: ['t.content', "t.password <> ''"],
        encode: (row, at, env) => (row[at + 1] && !env.unlocked ? '' : renderContent(String(row[at]))),
      },
      protected: { columns: ["t.password <> ''"], encode: (row, at) => row[at] !== 0 },
      raw: raw('t.content'),
      block_version: { columns: ["t.content LIKE '<!-- wp:%'"], encode: (row, at) => row[at], contexts: EDIT },
    },
  }),
  guid: (field, resource) => ({
    members: {
      rendered: { columns: ['t.id'], encode: guid(field, resource) },
      raw: { columns: ['t.id'], encode: shortLink(field, resource), contexts: EDIT },
    },
  }),
  link,
  postType: (_, { type }) => ({ columns: [], encode: () => type }),
  classList,
  permalinkTemplate: (_, { path }) => ({ columns: [], encode: (_row, _at, env) => `${env.site}/${path}/%postname%/` }),
  rendered: ({ column }) => ({
    members: { rendered: { columns: [`t.${column}`], encode: (row, at) => row[at] && `<p>${row[at]}</p>\n` }, raw: raw(`t.${column}`) },
  }),
  avatars: () => ({
    columns: ['t.id'],
    encode(row, at, { site }) {
      const file = AVATARS[Number(row[at]) % AVATARS.length]!
      return Object.fromEntries(AVATAR_SIZES.map((size) => [size.name, site + picturePath(file, size)]))
    },
  }),
  file: ({ column }) => ({ columns: [columnOf(column)], encode: (row, at, { site }) => site + picturePath(String(row[at]), FULL) }),
  media,
  sitePath: ({ column }) => ({ columns: [columnOf(column)], encode: (row, at, { site }) => row[at] && site + row[at] }),
  generatedSlug: () => ({ columns: ['t.title'], encode: (row, at) => slugify(String(row[at])) }),
}

/** Changes an encoded value as some sites do. The id decides how, so that a record is always written the same way. */
type Vary = (value: any, id: number) => unknown

/** With `unsaved`, one of this many records has never been saved by the LMS. */
const UNSAVED_EVERY = 7

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0
const even = (id: number): boolean => id % 2 === 0

/** Noon of a day, in seconds since 1970. */
const seconds = (day: string): number => Date.parse(`${day}T12:00:00Z`) / 1000

function looseDate(day: string, id: number): unknown {
  if (day === '') return even(id) ? '0' : ''
  return even(id) ? seconds(day) : day
}

/** One function for each variation. */
const VARIATIONS: Readonly<Record<Variation, Vary>> = {
  blankUnset: (value) => value ?? '',
  emptyList: (value) => (isEmpty(value) ? [] : value),
  gradedText: (answers) => answers.map((answer: { _graded: boolean }) => (answer._graded ? { ...answer, _graded: '1' } : answer)),
  hyphens: (text) => text.replaceAll('_', '-'),
  looseDate,
  looseIds: (ids, id) => (ids.length === 0 ? ['', [''], []][id % 3] : even(id) ? ids.map(String) : ids),
  looseNumber: (digits, id) => (digits === '' || even(id) ? digits : Number(digits)),
  /** A toggle that is on stays text. */
  looseOff: (toggle, id) => (toggle === '' && even(id) ? false : toggle),
  loosePrice: (text, id) => (even(id) && text !== '' && String(Number(text)) === text ? Number(text) : text),
  looseToggle: (toggle, id) => (even(id) ? toggle !== '' : toggle),
  looseZero: (number, id) => (number === 0 && even(id) ? '0' : number),
  /** [guess] The time stamp 0, which stands for no time, is the same in every zone. */
  siteTime: (gmt) => (gmt.startsWith('1970-01-01') ? gmt : siteTextOf(gmt)),
  unsaved: (value, id) => (id % UNSAVED_EVERY === 0 ? '' : value),
  utc: (text) => (text === null ? null : (parseInstant(text) ?? text)),
  zero: () => 0,
}

const idColumn = ({ table }: Resource): string => (table === 'progress' ? 't.course' : 't.id')

/** The encoder of a field: that of its kind, followed by its variations. */
export function encoderOf(field: Field, resource: Resource): FieldEncoder {
  const encoder = ENCODERS[field.kind](field, resource)
  if (!field.variations?.length || 'members' in encoder) return encoder
  return varied(
    encoder,
    field.variations.map((name) => VARIATIONS[name]),
    idColumn(resource),
  )
}

function varied({ columns, encode }: ValueEncoder, variations: readonly Vary[], id: string): ValueEncoder {
  const last = columns.length
  return {
    columns: [...columns, id],
    encode: (row, at, env) => variations.reduce((value, vary) => vary(value, Number(row[at + last])), encode(row, at, env)),
  }
}
