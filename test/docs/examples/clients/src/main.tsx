import { ApolloProvider } from '@apollo/client/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { GraphQLClient } from 'graphql-request'
import { type ReactElement, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { RelayEnvironmentProvider } from 'react-relay'
import { Provider } from 'urql'
import * as apollo from './apollo'
import * as apolloClient from './recipes/apollo'
import * as relayClient from './recipes/relay'
import * as urqlClient from './recipes/urql'
import * as relay from './relay/course'
import * as tanstack from './tanstack-query'
import * as urql from './urql'

// Shows a course by the component of each client. The test adds the folder `recipes`, and serves the page.

const parameters = new URLSearchParams(location.search)
const [url, authorization, id] = ['url', 'authorization', 'id'].map((name) => parameters.get(name) ?? '') as [string, string, string]
const client = new GraphQLClient(url, { headers: { authorization }, errorPolicy: 'all' })

function show(name: string, element: ReactElement): void {
  const parent = document.body.appendChild(document.createElement('section'))
  parent.id = name
  createRoot(parent).render(<Suspense fallback="Loading …">{element}</Suspense>)
}

show(
  'urql',
  <Provider value={urqlClient.connect(url, authorization)}>
    <urql.Course id={id} />
  </Provider>,
)
show(
  'apollo',
  <ApolloProvider client={apolloClient.connect(url, authorization)}>
    <apollo.Course id={id} />
  </ApolloProvider>,
)
show(
  'tanstack-query',
  <QueryClientProvider client={new QueryClient()}>
    <tanstack.Course client={client} id={id} />
  </QueryClientProvider>,
)
show(
  'relay',
  <RelayEnvironmentProvider environment={relayClient.connect(url, authorization)}>
    <relay.Course id={id} />
  </RelayEnvironmentProvider>,
)
