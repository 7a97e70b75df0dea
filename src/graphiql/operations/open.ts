import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useRef, useState } from 'react'
import { usePageContext } from '../page-context.js'
import { useTabTexts } from '../tab-state.js'
import { type Example, isExample } from './collection.js'
import { callerOf, canBeFound, openIds } from './site-ids.js'
import { exampleTab, type Tab } from './tabs.js'

/**
 * A function that switches to the tab with an example, or opens it in a new tab: in front of the embedded LMS as its demo user, in front of
 * other sites with their ids and the headers of the current tab. `opening` is the example whose ids are being read.
 */
export function useOpenExample(): { open(example: Example): Promise<void>; opening: Example | undefined } {
  const { config, url, headers, siteIds } = usePageContext()
  const { changeTab } = useGraphiQLActions()
  const texts = useTabTexts()
  const state = useGraphiQL(pick('tabs', 'headerEditor'))
  const latest = useRef(state)
  latest.current = state
  const [opening, setOpening] = useState<Example>()

  /** The example with the ids of the site, in a tab that sends the headers of the current one. */
  const siteTab = async (example: Example): Promise<Tab> => {
    const own = latest.current.headerEditor?.getValue() ?? null
    const variables = await siteIds.fill(example, ...callerOf(url, headers(), own))
    return { ...exampleTab(example, [], variables), headers: own }
  }

  /** The tab with the example, and whether it lacks no id that the site may know. */
  const find = (example: Example) => {
    const { tabs } = latest.current
    const index = tabs.findIndex(({ query }) => isExample(query, example))
    return { index, isComplete: config.embedded || !canBeFound(openIds(example, tabs[index]?.variables ?? null)) }
  }

  const open = async (example: Example) => {
    const { index, isComplete } = find(example)
    if (index >= 0 && isComplete) return changeTab(index)
    setOpening(example)
    try {
      const tab = config.embedded ? exampleTab(example, config.users) : await siteTab(example)
      // Tabs may have been opened, closed and changed meanwhile.
      const now = find(example)
      if (now.index >= 0) {
        changeTab(now.index)
        if (!now.isComplete) texts.set({ variables: tab.variables })
      } else texts.open(tab)
    } finally {
      setOpening(undefined)
    }
  }

  return { open, opening }
}
