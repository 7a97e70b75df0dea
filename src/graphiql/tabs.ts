import type { User } from './config.js'
import type { Example } from './examples.js'
import { withAuthorization } from './headers.js'

const STORED_TABS = 'graphiql:tabState'

/** What one tab holds. */
export interface Tab {
  query: string | null
  variables: string | null
  headers: string | null
}

/** The part of GraphiQL's properties that decides what it opens with. */
export interface Start {
  defaultTabs?: Tab[]
  initialQuery?: string
  initialVariables?: string
  initialHeaders?: string
}

/** An example as a tab, signed in as the user it needs. */
export function exampleTab(example: Example, users: readonly User[]): Tab {
  const user = users.find(({ login }) => login === example.user)
  return { query: example.query, variables: example.variables, headers: user ? withAuthorization(null, user.authorization) : null }
}

/**
 * The tabs of the last visit, or else the examples. The editors' first contents are given as well: GraphiQL fills them from a tab
 * only when one changes to it. Without demo users, stored headers are forgotten: they signed in to another site.
 */
export function startingTabs(examples: readonly Example[], users: readonly User[], storage: Pick<Storage, 'getItem' | 'setItem'>): Start {
  const stored = readStored(storage)
  if (stored && users.length === 0) {
    for (const tab of stored.tabs) tab.headers = null
    storage.setItem(STORED_TABS, JSON.stringify(stored))
  }
  const tabs = stored?.tabs ?? examples.map((example) => exampleTab(example, users))
  const active = tabs[stored?.activeTabIndex ?? 0]
  if (!active) return {}
  return {
    defaultTabs: tabs,
    initialQuery: active.query ?? '',
    initialVariables: active.variables ?? '',
    initialHeaders: active.headers ?? '',
  }
}

function readStored(storage: Pick<Storage, 'getItem'>): { tabs: Tab[]; activeTabIndex: number } | undefined {
  try {
    const stored = JSON.parse(storage.getItem(STORED_TABS) ?? 'null')
    return Array.isArray(stored?.tabs) && stored.tabs[stored.activeTabIndex] ? stored : undefined
  } catch {
    return undefined
  }
}
