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
  /** Demo users to sign in as; empty when the gateway is in front of a real site. */
  users: readonly User[]
  /** Whether the gateway is in front of the embedded LMS, whose sample records are known. */
  embedded: boolean
  /** Whether anybody may have operations explained. */
  explain: boolean
  /** Credentials that the gateway takes: an application password (Basic), a bearer token, an API key in `X-API-Key`. */
  signIn: readonly ('password' | 'bearer' | 'apiKey')[]
  /** REST calls that one operation may make. */
  maxCalls: number
}

/** Fetches a file that the server makes for the page, which has a link to preload it. */
export async function fetchFile(name: 'config.json' | 'operations.json'): Promise<Response> {
  const script = import.meta.url
  // Two steps: the build would resolve `new URL('...', import.meta.url)` itself.
  const url = new URL(`../${name}`, script)
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url.pathname} answered ${response.status} ${response.statusText}`)
  return response
}
