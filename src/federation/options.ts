/** Options of the subgraph for Apollo Federation 2. */
export interface SubgraphOptions {
  /** Version of the federation specification that the SDL links, from `2.3` to `2.15`. `2.9` by default, which all composers accept. */
  readonly version?: string | undefined
  /** Whether another subgraph owns users, or this one does. `elsewhere` by default. */
  readonly users?: (typeof USER_OWNERS)[number] | undefined
  /**
   * The key field of users in the subgraph that owns them, as `name:Type` with the type `ID`, `Int` or `String`. Its values are ids in the
   * LMS. `id:ID` by default.
   */
  readonly userKey?: string | undefined
  /**
   * Whether records that can be found by their slug have it as a further key. Some routers select all keys of a record, which costs a little.
   * False by default.
   */
  readonly slugKeys?: boolean | undefined
  /**
   * Types of a subgraph of the same WordPress to which records refer by `databaseId`: `MediaItem`, `Category` and `Tag`. None by default.
   */
  readonly refersTo?: readonly WordPressType[] | undefined
  /** Whether the SDL has costs for routers: `@cost` and `@listSize`. True by default, from version 2.9 on. */
  readonly costs?: boolean | undefined
  /** Whether mutations and fields that only editors may read have `@authenticated`. False by default. */
  readonly authenticated?: boolean | undefined
  /** Whether types and fields have `@tag` with the names `learner`, `editor` and `administrator`, for contracts. False by default. */
  readonly tags?: boolean | undefined
  /** Types, fields, arguments and values that have `@inaccessible`, as coordinates such as `Course.meta` or `Query.groups`. None by default. */
  readonly inaccessible?: readonly string[] | undefined
  /** Seconds for which routers and their caches may keep results: of all types, or by type name. Not at all by default. */
  readonly maxAge?: MaxAge | undefined
}

/** Types of WordPress to which records of the LMS refer. */
export const WORDPRESS_TYPES = ['MediaItem', 'Category', 'Tag'] as const

export type WordPressType = (typeof WORDPRESS_TYPES)[number]

/** Where users can be owned. */
export const USER_OWNERS = ['elsewhere', 'here'] as const

/** Thrown for an option that does not fit the subgraph. */
export class WrongSubgraphOption extends TypeError {
  /** `found` says what is wrong: the end of a sentence. */
  constructor(
    readonly option: keyof SubgraphOptions,
    readonly found: string,
  ) {
    super(`\`${option}\` ${found}`)
  }
}

/** The key field of users in the subgraph that owns them. */
export interface UserKey {
  readonly name: string
  readonly type: 'ID' | 'Int' | 'String'
}

const USER_KEY = /^(?<name>(?!__)[A-Za-z_]\w{0,99})(:(?<type>ID|Int|String))?$/

/** Parses `name` or `name:Type`. Returns undefined for another text. */
export function readUserKey(text: string): UserKey | undefined {
  const { name, type = 'ID' } = USER_KEY.exec(text)?.groups ?? {}
  return name === undefined ? undefined : { name, type: type as UserKey['type'] }
}

/** The version that the composers of Apollo, The Guild and WunderGraph all accept, and the oldest with all directives of a subgraph. */
export const DEFAULT_VERSION = '2.9'

const VERSION = /^2\.(?<minor>[3-9]|1[0-5])$/

/** The minor part of a version of the federation specification that a subgraph can link: 2.3 to 2.15. Undefined for another text. */
export function readVersion(text: string): number | undefined {
  const { minor } = VERSION.exec(text)?.groups ?? {}
  return minor === undefined ? undefined : Number(minor)
}

/** The first minor versions of the specification with a directive, where that is later than 2.3. */
const SINCE: Readonly<Record<string, number>> = { authenticated: 5, cost: 9, listSize: 9 }

/** Whether a version of the specification has a directive. */
export const hasDirective = (version: string, name: string): boolean => (readVersion(version) ?? 0) >= (SINCE[name] ?? 0)

/** The uses of directives on a part of the schema: their arguments, by the name of the directive. */
export type Directives = Readonly<Record<string, readonly object[]>>

const COORDINATE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?:\([A-Za-z_]\w*:\))?)?$/

/** Whether a text is a coordinate: `Type`, `Type.field`, `Type.field(argument:)` or `Enum.VALUE`. */
export const isCoordinate = (text: string): boolean => COORDINATE.test(text)

/** Seconds for which routers may keep results: of all types, or by type name. Results with other types are not kept. */
export type MaxAge = number | Readonly<Record<string, number>>

const MAX_AGE = /^(?:\d{1,8}|[A-Za-z_]\w*=\d{1,8}(?:,[A-Za-z_]\w*=\d{1,8})*)$/

/** Parses `60` or `Course=300,Lesson=60`. Returns undefined for another text. */
export function readMaxAge(text: string): MaxAge | undefined {
  if (!MAX_AGE.test(text)) return undefined
  if (/^\d/.test(text)) return Number(text)
  return Object.fromEntries(
    text
      .split(',')
      .map((each) => each.split('='))
      .map(([type, seconds]) => [type, Number(seconds)]),
  )
}
