import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { relayStylePagination } from '@apollo/client/utilities'
import { possibleTypes } from 'lms-graphql/schema'

async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const connect = (uri: string, authorization: string): ApolloClient =>
  new ApolloClient({
    link: ApolloLink.from([new PersistedQueryLink({ sha256 }), new HttpLink({ uri, headers: { authorization } })]),
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: { Query: { fields: { courses: relayStylePagination(['where', 'orderBy']) } } },
    }),
  })
