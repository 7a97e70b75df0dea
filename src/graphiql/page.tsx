import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useState } from 'react'
import type { Config } from './config.js'
import { ExamplesMenu } from './examples-menu.js'
import { EXAMPLES } from './operations.js'
import { SignIn } from './sign-in.js'
import { startingTabs } from './tabs.js'

/** GraphiQL with the example operations as tabs and a choice of demo users. */
export function Page({ users }: Config) {
  // The page is served at the path of the GraphQL endpoint.
  const [fetcher] = useState(() => createFetcher(location.pathname))
  const [start] = useState(() => startingTabs(EXAMPLES, users, localStorage))
  // Headers are stored only for demo users, whose credentials are public.
  return (
    <GraphiQL
      fetcher={fetcher}
      shouldPersistHeaders={users.length > 0}
      defaultEditorToolsVisibility={true}
      inputValueDeprecation={true}
      schemaDescription={true}
      {...start}
    >
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            {EXAMPLES.length > 0 && <ExamplesMenu examples={EXAMPLES} users={users} />}
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Logo>{users.length > 0 && <SignIn users={users} />}</GraphiQL.Logo>
    </GraphiQL>
  )
}

/** After a change of tab, GraphiQL briefly sends the operation name of the previous tab. A name that is not in the document is omitted. */
function createFetcher(url: string): Fetcher {
  const send = createGraphiQLFetcher({ url })
  return ({ operationName, ...rest }, options) => {
    const known = operationName && new RegExp(`\\b${operationName}\\b`).test(rest.query)
    return send(known ? { operationName, ...rest } : rest, options)
  }
}
