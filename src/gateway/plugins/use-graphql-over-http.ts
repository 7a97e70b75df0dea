import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'

const RESPONSE = 'application/graphql-response+json'
const JSON_TYPE = 'application/json'
// Yoga answers in these where a client takes nothing else.
const STREAMS: readonly string[] = ['multipart/mixed', 'text/event-stream']

/**
 * Makes up for what Yoga leaves open of the GraphQL-over-HTTP specification: the media type a client likes best, and requests that can't
 * be read or answered, which are refused before anything runs.
 */
export const useGraphQLOverHttp = (): Plugin => ({
  onRequestParse({ request, requestParser, setRequestParser, endResponse, fetchAPI }) {
    if (answerType(request.headers.get('accept')) === undefined) {
      const error = { message: `\`Accept\` must allow ${RESPONSE} or ${JSON_TYPE}.`, extensions: { code: 'BAD_REQUEST' } }
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

/** The type to answer in, of those a client takes the one it likes best and, of equals, names first. Undefined when there is none. */
function answerType(accept: string | null): string | undefined {
  if (accept === null) return RESPONSE
  let best: string | undefined
  let most = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const offered = OFFERED[type]
    const quality = Number.parseFloat(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')
    const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? UTF8
    if (offered === undefined || charset !== UTF8 || !(quality > most)) continue
    best = offered
    most = quality
  }
  return best
}

const UTF8 = 'charset=utf-8'

/** Who takes anything gets what everybody reads. */
const OFFERED: Readonly<Record<string, string>> = {
  [RESPONSE]: RESPONSE,
  [JSON_TYPE]: JSON_TYPE,
  'application/*': JSON_TYPE,
  '*/*': JSON_TYPE,
  ...Object.fromEntries(STREAMS.map((type) => [type, type])),
}
