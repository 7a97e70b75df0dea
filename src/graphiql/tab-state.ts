import { pick, type TabsState, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useMemo, useRef, useSyncExternalStore } from 'react'
import { isObject, jsonIn } from '../maps.js'
import { changeSince, type Run } from './calls/runs.js'
import { credentialsIn } from './identity/identity.js'
import type { Tab } from './operations/tabs.js'
import { usePageContext } from './page-context.js'

/** The current tab. */
export const useTab = (): TabsState['tabs'][number] | undefined => useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex])

/** Functions that set texts of the current tab, and that open a tab with texts. */
export function useTabTexts(): { set(texts: Partial<Tab>): void; open(texts: Partial<Tab>): void } {
  const { addTab, stop, updateActiveTabValues } = useGraphiQLActions()
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor'))
  const latest = useRef(editors)
  latest.current = editors
  const set = (texts: Partial<Tab>) => {
    const { queryEditor, variableEditor, headerEditor } = latest.current
    if ('query' in texts) queryEditor?.setValue(texts.query ?? '')
    if ('variables' in texts) variableEditor?.setValue(texts.variables ?? '')
    if ('headers' in texts) headerEditor?.setValue(texts.headers ?? '')
    updateActiveTabValues(texts)
  }
  const open = (texts: Partial<Tab>) => {
    // `addTab` does not stop a run, which would write its response into the new tab.
    stop()
    addTab()
    set(texts)
  }
  return { set, open }
}

/** The last run of the current tab, and what has changed in the tab since, in words. */
export function useRun(): { run: Run | undefined; change: string | undefined } {
  const { runs, identity, headers } = usePageContext()
  const tab = useTab()
  // The headers of the page are those of the caller.
  useSyncExternalStore(identity.subscribe, identity.current)
  const run = useSyncExternalStore(runs.subscribe, () => runs.of(tab?.id))
  return { run, change: run && tab && changeSince(run, tab, headers()) }
}

/** Whether the operations of the current tab are sent with credentials. */
export function useIsSignedIn(): boolean {
  const { identity } = usePageContext()
  const caller = useSyncExternalStore(identity.subscribe, identity.current)
  const tab = useTab()
  return caller !== undefined || credentialsIn(tab?.headers).length > 0
}

/** An error of a response. */
export interface ResponseError {
  readonly path?: readonly (string | number)[]
}

/** What there is to say of the response of the current tab: its errors, and its size as JSON without spaces. Undefined if it is none. */
export function useResponse(): { errors: readonly ResponseError[]; bytes: number } | undefined {
  const response = useTab()?.response
  return useMemo(() => {
    const result = jsonIn(response ?? '')
    if (isObject(result)) return { errors: Object(result.errors ?? []), bytes: new TextEncoder().encode(JSON.stringify(result)).length }
  }, [response])
}
