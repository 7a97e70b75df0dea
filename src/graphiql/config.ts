/** A demo user of the embedded LMS. */
export interface User {
  login: string
  name: string
  role: string
  /** The whole value of the `Authorization` header. */
  authorization: string
}

/** What the server tells the page. */
export interface Config {
  /** Address of the GraphQL endpoint. */
  endpoint: string
  /** The users one can sign in as; none when the gateway stands before a real site. */
  users: readonly User[]
}

/** Asks the server for its configuration. */
export async function readConfig(): Promise<Config> {
  const url = '/graphiql/config.json'
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status} ${response.statusText}`)
  return response.json()
}
