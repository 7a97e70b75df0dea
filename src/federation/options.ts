import type { SubgraphOptions } from '../options/given.js'
import type { WORDPRESS_TYPES } from '../options/subgraph.js'

/** Options of the SDL of a subgraph. */
export interface SdlOptions extends SubgraphOptions {
  /** Seconds for which routers and their caches may keep results: of all types, or by type name. Not at all by default. */
  readonly maxAge?: MaxAge | undefined
}

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

/** Seconds for which routers may keep results: of all types, or by type name. Results with other types are not kept. */
export type MaxAge = number | Readonly<Record<string, number>>
