import { useHistory, useHistoryActions } from '@graphiql/plugin-history'
import { useEffect } from 'react'
import { cleanTexts } from './storage.js'

/** Removes secrets from the history of this visit, which GraphiQL keeps in memory beside what it stores. */
export function CleanHistory({ isDemo }: { isDemo: boolean }) {
  const operations = useHistory()
  const { addToHistory, deleteFromHistory } = useHistoryActions()
  useEffect(() => {
    for (const operation of operations) {
      const { query, variables, headers } = operation
      const clean = cleanTexts({ query, variables, headers }, isDemo)
      if (clean.query === query && clean.variables === variables && (clean.headers || undefined) === (headers || undefined)) continue
      deleteFromHistory(operation)
      addToHistory({ ...operation, ...clean, headers: clean.headers ?? undefined } as typeof operation)
    }
  }, [operations, isDemo, addToHistory, deleteFromHistory])
  return null
}
