import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Runs } from './calls/runs.js'
import type { Config } from './config.js'
import type { Estimate } from './estimate/estimate.js'
import type { ExplainAccess } from './explain-access.js'
import type { Identity } from './identity/identity.js'
import type { Collection } from './operations/collection.js'
import type { SiteIds } from './operations/site-ids.js'
import type { View } from './panes.js'
import type { Store } from './store.js'

/** What several parts of the page need to know of it. */
export interface PageContext {
  readonly config: Config
  /** Address of the endpoint. */
  readonly url: string
  /** Who the caller is on all tabs. */
  readonly identity: Identity
  /** Headers that the page adds to those of the tab. */
  headers(): Record<string, string>
  readonly access: ExplainAccess
  /** The saved operations. */
  readonly collection: Collection
  readonly siteIds: SiteIds
  readonly runs: Runs
  readonly estimate: Store<Estimate | undefined>
  /** What a narrow screen shows. */
  readonly view: Store<View>
}

export const PageContext = createContext<PageContext | undefined>(undefined)

export function usePageContext(): PageContext {
  const context = useContext(PageContext)
  if (!context) throw new Error('The parts of the page must be inside of PageContext.')
  return context
}

/** The saved operations. A component that uses them is rendered again when they change. */
export function useCollection(): Collection {
  const { collection } = usePageContext()
  useSyncExternalStore(collection.subscribe, collection.current)
  return collection
}
