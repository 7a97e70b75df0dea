import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useState } from 'react'
import type { Config } from './config.js'
import { ExamplesMenu } from './examples-menu.js'
import { EXAMPLES } from './operations.js'
import { SignIn } from './sign-in.js'
import { startingTabs } from './tabs.js'

/** GraphiQL with the example operations as tabs and a choice of demo users. */
export function Page({ endpoint, users }: Config) {
  const [fetcher] = useState(() => createFetcher(endpoint))
  const [start] = useState(() => startingTabs(EXAMPLES, users, localStorage))
  // The demo users' credentials are public, so a tab may remember its user; what one types for a real site is not stored.
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

/** For a moment after a change of tab GraphiQL still gives the name of the operation in the tab before: such a name is left out. */
function createFetcher(url: string): Fetcher {
  const send = createGraphiQLFetcher({ url })
  return ({ operationName, ...rest }, options) => {
    const known = operationName && new RegExp(`\\b${operationName}\\b`).test(rest.query)
    return send(known ? { operationName, ...rest } : rest, options)
  }
}
