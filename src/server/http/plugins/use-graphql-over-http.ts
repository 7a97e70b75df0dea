import { getSSEProcessor, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { requestError } from '../../errors.js'
import { answerType, EVENTS, isJsonType, isPlain, JSON_TYPE, OFFERED_TYPES, paramsIn, STREAMS } from '../media-types.js'
import { badRequest, endWith } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

const toEvents = getSSEProcessor()

/**
 * Completes Yoga's implementation of the GraphQL-over-HTTP specification: answers in the media type that a client prefers, and refuses
 * requests that cannot be read or answered before anything runs.
 */
export const useGraphQLOverHttp = (): Plugin<{}, RequestContext> => ({
  onRequestParse({ request, serverContext, requestParser, setRequestParser, endResponse, fetchAPI }) {
    const { method, headers } = request
    if (answerType(headers.get('accept')) === undefined) {
      endWith(badRequest(406, `\`Accept\` must allow ${OFFERED_TYPES}.`), { serverContext, endResponse, fetchAPI })
      return
    }
    checkCrossOrigin(method, headers)
    if (method === 'POST') {
      // Yoga's own parser compares media types case-sensitively.
      setRequestParser(async (unread) => paramsIn(await unread.text().catch(() => '')))
    } else if (requestParser) {
      setRequestParser(async (unread) => {
        try {
          const params = await requestParser(unread)
          const documentId = new URL(unread.url).searchParams.get('documentId')
          return documentId === null ? params : { ...params, documentId }
        } catch (error) {
          throw error instanceof SyntaxError ? requestError(400, '`variables` and `extensions` must be JSON.') : error
        }
      })
    }
  },
  onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
    const type = answerType(request.headers.get('accept'))
    if (resultProcessor && type !== undefined && !STREAMS.includes(type)) setResultProcessor(resultProcessor, type)
    // Yoga itself prefers multipart. The client may take that in another format only.
    else if (type === EVENTS && isAsyncIterable(result)) setResultProcessor(toEvents, type)
  },
})

/** Headers that no form, image or link can send: a page of another origin needs a preflight for them. The first three are those of other servers. */
const NEED_PREFLIGHT = ['apollo-require-preflight', 'x-apollo-operation-name', 'x-graphql-yoga-csrf', 'x-api-key', 'x-wp-nonce']

/**
 * Refuses requests that a page of another origin may have sent without a preflight, with credentials that the browser adds: posts other than
 * JSON, and `GET` with other credentials than a token. Cookies are credentials only together with `X-WP-Nonce`. Throws `GraphQLError`.
 */
function checkCrossOrigin(method: string, headers: Pick<Headers, 'get'>): void {
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
