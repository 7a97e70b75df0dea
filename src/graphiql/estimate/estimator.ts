import { type MonacoEditor, pick, useGraphiQL } from '@graphiql/react'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { rangeIn } from '../editors.js'
import { type HttpHeaders, mergedHeaders, objectIn } from '../headers.js'
import { usePageContext } from '../page-context.js'
import { useTab } from '../tab-state.js'
import { type EstimatedField, estimatedFields, operationAt, requestEstimate } from './estimate.js'
import './marks.css'

/** Milliseconds without a change after which the estimate is requested. */
const REQUEST_DELAY = 350

/**
 * Keeps the estimate of the operation in the editors, and marks the fields that lead to REST calls in the margin. Nothing runs for it. The estimate
 * is requested when the editors have not changed for a moment; the request before is aborted. Undefined after a change of tab, until the gateway
 * has answered.
 */
export function useEstimator(): void {
  const { url, headers, access, identity, estimate: store } = usePageContext()
  const { queryEditor, variableEditor, headerEditor, schema, operationName, isFetching } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'schema', 'operationName', 'isFetching'),
  )
  const tab = useTab()?.id
  const estimate = useSyncExternalStore(store.subscribe, store.current)
  const credentials = useSyncExternalStore(identity.subscribe, identity.current)?.credentials

  // Before the browser paints: no part shows the estimate of another tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useLayoutEffect(() => store.set(undefined), [store, tab])
  useEffect(() => {
    if (queryEditor && estimate?.kind === 'plan') return markMargin(queryEditor, estimate.operation.query, estimatedFields(estimate))
  }, [queryEditor, estimate])

  // biome-ignore lint/correctness/useExhaustiveDependencies: It is requested again when somebody signs in or out.
  useEffect(() => {
    // Asks again after a run, because the gateway has learned sizes from it.
    if (!queryEditor || !schema || isFetching) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let controller = new AbortController()
    let asked = ''

    const ask = async () => {
      const request = requestOf({ queryEditor, variableEditor, headerEditor }, schema, operationName, headers)
      if (!request || !access.allows(request.headers)) {
        asked = ''
        controller.abort()
        return store.set(undefined)
      }
      const key = JSON.stringify(request)
      if (key === asked) return
      asked = key
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      try {
        const answer = await requestEstimate(request.operation, { url, headers: request.headers, access, signal })
        if (!signal.aborted) store.set(answer)
      } catch {
        // Aborted, or the gateway cannot be reached: a run says so.
        if (!signal.aborted) store.set(undefined)
      }
    }
    const schedule = () => {
      clearTimeout(timer)
      timer = setTimeout(ask, REQUEST_DELAY)
    }
    const subscriptions = [
      ...[queryEditor, variableEditor, headerEditor].map((editor) => editor?.onDidChangeModelContent(schedule)),
      queryEditor.onDidChangeCursorPosition(schedule),
    ]
    schedule()
    return () => {
      clearTimeout(timer)
      controller.abort()
      for (const subscription of subscriptions) subscription?.dispose()
    }
  }, [queryEditor, variableEditor, headerEditor, schema, operationName, isFetching, url, headers, access, store, credentials, tab])
}

interface Editors {
  queryEditor: MonacoEditor
  variableEditor: MonacoEditor | undefined
  headerEditor: MonacoEditor | undefined
}

/** The operation in the editors with its headers; undefined if the document, the variables or the headers are not valid. */
function requestOf(
  { queryEditor, variableEditor, headerEditor }: Editors,
  schema: GraphQLSchema,
  preferred: string | undefined,
  page: () => HttpHeaders,
) {
  const query = queryEditor.getValue()
  const [position, model] = [queryEditor.getPosition(), queryEditor.getModel()]
  const operationName = operationAt(query, schema, position && model ? model.getOffsetAt(position) : 0, preferred)
  const variables = objectIn(variableEditor?.getValue())
  const own = objectIn(headerEditor?.getValue())
  if (operationName === undefined || !variables || !own) return undefined
  return { operation: { query, operationName: operationName ?? undefined, variables }, headers: mergedHeaders(page(), own) }
}

/** Marks the fields that lead to REST calls in the margin, if the editor still has the text. Returns a function that removes the marks. */
function markMargin(editor: MonacoEditor, query: string, fields: readonly EstimatedField[]): (() => void) | undefined {
  const model = editor.getModel()
  if (!model || model.getValue() !== query) return undefined
  const collection = editor.createDecorationsCollection(
    fields.map(({ name: [start], isExpensive, path, text }) => ({
      range: rangeIn(model, start, start),
      options: {
        linesDecorationsClassName: isExpensive ? 'estimate-mark estimate-mark-expensive' : 'estimate-mark',
        linesDecorationsTooltip: `${path}\n${text}`,
      },
    })),
  )
  return () => collection.clear()
}
