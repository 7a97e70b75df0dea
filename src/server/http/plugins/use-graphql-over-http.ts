import { getSSEProcessor, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { checkCrossOrigin } from '../cross-origin.js'
import { answerType, EVENTS, OFFERED_TYPES, paramsIn, requestError, STREAMS } from '../media-types.js'
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
          return await requestParser(unread)
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
