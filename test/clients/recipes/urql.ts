import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { persistedExchange } from '@urql/exchange-persisted'
import { introspection, keys } from 'lms-graphql/schema'

export const connect = (url: string, authorization: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys,
        resolvers: { Query: { courses: relayPagination() } },
      }),
      persistedExchange({ preferGetForPersistedQueries: false }),
      fetchExchange,
    ],
  })
