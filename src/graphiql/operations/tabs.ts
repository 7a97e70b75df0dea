import type { User } from '../config.js'
import { withAuthorization } from '../headers.js'
import type { Example } from './collection.js'

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

/** A tab with an example, signed in as the demo user it requires. */
export function exampleTab(example: Example, users: readonly User[], variables = example.variables): Tab {
  const user = users.find(({ login }) => login === example.user)
  return {
    query: example.query,
    variables: variables && JSON.stringify(variables, null, 2),
    headers: user ? withAuthorization(null, user.authorization) : null,
  }
}

/**
 * Returns the tabs of the last visit, or one with the first example. Sets the initial contents of the editors too, because GraphiQL fills them
 * from a tab only when the tab changes.
 */
export function startingTabs(first: Example | undefined, users: readonly User[], storage: Pick<Storage, 'getItem'>): Start {
  const stored = readStored(storage)
  const tabs = stored?.tabs ?? (first ? [exampleTab(first, users)] : [])
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
