import { type MonacoEditor, pick, useGraphiQL, useMonaco } from '@graphiql/react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { EDITOR_THEME_DATA, EDITOR_THEMES } from './editor-themes.js'
import { useTab } from './tab-state.js'

/** Sets what GraphiQL has no props for, so that the page is readable, and can be used by keyboard and screen readers. */
export function useCorrections(): void {
  useEditorThemes()
  useEditorOptions()
  useTabRoles()
  useTabsInView()
  useFoldedVariables()
  useHistoryNames()
}

/** Defines the themes before GraphiQL creates the editors. */
function useEditorThemes(): void {
  const monaco = useMonaco(({ monaco }) => monaco)
  useLayoutEffect(() => {
    for (const scheme of ['light', 'dark'] as const) monaco?.editor.defineTheme(EDITOR_THEMES[scheme], EDITOR_THEME_DATA[scheme])
  }, [monaco])
}

/** The editors, with their names for screen readers. */
const EDITORS = [
  ['queryEditor', 'Query'],
  ['variableEditor', 'Variables'],
  ['headerEditor', 'Headers'],
  ['responseEditor', 'Response'],
] as const

/** When the escape key has no other meaning in an editor. */
const ESCAPE_IS_FREE = [
  '!suggestWidgetVisible',
  '!findWidgetVisible',
  '!parameterHintsVisible',
  '!renameInputVisible',
  '!inSnippetMode',
  '!markersNavigationVisible',
  '!referenceSearchVisible',
  '!editorHasMultipleSelections',
  '!editorHasSelection',
].join(' && ')

/**
 * Names the editors and lets Escape leave them. In GraphiQL, the frame of an editor takes the focus, Enter leads into the editor, and Tab indents
 * there; Escape leads back to the frame. Long lines are wrapped, and dashes and quotes have no box around them.
 */
function useEditorOptions(): void {
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'))
  const monaco = useMonaco(({ monaco }) => monaco)
  for (const [key, name] of EDITORS) {
    const editor: MonacoEditor | undefined = editors[key]
    // The same hooks in the same order at each call.
    useEffect(() => {
      if (!editor || !monaco) return
      const frame = editor.getContainerDomNode()
      if (frame.tagName === 'DIV') frame.setAttribute('role', 'group')
      frame.setAttribute('aria-label', `${name}: press Enter to go in`)
      editor.updateOptions({
        ariaLabel: `${name}: press Escape to leave`,
        unicodeHighlight: { ambiguousCharacters: false },
        wordWrap: 'on',
        wrappingIndent: 'indent',
      })
      const leave = editor.addAction({
        id: 'leave-editor',
        label: 'Leave the Editor',
        keybindings: [monaco.KeyCode.Escape],
        precondition: ESCAPE_IS_FREE,
        run: () => frame.focus(),
      })
      return () => leave.dispose()
    }, [editor, monaco])
  }
}

/**
 * Makes the tabs a list of buttons, and marks the current one. GraphiQL gives the role `tab` to list items that contain two buttons: screen readers
 * do not show buttons in a tab, and expect to move between tabs by arrow keys, which GraphiQL does not offer.
 */
function useTabRoles(): void {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: GraphiQL renders the tabs when these change.
  useLayoutEffect(() => {
    const list = document.querySelector('.graphiql-tabs')
    list?.setAttribute('role', 'list')
    document.getElementById('graphiql-session')?.setAttribute('role', 'region')
    for (const item of list?.querySelectorAll('.graphiql-tab') ?? []) {
      const button = item.querySelector('.graphiql-tab-button')
      item.setAttribute('role', 'listitem')
      item.removeAttribute('aria-selected')
      button?.setAttribute('aria-current', String(item.classList.contains('graphiql-tab-active')))
      item.querySelector('.graphiql-tab-close')?.setAttribute('aria-label', `Close ${button?.textContent ?? 'Tab'}`)
    }
  }, [tabs, activeTabIndex])
}

/** Scrolls the current tab into view, and marks the ends of the list behind which there are more tabs. */
function useTabsInView(): void {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: GraphiQL renders the tabs when these change.
  useEffect(() => {
    const list = document.querySelector<HTMLElement>('.graphiql-tabs')
    if (!list) return
    const mark = () => {
      list.toggleAttribute('data-more-before', list.scrollLeft > 1)
      list.toggleAttribute('data-more-after', list.scrollLeft + list.clientWidth < list.scrollWidth - 1)
    }
    const show = () => {
      list.children[activeTabIndex]?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      mark()
    }
    // It also reports the size at the start.
    const observer = new ResizeObserver(show)
    observer.observe(list)
    list.addEventListener('scroll', mark)
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', mark)
    }
  }, [tabs, activeTabIndex])
}

/** A variable without which an operation does not run. */
const NEEDED = /\$\w+\s*:\s*[\w[\]!]*!(?!\s*[=!\]])/

/** Shows the variables when a tab with variables is opened, or the operation comes to need one. Hides them when a tab without them is opened. */
function useFoldedVariables(): void {
  const { id, query, variables } = useTab() ?? {}
  const isNeeded = Boolean(variables?.trim()) || NEEDED.test(query ?? '')
  const last = useRef<string>(undefined)
  useEffect(() => {
    const isOther = last.current !== id
    last.current = id
    if (isNeeded || isOther) document.querySelector<HTMLElement>(`[aria-label="${isNeeded ? 'Show' : 'Hide'} editor tools"]`)?.click()
  }, [id, isNeeded])
}

/** Names each operation of the history as it is shown. GraphiQL names all of them "Set active". */
function useHistoryNames(): void {
  useEffect(() => {
    const pane = document.querySelector('.graphiql-plugin')
    if (!pane) return
    const correct = () => {
      for (const button of pane.querySelectorAll('.graphiql-history-item-label[aria-label]')) button.removeAttribute('aria-label')
    }
    const observer = new MutationObserver(correct)
    observer.observe(pane, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
}
