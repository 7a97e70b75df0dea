import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import { Defer20220824Handler } from '@apollo/client/incremental'
import { possibleTypes } from 'lms-graphql/schema'

export const connect = (uri: string, authorization: string): ApolloClient =>
  new ApolloClient({
    link: new HttpLink({ uri, headers: { authorization } }),
    cache: new InMemoryCache({ possibleTypes }),
    incrementalHandler: new Defer20220824Handler(),
  })
