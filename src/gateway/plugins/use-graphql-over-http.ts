import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { answerType, JSON_TYPE, OFFERED_TYPES, STREAMS } from '../media-types.js'

/**
 * Makes up for what Yoga leaves open of the GraphQL-over-HTTP specification: the media type a client likes best, and requests that can't
 * be read or answered, which are refused before anything runs.
 */
export const useGraphQLOverHttp = (): Plugin => ({
  onRequestParse({ request, requestParser, setRequestParser, endResponse, fetchAPI }) {
    if (answerType(request.headers.get('accept')) === undefined) {
      const error = { message: `\`Accept\` must allow ${OFFERED_TYPES}.`, extensions: { code: 'BAD_REQUEST' } }
      const headers = { 'content-type': `${JSON_TYPE}; charset=utf-8` }
      endResponse(new fetchAPI.Response(JSON.stringify({ errors: [error] }), { status: 406, headers }))
    } else if (request.method === 'POST' && !requestParser) {
      throw badRequest(415, `\`Content-Type\` must be ${JSON_TYPE}.`)
    } else if (requestParser && !(request.method === 'POST' && request.headers.get('content-type')?.startsWith(JSON_TYPE))) {
      setRequestParser(async (unread) => {
        try {
          return await requestParser(unread)
        } catch (error) {
          // Texts of GET and of forms, which are JSON in themselves.
          throw error instanceof SyntaxError ? badRequest(400, '`variables` and `extensions` must be JSON.') : error
        }
      })
    }
  },
  onParams({ params: { operationName } }) {
    if (operationName != null && typeof operationName !== 'string') throw badRequest(400, '`operationName` must be a text.')
  },
  onResultProcess({ request, resultProcessor, setResultProcessor }) {
    const type = answerType(request.headers.get('accept'))
    if (resultProcessor && type !== undefined && !STREAMS.includes(type)) setResultProcessor(resultProcessor, type)
  },
})

const badRequest = (status: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })
