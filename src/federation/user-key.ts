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
