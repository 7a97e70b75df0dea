/** Which view of a record is asked for. */
export type Context = 'view' | 'embed' | 'edit'

/** How a field is written on the wire; each kind has one encoder in `kinds.ts`. */
export type Kind =
  | 'text'
  | 'html'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'datetime'
  | 'date'
  | 'toggle'
  | 'digits'
  | 'json'
  | 'terms'
  | 'title'
  | 'content'
  | 'guid'
  | 'link'
  | 'postType'
  | 'classList'
  | 'permalinkTemplate'
  | 'generatedSlug'
  | 'v1PriceType'

/** How bodies give a field, where its kind does not tell; each has one decoder in `decode.ts`, as every writable kind has. */
export type Accept = 'slug' | 'password' | 'uploadSize' | 'extensions' | 'idText' | 'wholeDigits' | 'ids' | 'idList' | 'object'

/** One field of a resource as the specification lists it. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** The contexts whose answers carry it; none: it is only accepted in bodies. */
  readonly contexts: readonly Context[]
  readonly readOnly: boolean
  /** Column of the resource's table, or an SQL expression over it. */
  readonly column: string
  /** Allowed values of an enumeration. */
  readonly values?: readonly string[]
  /** Value of a record created without it, as stored. */
  readonly default?: string | number | null
  readonly accepts?: Accept
  /** Least value of a whole number in bodies. Default 0. */
  readonly least?: number
  /** Table of the records whose ids it takes. 0 is none, except for users. */
  readonly refers?: 'users' | 'groups' | 'courses'
}

/** A taxonomy under the name its field and filters have. */
export interface Taxonomy {
  readonly field: string
  readonly taxonomy: string
}

/** A kind of record: its fields, where it is stored and how its lists are asked. */
export interface Resource {
  /** Value of `type`, and last part of the route. */
  readonly type: string
  /** What an error message calls one record. */
  readonly label: string
  readonly route: string
  readonly table: string
  /** First path segment of permalinks. */
  readonly path: string
  readonly fields: readonly Field[]
  readonly taxonomies: readonly Taxonomy[]
  /** List parameters besides `_filter`, `_fields`. */
  readonly listParameters: readonly string[]
  readonly orderBy: readonly string[]
}

export const ALL: readonly Context[] = ['view', 'embed', 'edit']
export const VIEW: readonly Context[] = ['view', 'edit']
export const EDIT: readonly Context[] = ['edit']
export const BODY_ONLY: readonly Context[] = []

/** A field in view and edit, writable and stored under its own name unless said otherwise. */
export function field(name: string, kind: Kind, options: Partial<Omit<Field, 'name' | 'kind'>> = {}): Field {
  return { name, kind, contexts: VIEW, readOnly: false, column: name, ...options }
}

/** Term fields of taxonomies. */
export const termFields = (taxonomies: readonly Taxonomy[]): Field[] =>
  taxonomies.map(({ field: name, taxonomy }) => field(name, 'terms', { column: taxonomy }))

/** The list filters of taxonomies: each with its `_exclude` twin. */
export const termFilters = (taxonomies: readonly Taxonomy[]): string[] => taxonomies.flatMap(({ field: name }) => [name, `${name}_exclude`])

const CATEGORY: Taxonomy = { field: 'categories', taxonomy: 'category' }
const TAG: Taxonomy = { field: 'tags', taxonomy: 'post_tag' }

/** Categories and tags of the site and the two taxonomies of one resource. */
export const taxonomiesOf = (name: string): Taxonomy[] => [
  CATEGORY,
  TAG,
  ...[`lms_${name}_category`, `lms_${name}_tag`].map((own) => ({ field: own, taxonomy: own })),
]
