/** A demo user of the embedded LMS. */
export interface User {
  login: string
  name: string
  role: string
  /** The whole value of the `Authorization` header. */
  authorization: string
}

/** The configuration that the server sends to the page. */
export interface Config {
  /** URL of the GraphQL endpoint. */
  endpoint: string
  /** Demo users to sign in as; empty when the gateway is in front of a real site. */
  users: readonly User[]
}

/** Fetches the configuration from the server. */
export async function readConfig(): Promise<Config> {
  const url = '/graphiql/config.json'
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status} ${response.statusText}`)
  return response.json()
}
