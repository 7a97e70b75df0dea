import type { GraphiQLConfig, GraphiQLUser } from '../server/http/plugins/use-graphiql.js'

/** The configuration that the server sends to the page. */
export type Config = GraphiQLConfig

/** A demo user of the embedded LMS. */
export type User = GraphiQLUser

/** Fetches a file that the server makes for the page, which has a link to preload it. */
export async function fetchFile(name: 'config.json' | 'operations.json'): Promise<Response> {
  const script = import.meta.url
  // Two steps: the build would resolve `new URL('...', import.meta.url)` itself.
  const url = new URL(`../${name}`, script)
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url.pathname} answered ${response.status} ${response.statusText}`)
  return response
}
