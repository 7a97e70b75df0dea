/** Options of the subgraph for Apollo Federation 2. */
export interface SubgraphOptions {
  /**
   * `here` when this subgraph owns users. Otherwise the key field of users in the subgraph that owns them, as `name:Type` with the type `ID`,
   * `Int` or `String`. Its values are ids in the LMS. `id:ID` by default.
   */
  readonly users?: string | undefined
  /**
   * Whether records that can be found by their slug have it as a further key. Some routers select all keys of a record, which costs a little.
   * False by default.
   */
  readonly slugKeys?: boolean | undefined
  /**
   * Types of a subgraph of the same WordPress to which records refer by `databaseId`: `MediaItem`, `Category` and `Tag`. None by default.
   */
  readonly refersTo?: readonly WordPressType[] | undefined
  /** Whether mutations and fields that only editors may read have `@authenticated`. False by default. */
  readonly authenticated?: boolean | undefined
  /** Whether types and fields have `@tag` with the names `learner`, `editor` and `administrator`, for contracts. False by default. */
  readonly tags?: boolean | undefined
  /** Types, fields, arguments and values that have `@inaccessible`, as coordinates such as `Course.meta` or `Query.groups`. None by default. */
  readonly inaccessible?: readonly string[] | undefined
}

/** Options of the SDL of a subgraph. */
export interface SdlOptions extends SubgraphOptions {
  /** Seconds for which routers and their caches may keep results: of all types, or by type name. Not at all by default. */
  readonly httpMaxAge?: MaxAge | undefined
}

/** Types of WordPress to which records of the LMS refer. */
export const WORDPRESS_TYPES = ['MediaItem', 'Category', 'Tag'] as const

export type WordPressType = (typeof WORDPRESS_TYPES)[number]

/** Thrown for an option that does not fit the subgraph. */
export class WrongSubgraphOption extends TypeError {
  /** `found` says what is wrong: the end of a sentence. */
  constructor(
    readonly option: keyof SdlOptions,
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

/** The value of `users` with which the subgraph owns them. */
export const OWN_USERS = 'here'

/** Parses `name` or `name:Type`. Returns undefined for another text. */
export function readUserKey(text: string): UserKey | undefined {
  const { name, type = 'ID' } = USER_KEY.exec(text)?.groups ?? {}
  return name === undefined ? undefined : { name, type: type as UserKey['type'] }
}

/** The version of the specification that the SDL links: the oldest with all directives of a subgraph, and the last that all composers accept. */
export const FEDERATION_VERSION = '2.9'

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
