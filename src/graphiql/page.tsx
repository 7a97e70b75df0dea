import { HISTORY_PLUGIN } from '@graphiql/plugin-history'
import { GraphiQL } from 'graphiql'
import { useEffect, useState } from 'react'
import { CallsPanel } from './calls/panel.js'
import { Runs } from './calls/runs.js'
import { CleanHistory } from './clean-history.js'
import type { Config } from './config.js'
import { useCorrections } from './corrections.js'
import { EDITOR_THEMES } from './editor-themes.js'
import type { Estimate } from './estimate/estimate.js'
import { useEstimator } from './estimate/estimator.js'
import { ExplainAccess } from './explain-access.js'
import { createFetcher } from './fetcher.js'
import { FIELDS_PLUGIN } from './fields/plugin.js'
import { Identity } from './identity/identity.js'
import { IdentityControl } from './identity/identity-control.js'
import type { Collection } from './operations/collection.js'
import { Notice } from './operations/notice.js'
import { OPERATIONS_PLUGIN } from './operations/pane.js'
import { SiteIds } from './operations/site-ids.js'
import { startingTabs } from './operations/tabs.js'
import { PageContext } from './page-context.js'
import type { View } from './panes.js'
import { OpenedLink } from './share/opened-link.js'
import { ShareMenu } from './share/share-menu.js'
import { Start } from './start/start.js'
import { StatusBar } from './status/status-bar.js'
import { createStorage, storageOrMemory } from './storage.js'
import { Store } from './store.js'

const PLUGINS = [OPERATIONS_PLUGIN, FIELDS_PLUGIN, HISTORY_PLUGIN]

/** The gateway takes numbers for ids, as GraphQL says. The editor of variables would take texts only. */
const SCALARS = { ID: { type: ['string' as const, 'integer' as const] } }

/** GraphiQL with saved operations, a choice of callers, and the REST calls of each run. */
export function Page({ config, collection }: { config: Config; collection: Collection }) {
  const { users, signIn, explain } = config
  const isDemo = users.length > 0
  // The page is served at the path of the GraphQL endpoint.
  const url = location.pathname
  const [identity] = useState(() => new Identity({ url, signIn: isDemo ? [] : signIn, storage: storageOrMemory(() => sessionStorage) }))
  const [context] = useState(() => ({
    config,
    url,
    identity,
    headers: identity.headers,
    access: new ExplainAccess(explain),
    collection,
    siteIds: new SiteIds(),
    runs: new Runs(),
    estimate: new Store<Estimate | undefined>(undefined),
    view: new Store<View>('Query'),
  }))
  const [fetcher] = useState(() => createFetcher(context))
  const [storage] = useState(() =>
    createStorage(
      storageOrMemory(() => localStorage),
      isDemo,
    ),
  )
  const [start] = useState(() => startingTabs(collection.current().operations[0], users, storage))
  // What the site has told one caller is not for the next one.
  useEffect(() => identity.subscribe(() => context.siteIds.clear()), [identity, context])
  // Headers are stored only for demo users, whose credentials are public.
  return (
    <PageContext value={context}>
      <GraphiQL
        fetcher={fetcher}
        storage={storage}
        plugins={PLUGINS}
        customScalarSchemas={SCALARS}
        editorTheme={EDITOR_THEMES}
        shouldPersistHeaders={isDemo}
        defaultEditorToolsVisibility={false}
        inputValueDeprecation={true}
        schemaDescription={true}
        {...start}
      >
        <GraphiQL.Toolbar>
          {({ prettify, merge }) => (
            <>
              {prettify}
              {merge}
              <ShareMenu headers={identity.headers} />
            </>
          )}
        </GraphiQL.Toolbar>
        <GraphiQL.Logo>
          <h1 className="name">lms-graphql</h1>
          <IdentityControl config={config} identity={identity} />
        </GraphiQL.Logo>
        <GraphiQL.Footer>
          <Start />
          <Notice />
          <CallsPanel />
        </GraphiQL.Footer>
        <StatusBar />
        <CleanHistory isDemo={isDemo} />
        <OpenedLink runs={context.runs} />
        <Behaviour />
      </GraphiQL>
    </PageContext>
  )
}

function Behaviour() {
  useCorrections()
  useEstimator()
  return null
}
