import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { introspection, keys } from 'lms-graphql/schema'

export const connect = (url: string, authorization: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    // By itself urql prefers JSON to parts.
    fetchOptions: { headers: { authorization, accept: 'multipart/mixed, application/json' } },
    exchanges: [cacheExchange({ schema: introspection, keys }), fetchExchange],
  })
