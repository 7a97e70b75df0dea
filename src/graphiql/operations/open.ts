import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useRef, useState } from 'react'
import { usePageContext } from '../page-context.js'
import { useTabTexts } from '../tab-state.js'
import { nameIn, type SavedOperation } from './collection.js'
import { callerOf, canBeFound, openIds } from './site-ids.js'
import { operationTab, type Tab } from './tabs.js'

/**
 * A function that switches to the tab with an operation, or opens it in a new tab: in front of the embedded LMS as the demo user of its role,
 * in front of other sites with their ids and the headers of the current tab. `opening` is the operation whose ids are being read.
 */
export function useOpenOperation(): { open(operation: SavedOperation): Promise<void>; opening: SavedOperation | undefined } {
  const { config, url, headers, siteIds, collection } = usePageContext()
  const { changeTab } = useGraphiQLActions()
  const texts = useTabTexts()
  const state = useGraphiQL(pick('tabs', 'headerEditor'))
  const latest = useRef(state)
  latest.current = state
  const [opening, setOpening] = useState<SavedOperation>()

  /** The operation with the ids of the site, in a tab that sends the headers of the current one. */
  const siteTab = async (operation: SavedOperation): Promise<Tab> => {
    const own = latest.current.headerEditor?.getValue() ?? null
    const variables = await siteIds.fill(operation, ...callerOf(url, headers(), own))
    return { ...operationTab(operation, [], variables), headers: own }
  }

  /** The tab with the operation, whether it lacks no id that the site may know, and whether its file has another text now. */
  const find = (operation: SavedOperation) => {
    const { tabs } = latest.current
    const index = tabs.findIndex(({ query }) => nameIn(query) === operation.name)
    const { query = null, variables = null } = tabs[index] ?? {}
    const isComplete = config.embedded || !canBeFound(openIds(operation, variables))
    return { index, isComplete, isReplaced: collection.replaced.has(query) }
  }

  const open = async (operation: SavedOperation) => {
    if (opening) return
    const { index, isComplete, isReplaced } = find(operation)
    if (index >= 0 && isComplete && !isReplaced) return changeTab(index)
    setOpening(operation)
    try {
      const tab = config.embedded ? operationTab(operation, config.users) : await siteTab(operation)
      // Tabs may have been opened, closed and changed meanwhile.
      const now = find(operation)
      if (now.index >= 0) {
        changeTab(now.index)
        if (!now.isComplete) texts.set({ variables: tab.variables })
        if (now.isReplaced) texts.set({ query: tab.query })
      } else texts.open(tab)
    } finally {
      setOpening(undefined)
    }
  }

  return { open, opening }
}
