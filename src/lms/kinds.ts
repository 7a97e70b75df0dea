import type { Context, Field, Kind, Resource } from './spec/index.js'
import type { Cell, Row } from './store.js'
import { slugify, typeset } from './text.js'

/** What an encoder knows beside the row. */
export interface Env {
  /** Address of the site, without a slash at its end. */
  readonly site: string
  /** Whether the texts of password-protected records may be shown. */
  readonly unlocked: boolean
}

/** A wire value made from neighbouring cells of a row, the first of them at `at`. */
export interface Leaf {
  readonly columns: readonly string[]
  readonly encode: (row: Row, at: number, env: Env) => unknown
  /** Contexts that carry it, where they are fewer than those of its field. */
  readonly contexts?: readonly Context[]
}

/** How a field is made: from cells, or as an object of members that are. */
export type Maker = Leaf | { readonly members: Readonly<Record<string, Leaf>> }

const columnOf = (name: string): string => (/^\w+$/.test(name) ? `t.${name}` : name)

const plain =
  (encode: (cell: Cell) => unknown) =>
  (field: Field): Leaf => ({ columns: [columnOf(field.column)], encode: (row, at) => encode(row[at]!) })

const asIs = plain((cell) => cell)
const EDIT: readonly Context[] = ['edit']
const raw = (column: string): Leaf => ({ columns: [column], encode: (row, at) => row[at], contexts: EDIT })
const BLOCK_COMMENTS = /<!-- \/?wp:[^<\n]*?-->\n?/g

const post = (query: string) => (_: Field, resource: Resource) => (row: Row, at: number, env: Env) =>
  `${env.site}/?post_type=${resource.type}${query}p=${row[at]}`

const guid = post('&#038;')
const shortLink = post('&')

function link(field: Field, resource: Resource): Leaf {
  const short = shortLink(field, resource)
  return {
    columns: ['t.id', 't.slug'],
    encode: (row, at, env) => (row[at + 1] === '' ? short(row, at, env) : `${env.site}/${resource.path}/${row[at + 1]}/`),
  }
}

/** Ids of the terms of one taxonomy as digits with commas. */
const termsColumn = (taxonomy: string): string =>
  `(SELECT group_concat(term) FROM post_terms WHERE post = t.id AND taxonomy = '${taxonomy}')`

/** Class names of the terms of a record, separated by spaces; those of `post_tag` begin with `tag`. */
const TERM_CLASSES = `(SELECT group_concat(replace(p.taxonomy, 'post_tag', 'tag') || '-' || terms.slug, ' ')
  FROM post_terms p JOIN terms ON terms.id = p.term WHERE p.post = t.id)`

/** Class names of terms begin with the taxonomy, as links call it. */
function termClasses({ taxonomies }: Resource): (names: string) => string[] {
  const renamed = taxonomies.filter(({ taxonomy, shown }) => taxonomy !== shown)
  const rename = (name: string): string => {
    const found = renamed.find(({ taxonomy }) => name.startsWith(`${taxonomy}-`))
    return found ? found.shown + name.slice(found.taxonomy.length) : name
  }
  return (names) => (renamed.length ? names.split(' ').map(rename) : names.split(' '))
}

function classList(_: Field, resource: Resource): Leaf {
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

/** One maker for each kind of field: the only place that knows how values look on the wire. */
export const KINDS: Readonly<Record<Kind, (field: Field, resource: Resource) => Maker>> = {
  text: asIs,
  html: asIs,
  integer: asIs,
  number: asIs,
  datetime: asIs,
  date: asIs,
  boolean: plain((cell) => (cell === null ? null : cell !== 0)),
  toggle: plain((cell) => (cell ? 'on' : '')),
  digits: plain((cell) => (cell === null ? '' : String(cell))),
  json: plain((cell) => JSON.parse(String(cell))),
  buyNow: plain((cell) => (cell === 'paynow' ? 'buynow' : cell)),
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
        encode: (row, at, env) => (row[at + 1] && !env.unlocked ? '' : String(row[at]).replace(BLOCK_COMMENTS, '')),
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
  generatedSlug: () => ({ columns: ['t.title'], encode: (row, at) => slugify(String(row[at])) }),
}
