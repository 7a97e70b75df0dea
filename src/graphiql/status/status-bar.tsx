import { useGraphiQL } from '@graphiql/react'
import { type ReactNode, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { errorsOf } from '../calls/places.js'
import type { Run } from '../calls/runs.js'
import { select } from '../editors.js'
import { type Estimate, estimateDetails, estimateText, levelOf } from '../estimate/estimate.js'
import { usePageContext } from '../page-context.js'
import { VIEWS } from '../panes.js'
import { useResponse, useRun, useTab } from '../tab-state.js'
import { Text } from '../text.js'
import { count, digits, milliseconds, size } from '../words.js'
import './status.css'

/**
 * One line below the editors. Before a run: how many REST calls the query needs. After it: what the response is like. On narrow screens also the
 * choice of what is shown.
 */
export function StatusBar() {
  const { estimate: estimates, view } = usePageContext()
  const isFetching = useGraphiQL((state) => state.isFetching)
  const tab = useTab()?.id
  const { run, change } = useRun()
  const estimate = useSyncExternalStore(estimates.subscribe, estimates.current)
  const shown = useSyncExternalStore(view.subscribe, view.current)
  const [place, setPlace] = useState<Element | null>(null)
  useLayoutEffect(() => setPlace(document.querySelector('.graphiql-sessions')), [])
  useLayoutEffect(() => place?.setAttribute('data-view', shown), [place, shown])
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another tab begins with its query.
  useEffect(() => view.set('Query'), [view, tab])
  useEffect(() => {
    if (isFetching) view.set('Response')
  }, [view, isFetching])
  if (!place) return null
  const isBefore = run === undefined || change !== undefined
  return createPortal(
    <section className="status-bar" aria-label="Status">
      {/* biome-ignore lint/a11y/useSemanticElements: A group of buttons is no set of form fields. */}
      <div className="views" role="group" aria-label="View">
        {VIEWS.map((each) => (
          <button key={each} type="button" aria-pressed={each === shown} onClick={() => view.set(each)}>
            {each}
          </button>
        ))}
      </div>
      <div className="status-line" role="status">
        {isBefore && estimate && <Before estimate={estimate} />}
        {run && (
          <span className="status-run">
            {isBefore && <span className="status-last">Last run:</span>}
            <After run={run} />
          </span>
        )}
      </div>
    </section>,
    place,
  )
}

/** What is known before a run. */
function Before({ estimate }: { estimate: Estimate }) {
  if (estimate.kind === 'problem') {
    return (
      <span>
        No estimate: <Text>{estimate.message}</Text>
      </span>
    )
  }
  const { plan } = estimate
  return (
    <>
      <Calls details={estimateDetails(plan)} level={levelOf(plan)}>
        {estimateText(plan)}
      </Calls>
      {plan.refusal !== undefined && (
        <p className="status-refusal">
          <Text>{plan.refusal}</Text>
        </p>
      )}
    </>
  )
}

/** What is known of a run. */
function After({ run: { outcome, answer } }: { run: Run }) {
  const { maxCalls } = usePageContext().config
  const response = useResponse()
  if (!answer || !response) return <span>{WITHOUT_ANSWER[outcome.kind] ?? 'No response'}</span>
  const calls = outcome.kind === 'explained' ? outcome.explanation.actual.calls : outcome.kind === 'refused' ? 0 : undefined
  return (
    <>
      <span className={answer.status >= 400 ? 'status-bad' : undefined} title="HTTP status of the response">
        {answer.status}
      </span>
      <span title="Time until this page had the whole response">{milliseconds(answer.time)}</span>
      <span title="Size of the response before compression">{size(response.bytes)}</span>
      {calls !== undefined && (
        <Calls details={`The run made ${count(calls, 'REST call')}. A query may make ${digits(maxCalls)}.`} level="low">
          {digits(calls)} of {count(maxCalls, 'call')}
        </Calls>
      )}
      <Errors number={response.errors.length} />
    </>
  )
}

const WITHOUT_ANSWER: Readonly<Partial<Record<Run['outcome']['kind'], string>>> = { running: 'Running…', stopped: 'Stopped' }

/** A number of REST calls. It leads to the panel that lists them. */
function Calls({ details, level, children }: { details: string; level: string; children: ReactNode }) {
  const { view } = usePageContext()
  const show = () => {
    view.set('Calls')
    document.querySelector<HTMLElement>('.calls-toggle[aria-expanded="false"]')?.click()
  }
  return (
    <button type="button" className="status-calls" data-level={level} title={details} onClick={show}>
      {children}
    </button>
  )
}

/** How many errors the response has. It leads to the first of them, then to the next one each time. */
function Errors({ number }: { number: number }) {
  const { view } = usePageContext()
  const responseEditor = useGraphiQL((state) => state.responseEditor)
  if (number === 0) return <span>0 errors</span>
  const showNext = () => {
    const [model, position] = [responseEditor?.getModel(), responseEditor?.getPosition()]
    if (!responseEditor || !model || !position) return
    const places = errorsOf(model.getValue())
    // The cursor is at the end of the error that is selected.
    const place = places.find(([, end]) => end > model.getOffsetAt(position)) ?? places[0]
    view.set('Response')
    // After the editor has got the size that it has in this view.
    if (place) requestAnimationFrame(() => setTimeout(() => select(responseEditor, ...place)))
  }
  return (
    <button type="button" className="status-bad" title="Show the next error in the response" onClick={showNext}>
      {count(number, 'error')}
    </button>
  )
}
