/** How much of a record is sent. */
export type Context = 'view' | 'embed' | 'edit'

/** Kinds that the site computes. Bodies cannot have them. */
export type Computed =
  | 'guid'
  | 'link'
  | 'postType'
  | 'classList'
  | 'permalinkTemplate'
  | 'generatedSlug'
  | 'rendered'
  | 'avatars'
  | 'file'
  | 'media'
  | 'sitePath'

/** How a field is written on the wire. Each kind has one encoder in `encode.ts`. */
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
  | 'buyNow'
  | Computed

/** How a field is read from bodies, where its kind does not decide. Each has one decoder in `decode.ts`. */
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

/** How some sites write a value differently from its kind. Each is one function in `encode.ts`. */
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
  | 'siteTime'
  | 'unsaved'
  | 'utc'
  | 'zero'

/** One field of a resource, as in the specification. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** The contexts that have the field. None: it is only accepted in bodies. */
  readonly contexts: readonly Context[]
  readonly readOnly: boolean
  /** Column of the resource's table, or an SQL expression over it. */
  readonly column: string
  /** Allowed values of an enumeration. */
  readonly values?: readonly string[]
  /** Stored value of a record that is created without the field. */
  readonly default?: string | number | null
  readonly accepts?: Accept
  /** Smallest whole number in bodies. Default 0. */
  readonly least?: number
  /** Most items of a list in bodies. */
  readonly most?: number
  /** Table of the records to which its ids refer. 0 is none, except for users. */
  readonly refers?: 'users' | 'groups' | 'courses'
  /** Applied in this order to the encoded value. */
  readonly variations?: readonly Variation[]
}

/** A taxonomy. */
export interface Taxonomy {
  /** Name of its field and filters. */
  readonly field: string
  /** Its stored name. */
  readonly taxonomy: string
  /** Its name in links and class names. */
  readonly shown: string
}

/** A kind of record: its fields, its table, and the parameters of its list. */
export interface Resource {
  /** Value of `type`, and last part of the route. */
  readonly type: string
  /** The name of one record in error messages. */
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
  /** Values of list parameters that are not given, where they differ from those of other lists. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** List parameters with one id, which are lists of ids elsewhere. */
  readonly singleIds?: readonly string[]
  /** Routes of the records that have its terms. */
  readonly items?: readonly string[]
  /** Whether a page behind the last one is empty instead of an error. */
  readonly anyPage?: boolean
  /** Route of the records that it lists or is about, where that is not its own route. */
  readonly recordRoute?: string
  /** The ids in bodies of its writes, which add records and remove them. */
  readonly bodyIds?: Field
  /** Contexts that its routes accept. Default: all. */
  readonly contexts?: readonly Context[]
  /** Whether links point to the routes of WordPress itself. */
  readonly coreLinks?: boolean
  /** Whether records have links also when they are not requested. */
  readonly linksAlways?: boolean
  /** Whether records have no links. */
  readonly unlinked?: boolean
  /** Whether `_filter` has no effect. */
  readonly fieldsOnly?: boolean
  /** Whether an exact search compares each word. */
  readonly exactByWord?: boolean
}

export const ALL: readonly Context[] = ['view', 'embed', 'edit']
export const VIEW: readonly Context[] = ['view', 'edit']
export const EDIT: readonly Context[] = ['edit']
export const BODY_ONLY: readonly Context[] = []

/** A field. By default it is in view and edit, writable, and stored under its own name. */
export function field(name: string, kind: Kind, options: Partial<Omit<Field, 'name' | 'kind'>> = {}): Field {
  return { name, kind, contexts: VIEW, readOnly: false, column: name, ...options }
}

/** Read-only fields of one kind, stored under their own names. */
export const shown = (contexts: readonly Context[], kind: Kind, ...names: readonly string[]): Field[] =>
  names.map((name) => field(name, kind, { contexts, readOnly: true }))

/** The fields of taxonomies. */
export const termFields = (taxonomies: readonly Taxonomy[]): Field[] =>
  taxonomies.map(({ field: name, taxonomy }) => field(name, 'terms', { column: taxonomy }))

/** The list filters of taxonomies: each name, and the name with `_exclude`. */
export const termFilters = (taxonomies: readonly Taxonomy[]): string[] => taxonomies.flatMap(({ field: name }) => [name, `${name}_exclude`])

const CATEGORY: Taxonomy = { field: 'categories', taxonomy: 'category', shown: 'category' }
const TAG: Taxonomy = { field: 'tags', taxonomy: 'post_tag', shown: 'post_tag' }

/** Categories and tags of the site, and the two taxonomies of one resource. */
export const taxonomiesOf = (name: string): Taxonomy[] => [
  CATEGORY,
  TAG,
  ...[`lms_${name}_category`, `lms_${name}_tag`].map((own) => ({ field: own, taxonomy: own, shown: own })),
]
