import { HISTORY_PLUGIN } from '@graphiql/plugin-history'
import { GraphiQL } from 'graphiql'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { CallsPanel } from './calls/panel.js'
import { Runs } from './calls/runs.js'
import { CleanHistory } from './clean-history.js'
import type { Config } from './config.js'
import { useCorrections } from './corrections.js'
import { EDITOR_THEMES } from './editor-themes.js'
import type { Estimate } from './estimate/estimate.js'
import { EstimateLine, type EstimateSettings } from './estimate/estimate-line.js'
import { Notice } from './examples/notice.js'
import { PageContext } from './examples/open.js'
import { EXAMPLES } from './examples/operations.js'
import { EXAMPLES_PLUGIN } from './examples/pane.js'
import { SiteIds } from './examples/site-ids.js'
import { startingTabs } from './examples/tabs.js'
import { ExplainAccess } from './explain-access.js'
import { createFetcher } from './fetcher.js'
import { FIELDS_PLUGIN } from './fields/plugin.js'
import { Identity } from './identity/identity.js'
import { IdentityControl } from './identity/identity-control.js'
import { OpenedLink } from './share/opened-link.js'
import { ShareMenu } from './share/share-menu.js'
import { Start } from './start/start.js'
import { createStorage, storageOrMemory } from './storage.js'
import { Store } from './store.js'

const PLUGINS = [EXAMPLES_PLUGIN, FIELDS_PLUGIN, HISTORY_PLUGIN]

/** The gateway takes numbers for ids, as GraphQL says. The editor of variables would take texts only. */
const SCALARS = { ID: { type: ['string' as const, 'integer' as const] } }

/** GraphiQL with examples, a choice of callers, and the REST calls of each run. */
export function Page(config: Config) {
  const { users, signIn, explain } = config
  const isDemo = users.length > 0
  // The page is served at the path of the GraphQL endpoint.
  const url = location.pathname
  const [identity] = useState(() => new Identity({ url, signIn: isDemo ? [] : signIn, storage: storageOrMemory(() => sessionStorage) }))
  const [gateway] = useState(() => ({ url, headers: identity.headers, access: new ExplainAccess(explain) }))
  const [context] = useState(() => ({ config, url, headers: identity.headers, siteIds: new SiteIds() }))
  const [runs] = useState(() => new Runs())
  const [estimate] = useState(() => new Store<Estimate | undefined>(undefined))
  const [fetcher] = useState(() => createFetcher({ ...gateway, runs }))
  const [storage] = useState(() =>
    createStorage(
      storageOrMemory(() => localStorage),
      isDemo,
    ),
  )
  const [start] = useState(() => startingTabs(EXAMPLES[0], users, storage))
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
        defaultEditorToolsVisibility={true}
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
          <CallsPanel runs={runs} estimate={estimate} />
        </GraphiQL.Footer>
        <EstimateOfCaller {...gateway} estimate={estimate} identity={identity} />
        <CleanHistory isDemo={isDemo} />
        <OpenedLink runs={runs} />
        <Corrections />
      </GraphiQL>
    </PageContext>
  )
}

/** The estimate for the caller: it is requested again when somebody signs in or out. */
function EstimateOfCaller({ identity, ...settings }: EstimateSettings & { identity: Identity }) {
  const caller = useSyncExternalStore(identity.subscribe, identity.current)
  // biome-ignore lint/correctness/useExhaustiveDependencies: A new function says that the headers have changed.
  const headers = useMemo(() => () => identity.headers(), [identity, caller?.credentials])
  return <EstimateLine {...settings} headers={headers} />
}

function Corrections() {
  useCorrections()
  return null
}
