import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { persistedExchange } from '@urql/exchange-persisted'
import { introspection } from 'lms-graphql/schema'

export const connect = (url: string, authorization: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
    exchanges: [
      cacheExchange({
        schema: introspection as never,
        // What is no node belongs to what shows it.
        keys: { GroupCourse: () => null, Link: () => null, Curie: () => null },
        resolvers: { Query: { courses: relayPagination() } },
      }),
      persistedExchange({ preferGetForPersistedQueries: false }),
      fetchExchange,
    ],
  })
