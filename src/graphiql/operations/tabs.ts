import type { GraphiQLProps } from 'graphiql'
import { jsonIn } from '../../maps.js'
import type { User } from '../config.js'
import { withAuthorization } from '../headers.js'
import type { SavedOperation } from './collection.js'

const STORED_TABS = 'graphiql:tabState'

/** The contents of one tab. */
export interface Tab {
  query: string | null
  variables: string | null
  headers: string | null
}

/** The props of GraphiQL that set its initial contents. */
export type Start = Pick<GraphiQLProps, 'defaultTabs' | 'initialQuery' | 'initialVariables' | 'initialHeaders'>

/** Roles of demo users in the embedded LMS, by the roles of operations. */
const ROLES: Readonly<Record<string, string>> = { administrator: 'admin', editor: 'leader', learner: 'subscriber' }

/** The demo user who runs an operation; undefined when nobody signs in for it. */
export const userOf = ({ role }: SavedOperation, users: readonly User[]): User | undefined =>
  users.find((user) => user.role === ROLES[role ?? ''])

/** A tab with an operation, signed in as the demo user of its role. */
export function operationTab(operation: SavedOperation, users: readonly User[], variables = operation.variables): Tab {
  const user = userOf(operation, users)
  return {
    query: operation.query,
    variables: variables && JSON.stringify(variables, null, 2),
    headers: user ? withAuthorization(null, user.authorization) : null,
  }
}

/**
 * Returns the tabs of the last visit, or one with the first operation. Sets the initial contents of the editors too, because GraphiQL fills them
 * from a tab only when the tab changes.
 */
export function startingTabs(first: SavedOperation | undefined, users: readonly User[], storage: Pick<Storage, 'getItem'>): Start {
  const stored = readStored(storage)
  const tabs = stored?.tabs ?? (first ? [operationTab(first, users)] : [])
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
  const stored = Object(jsonIn(storage.getItem(STORED_TABS) ?? ''))
  return Array.isArray(stored.tabs) && stored.tabs[stored.activeTabIndex] ? stored : undefined
}
