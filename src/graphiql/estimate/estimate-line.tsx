import { type MonacoEditor, pick, useGraphiQL } from '@graphiql/react'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { rangeIn, select } from '../editors.js'
import type { ExplainAccess } from '../explain-access.js'
import { type HttpHeaders, mergedHeaders, objectIn } from '../headers.js'
import type { Store } from '../store.js'
import { digits } from '../words.js'
import { type Estimate, type EstimatedField, estimatedFields, estimateText, levelOf, operationAt, requestEstimate } from './estimate.js'
import './estimate-line.css'

/** Milliseconds without a change after which the estimate is requested. */
const REQUEST_DELAY = 350

/** Milliseconds without a change after which the estimate is announced to screen readers. */
const ANNOUNCE_DELAY = 2000

/** Settings of `EstimateLine`. */
export interface EstimateSettings {
  url: string
  /** Headers of all requests of the page. A new function means that they may have changed. */
  headers: () => HttpHeaders
  access: ExplainAccess
  /** Set to the estimate, for the other parts of the page that show it. */
  estimate: Store<Estimate | undefined>
}

/**
 * A line in the lower right corner of the query editor with the REST calls that the operation would make, and marks in the margin at the fields that
 * lead to them. Nothing runs for it.
 */
export function EstimateLine(settings: EstimateSettings) {
  const { queryEditor } = useGraphiQL(pick('queryEditor'))
  const [node] = useState(() => Object.assign(document.createElement('div'), { className: 'estimate-widget' }))
  const estimate = useEstimate(settings)
  const { set } = settings.estimate
  // Before the browser paints: no part shows the estimate of another tab.
  useLayoutEffect(() => set(estimate), [set, estimate])
  const fields = estimate?.kind === 'plan' ? estimatedFields(estimate) : []

  useEffect(() => {
    if (!queryEditor) return
    // The lower right corner of the text; the style sheet moves the line up and to the left by its own size.
    const getPosition = () => {
      const { height, contentLeft, contentWidth } = queryEditor.getLayoutInfo()
      return { preference: { top: height - 4, left: contentLeft + contentWidth } }
    }
    const widget = { getId: () => 'estimate', getDomNode: () => node, getPosition }
    queryEditor.addOverlayWidget(widget)
    // The line covers no text at the end of the query.
    queryEditor.updateOptions({ padding: { bottom: 32 } })
    const subscription = queryEditor.onDidLayoutChange(() => queryEditor.layoutOverlayWidget(widget))
    return () => {
      subscription.dispose()
      queryEditor.removeOverlayWidget(widget)
    }
  }, [queryEditor, node])

  useEffect(() => {
    if (queryEditor && estimate?.kind === 'plan') return markMargin(queryEditor, estimate.operation.query, estimatedFields(estimate))
  }, [queryEditor, estimate])

  const show = ({ name }: EstimatedField) => queryEditor && select(queryEditor, ...name)

  return createPortal(
    estimate && (
      <section
        className="estimate-line"
        aria-label="Cost of the operation"
        data-level={estimate.kind === 'plan' ? levelOf(estimate.plan) : 'problem'}
      >
        <Line estimate={estimate} fields={fields} show={show} />
        <Announcement text={estimate.kind === 'plan' ? (estimate.plan.refusal ?? estimateText(estimate.plan)) : ''} />
      </section>
    ),
    node,
  )
}

function Line({
  estimate,
  fields,
  show,
}: {
  estimate: Estimate
  fields: readonly EstimatedField[]
  show: (field: EstimatedField) => void
}) {
  if (estimate.kind === 'problem') return <p>No estimate: {estimate.message}</p>
  const { plan } = estimate
  const level = levelOf(plan)
  const expensive = level === 'low' ? [] : fields.filter((field) => field.isExpensive)
  return (
    <>
      <p className="estimate-sum">{estimateText(plan)}</p>
      {plan.refusal !== undefined && <p className="estimate-refusal">{plan.refusal}</p>}
      {expensive.length > 0 && (
        <p>
          Most calls:{' '}
          {expensive.map((field) => (
            <button key={field.path} type="button" title={field.text} onClick={() => show(field)}>
              {field.path} <span>{digits(Math.ceil(field.expected))}</span>
            </button>
          ))}
        </p>
      )}
    </>
  )
}

/** Announces a text to screen readers when it has not changed for a while. */
function Announcement({ text }: { text: string }) {
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    const timer = setTimeout(setAnnounced, ANNOUNCE_DELAY, text)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <p role="status" className="visually-hidden">
      {announced}
    </p>
  )
}

/**
 * The estimate of the operation in the editors. It is requested when they have not changed for a moment; the request before is aborted.
 * Undefined after a change of tab, until the gateway has answered.
 */
function useEstimate({ url, headers, access }: Omit<EstimateSettings, 'estimate'>): Estimate | undefined {
  const { queryEditor, variableEditor, headerEditor, schema, operationName, isFetching, tabs, activeTabIndex } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'schema', 'operationName', 'isFetching', 'tabs', 'activeTabIndex'),
  )
  const tab = tabs[activeTabIndex]?.id
  const [last, setLast] = useState<{ estimate: Estimate | undefined; tab: string | undefined }>()

  useEffect(() => {
    // Asks again after a run, because the gateway has learned sizes from it.
    if (!queryEditor || !schema || isFetching) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let controller = new AbortController()
    let asked = ''
    const setEstimate = (estimate: Estimate | undefined) => setLast({ estimate, tab })

    const ask = async () => {
      const request = requestOf({ queryEditor, variableEditor, headerEditor }, schema, operationName, headers)
      if (!request || !access.allows(request.headers)) {
        asked = ''
        controller.abort()
        return setEstimate(undefined)
      }
      const key = JSON.stringify(request)
      if (key === asked) return
      asked = key
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      try {
        const answer = await requestEstimate(request.operation, { url, headers: request.headers, access, signal })
        if (!signal.aborted) setEstimate(answer)
      } catch {
        // Aborted, or the gateway cannot be reached: a run says so.
        if (!signal.aborted) setEstimate(undefined)
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
  }, [queryEditor, variableEditor, headerEditor, schema, operationName, isFetching, url, headers, access, tab])

  return last?.tab === tab ? last?.estimate : undefined
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
