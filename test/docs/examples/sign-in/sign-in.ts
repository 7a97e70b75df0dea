/** What a sign-in form learns. */
export type SignIn =
  | { readonly state: 'accepted'; readonly name: string | null; readonly roles: readonly string[] }
  | { readonly state: 'rejected' }
  /** Nobody knows whether the credentials are right. `retryAfter` is in seconds. */
  | { readonly state: 'failed'; readonly code: string; readonly retryAfter?: number }

/** The header for a login and an application password. */
export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

interface Answer {
  readonly data?: { readonly viewer: { readonly name: string | null; readonly roles: readonly string[] | null } | null } | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string; readonly retryAfter?: number } }[]
}

/** Asks the gateway who somebody is. `client` is the network address of the browser. */
export async function signIn(gateway: string, authorization: string, client = ''): Promise<SignIn> {
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client, authorization },
    body: JSON.stringify({ query: '{ viewer { id name roles } }' }),
  })
  const { data, errors = [] } = (await response.json()) as Answer
  const { code, retryAfter } = errors[0]?.extensions ?? {}
  if (code === 'UNAUTHENTICATED') return { state: 'rejected' }
  if (code !== undefined && !data?.viewer) return { state: 'failed', code, ...(retryAfter !== undefined && { retryAfter }) }
  return { state: 'accepted', name: data?.viewer?.name ?? null, roles: data?.viewer?.roles ?? [] }
}
