import { GraphQLError } from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { isObject } from '../../../upstream/errors.js'
import { answerType, isJsonType, isPlain, JSON_TYPE, OFFERED_TYPES, readJson, STREAMS } from '../media-types.js'
import { badRequest, endWith } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

/**
 * Makes up for what Yoga leaves open of the GraphQL-over-HTTP specification: the media type a client likes best, and requests that can't
 * be read or answered, which are refused before anything runs.
 */
export const useGraphQLOverHttp = (): Plugin<{}, RequestContext> => ({
  onRequestParse({ request, serverContext, requestParser, setRequestParser, endResponse, fetchAPI }) {
    const { method, headers } = request
    if (answerType(headers.get('accept')) === undefined) {
      endWith(badRequest(406, `\`Accept\` must allow ${OFFERED_TYPES}.`), { serverContext, endResponse, fetchAPI })
    } else if (method === 'POST') {
      // Forms and plain texts a browser sends for any page, with the cookies and credentials it has.
      if (!isJsonType(headers.get('content-type'))) throw refused(415, `\`Content-Type\` must be ${JSON_TYPE}.`)
      if (!isPlain(headers.get('content-encoding'))) throw refused(415, 'The body must not be compressed.')
      setRequestParser(parseJson)
    } else if (requestParser) {
      setRequestParser(async (unread) => {
        try {
          return await requestParser(unread)
        } catch (error) {
          throw error instanceof SyntaxError ? refused(400, '`variables` and `extensions` must be JSON.') : error
        }
      })
    }
  },
  onParams({ params: { operationName } }) {
    if (operationName != null && typeof operationName !== 'string') throw refused(400, '`operationName` must be a text.')
  },
  onResultProcess({ request, resultProcessor, setResultProcessor }) {
    const type = answerType(request.headers.get('accept'))
    if (resultProcessor && type !== undefined && !STREAMS.includes(type)) setResultProcessor(resultProcessor, type)
  },
})

/** Yoga's own parser takes the names of media types by their letters. */
async function parseJson(request: Request): Promise<GraphQLParams> {
  const params = await request.text().then(readJson, () => undefined)
  // A list is refused as a batch.
  if (isObject(params) || Array.isArray(params)) return params as GraphQLParams
  throw refused(400, 'The body must be an object in JSON.')
}

const refused = (status: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })
