import { pick, ToolbarMenu, UnStyledButton, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import type { User } from './config.js'
import type { Example } from './examples.js'
import { exampleTab } from './tabs.js'

const LABEL = 'Open an example'

/** A menu of all examples: switches to the tab with the chosen one, or opens a new tab. */
export function ExamplesMenu({ examples, users }: { examples: readonly Example[]; users: readonly User[] }) {
  const { addTab, changeTab, updateActiveTabValues } = useGraphiQLActions()
  const { tabs, queryEditor, variableEditor, headerEditor } = useGraphiQL(pick('tabs', 'queryEditor', 'variableEditor', 'headerEditor'))

  const open = (example: Example) => {
    const tab = exampleTab(example, users)
    const index = tabs.findIndex(({ query }) => query === tab.query)
    if (index >= 0) return changeTab(index)
    addTab()
    queryEditor?.setValue(tab.query ?? '')
    variableEditor?.setValue(tab.variables ?? '')
    headerEditor?.setValue(tab.headers ?? '')
    updateActiveTabValues(tab)
  }

  return (
    <ToolbarMenu
      button={
        <UnStyledButton type="button" className="graphiql-toolbar-button" aria-label={LABEL} title={LABEL}>
          <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
            <path d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" strokeLinecap="round" />
          </svg>
        </UnStyledButton>
      }
    >
      {examples.map((example) => (
        <ToolbarMenu.Item key={example.title} onSelect={() => open(example)}>
          {example.title}
        </ToolbarMenu.Item>
      ))}
    </ToolbarMenu>
  )
}
