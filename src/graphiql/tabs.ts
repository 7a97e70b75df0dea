import type { User } from './config.js'
import type { Example } from './examples.js'
import { withAuthorization } from './headers.js'

const STORED_TABS = 'graphiql:tabState'

/** The contents of one tab. */
export interface Tab {
  query: string | null
  variables: string | null
  headers: string | null
}

/** The props of GraphiQL that set its initial contents. */
export interface Start {
  defaultTabs?: Tab[]
  initialQuery?: string
  initialVariables?: string
  initialHeaders?: string
}

/** A tab with an example, signed in as the user it requires. */
export function exampleTab(example: Example, users: readonly User[]): Tab {
  const user = users.find(({ login }) => login === example.user)
  return { query: example.query, variables: example.variables, headers: user ? withAuthorization(null, user.authorization) : null }
}

/**
 * Returns the tabs of the last visit, or the examples. Sets the initial contents of the editors too, because GraphiQL fills them from a tab
 * only when the tab changes. Without demo users, stored headers are removed: they belong to another site.
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
