const PROVIDER = 'https://login.example.org'
const CLIENT = { client_id: 'school', redirect_uri: location.origin + location.pathname }

const random = () => crypto.randomUUID() + crypto.randomUUID()

async function challengeOf(verifier) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const text = String.fromCharCode(...new Uint8Array(digest))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const metadata = async () => (await fetch(`${PROVIDER}/.well-known/openid-configuration`)).json()

/** Leaves for the form of the identity provider, which sends the browser back with a code. */
export async function signIn() {
  const [verifier, state] = [random(), random()]
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }))
  const challenge = { code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' }
  const { authorization_endpoint } = await metadata()
  const query = new URLSearchParams({ ...CLIENT, ...challenge, state, response_type: 'code', scope: 'openid' })
  location.assign(`${authorization_endpoint}?${query}`)
}

/** The access token for the code in the address, if there is one. It is kept in memory only. */
export async function tokenFromCode() {
  const query = new URLSearchParams(location.search)
  const { verifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  history.replaceState(null, '', location.pathname)
  if (!query.has('code') || query.get('state') !== state) return undefined
  const { token_endpoint } = await metadata()
  const grant = { ...CLIENT, grant_type: 'authorization_code', code: query.get('code'), code_verifier: verifier }
  const response = await fetch(token_endpoint, { method: 'POST', body: new URLSearchParams(grant) })
  return (await response.json()).access_token
}
