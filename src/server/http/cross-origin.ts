import { isJsonType, isPlain, JSON_TYPE, requestError } from './media-types.js'

/** Headers that no form, image or link can send: a page of another origin needs a preflight for them. The first three are those of other servers. */
const NEED_PREFLIGHT = ['apollo-require-preflight', 'x-apollo-operation-name', 'x-graphql-yoga-csrf', 'x-api-key', 'x-wp-nonce']

/**
 * Refuses requests that a page of another origin may have sent without a preflight, with credentials that the browser adds: posts other than
 * JSON, and `GET` with other credentials than a token. Cookies are credentials only together with `X-WP-Nonce`. Throws `GraphQLError`.
 */
export function checkCrossOrigin(method: string, headers: Pick<Headers, 'get'>): void {
  if (method !== 'GET' && method !== 'POST') return
  const type = headers.get('content-type')
  const isTyped = type !== null || method === 'POST'
  if (isTyped && !isJsonType(type)) throw requestError(415, `\`Content-Type\` must be ${JSON_TYPE}.`)
  if (method === 'POST' && !isPlain(headers.get('content-encoding'))) throw requestError(415, 'The body must not be compressed.')
  const authorization = headers.get('authorization')
  if (
    isTyped ||
    authorization === null ||
    authorization.toLowerCase().startsWith('bearer ') ||
    NEED_PREFLIGHT.some((name) => headers.get(name))
  )
    return
  const names = NEED_PREFLIGHT.slice(0, 3).map((name) => `\`${name}\``)
  throw requestError(
    400,
    `A GET with a password needs \`Content-Type: ${JSON_TYPE}\`, or a value in one of the headers ${names.join(', ')}: pages of other origins can send the passwords that a browser keeps.`,
  )
}
