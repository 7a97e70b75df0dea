import { ANONYMOUS, Credentials } from '../../upstream/session.js'

/** What a caller's own headers show the site. */
export function callerCredentials(headers: Pick<Headers, 'get'>, cookies: boolean): Credentials {
  const authorization = headers.get('authorization')
  const session = cookies ? sessionHeaders(headers) : undefined
  if (authorization === null && !session) return ANONYMOUS
  return new Credentials({ ...(authorization === null ? {} : { authorization }), ...session })
}

/** The site takes its cookies only together with a nonce, and a nonce is nothing without them. */
function sessionHeaders(headers: Pick<Headers, 'get'>): Record<string, string> | undefined {
  const nonce = headers.get('x-wp-nonce')
  const cookie = (headers.get('cookie') ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith('wordpress_'))
    .join('; ')
  return nonce && cookie ? { cookie, 'x-wp-nonce': nonce } : undefined
}
