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
  | 'buyNow'

/** How bodies give a field, where its kind does not tell; each has one decoder in `decode.ts`, as every writable kind has. */
export type Accept =
  | 'slug'
  | 'priceType'
  | 'buyNow'
  | 'password'
  | 'uploadSize'
  | 'extensions'
  | 'idText'
  | 'wholeDigits'
  | 'ids'
  | 'idList'
  | 'object'
  | 'ignored'
  | 'unlessDated'

/** How sites write values otherwise than their kind says; each is one function in `variations.ts`. */
export type Variation =
  | 'blankUnset'
  | 'emptyList'
  | 'gradedText'
  | 'hyphens'
  | 'looseDate'
  | 'looseIds'
  | 'looseNumber'
  | 'looseOff'
  | 'loosePrice'
  | 'looseToggle'
  | 'looseZero'
  | 'unsaved'
  | 'utc'
  | 'zero'

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
  /** In the order in which they change what the kind makes of the value. */
  readonly variations?: readonly Variation[]
}

/** A taxonomy under the name its field and filters have. */
export interface Taxonomy {
  readonly field: string
  /** Its name as stored. */
  readonly taxonomy: string
  /** Its name in links and class names. */
  readonly shown: string
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
  /** Route of the courses, for what is about courses without being their own list. */
  readonly courseRoute?: string
  /** Contexts it can be asked in. Default: all. */
  readonly contexts?: readonly Context[]
  /** Whether links point at the routes of WordPress itself. */
  readonly coreLinks?: boolean
  /** Whether the link to a record tells the methods it allows. */
  readonly targetHints?: boolean
  /** Whether links are sent when they are not asked for. */
  readonly linksAlways?: boolean
  /** Whether `_filter` has no effect. */
  readonly fieldsOnly?: boolean
  /** Whether an exact search compares each word. */
  readonly exactByWord?: boolean
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

const CATEGORY: Taxonomy = { field: 'categories', taxonomy: 'category', shown: 'category' }
const TAG: Taxonomy = { field: 'tags', taxonomy: 'post_tag', shown: 'post_tag' }

/** Categories and tags of the site and the two taxonomies of one resource. */
export const taxonomiesOf = (name: string): Taxonomy[] => [
  CATEGORY,
  TAG,
  ...[`lms_${name}_category`, `lms_${name}_tag`].map((own) => ({ field: own, taxonomy: own, shown: own })),
]
