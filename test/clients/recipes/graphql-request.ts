import { createHash } from 'node:crypto'
import { GraphQLClient } from 'graphql-request'

/** Sends the hashes of documents that the gateway was given by `--operations`. */
export const connect = (url: string, authorization: string): GraphQLClient =>
  new GraphQLClient(url, {
    headers: { authorization },
    requestMiddleware: (request) => {
      const { query, ...others } = JSON.parse(request.body as string) as { query: string }
      const sha256Hash = createHash('sha256').update(query).digest('hex')
      return { ...request, body: JSON.stringify({ ...others, extensions: { persistedQuery: { version: 1, sha256Hash } } }) }
    },
  })
