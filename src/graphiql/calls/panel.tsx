import { ChevronDownIcon, ChevronUpIcon, pick, UnStyledButton, useGraphiQL } from '@graphiql/react'
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { usePageContext } from '../page-context.js'
import { useResponse, useRun, useTab } from '../tab-state.js'
import { count, digits, milliseconds, STEP, size } from '../words.js'
import type { Call } from './explanation.js'
import { type Marks, useMarks } from './marks.js'
import { PlanTable } from './plan-table.js'
import type { Outcome } from './runs.js'
import { isFailed, PHASES, parametersOf, type Row, reasonNotSent, remarksOf, wasSent, waterfallOf, withHarmless } from './waterfall.js'
import './panel.css'

/** Heights of the list in pixels. */
const HEIGHT = { least: 96, first: 236, most: 900, step: 24 }

/** Share of the time axis up to which ticks have labels: a later one would be cut. */
const LAST_LABEL = 0.76

/**
 * The REST calls of the last run of the open tab: totals, and a waterfall whose bars mark the fields that they served. Until the first run, the
 * plan of the operation.
 */
export function CallsPanel() {
  const { runs, estimate } = usePageContext()
  const { tabs, queryEditor, responseEditor, storage } = useGraphiQL(pick('tabs', 'queryEditor', 'responseEditor', 'storage'))
  const tab = useTab()?.id
  useEffect(() => {
    const ids = tabs.map(({ id }) => id)
    runs.open(tab, ids)
  }, [runs, tab, tabs])
  const { run, change } = useRun()
  const estimated = useSyncExternalStore(estimate.subscribe, estimate.current)
  const plan = run === undefined && estimated?.kind === 'plan' ? estimated.plan : undefined
  const explanation = run?.outcome.kind === 'explained' ? run.outcome.explanation : undefined
  const response = useResponse()
  const calls = useMemo(() => withHarmless(explanation?.calls ?? [], response?.errors ?? []), [explanation, response])
  const marks = useMarks({ queryEditor, responseEditor }, run, change === 'the query', calls)

  const [open, setOpen] = useState(() => storage.get('callsOpen') !== 'false')
  const [height, setHeight] = useState(() => Number(storage.get('callsHeight')) || HEIGHT.first)
  const id = useId()
  const toggle = () => {
    storage.set('callsOpen', String(!open))
    setOpen(!open)
  }
  const resize = (wanted: number) => {
    const next = Math.round(Math.min(HEIGHT.most, Math.max(HEIGHT.least, wanted)))
    storage.set('callsHeight', String(next))
    setHeight(next)
  }

  return (
    <section className="calls" aria-label="REST calls">
      {open && <Resizer height={height} resize={resize} controls={id} />}
      <div className="calls-totals">
        <UnStyledButton type="button" className="calls-toggle" aria-expanded={open} aria-controls={id} onClick={toggle}>
          {open ? <ChevronDownIcon aria-hidden="true" /> : <ChevronUpIcon aria-hidden="true" />}
          Calls
        </UnStyledButton>
        {plan ? <p className="calls-sums">not made yet</p> : <Totals outcome={run?.outcome} />}
      </div>
      <div id={id} className="calls-body" hidden={!open} style={{ '--calls-height': `${height}px` } as CSSProperties}>
        {plan ? (
          <PlanTable plan={plan} />
        ) : calls.length > 0 ? (
          <Waterfall calls={calls} marks={marks} />
        ) : (
          <p className="calls-text">{TEXTS[run?.outcome.kind ?? 'none']}</p>
        )}
      </div>
    </section>
  )
}

/** What the panel says when there are no calls to show. */
const TEXTS: Readonly<Record<Outcome['kind'] | 'none', string>> = {
  none: 'Run the query to see the REST calls that it makes.',
  running: 'The query is running.',
  explained: 'The query needed no REST call.',
  refused: 'No REST call was made: the query was refused before it ran. The response says why.',
  stopped: 'The run was stopped before its response was complete, so its REST calls are not known.',
  failed: 'The query did not run to its end: the response says why.',
  forbidden: 'REST calls are not shown to you. The setting EXPLAIN_FOR of the gateway says who may see them.',
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 }

/** A handle that changes the height of the panel: by pointer, or by the arrow keys. */
function Resizer({ height, resize, controls }: { height: number; resize: (height: number) => void; controls: string }) {
  const dragged = useRef<{ y: number; height: number }>(undefined)
  return (
    // biome-ignore lint/a11y/useSemanticElements: A separator that can be moved is a widget; `hr` is not.
    <div
      className="calls-resizer"
      role="separator"
      tabIndex={0}
      aria-label="Height of the calls"
      aria-orientation="horizontal"
      aria-controls={controls}
      aria-valuenow={height}
      aria-valuemin={HEIGHT.least}
      aria-valuemax={HEIGHT.most}
      onKeyDown={(event) => {
        const steps = STEPS[event.key]
        if (steps === undefined) return
        event.preventDefault()
        resize(height + steps * HEIGHT.step)
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = { y: event.clientY, height }
      }}
      onPointerMove={(event) => {
        if (dragged.current) resize(dragged.current.height + dragged.current.y - event.clientY)
      }}
      onLostPointerCapture={() => {
        dragged.current = undefined
      }}
    />
  )
}

/** What the status bar does not say of a run: its sums at the site. */
function Totals({ outcome }: { outcome: Outcome | undefined }) {
  if (outcome?.kind !== 'explained') return null
  const { calls, unbatched, waves, bytes, duration, retries, cached = 0, shared } = outcome.explanation.actual
  const sums = [
    count(waves, 'step'),
    bytes !== null && `${size(bytes)} from the site`,
    `${milliseconds(duration)} in the gateway`,
    retries > 0 && (retries === 1 ? '1 retry' : `${retries} retries`),
    cached > 0 && `${digits(cached)} from the cache`,
    shared !== undefined && shared > 0 && `${shared} shared`,
  ].filter((sum) => sum !== false)
  return (
    <p className="calls-sums calls-ran">
      {unbatched > calls && (
        <span title="What a gateway would need that makes a call for each reference and each list">
          <strong>{digits(calls)}</strong> instead of {digits(unbatched)}
        </span>
      )}
      {sums.map((sum) => (
        <span key={sum}>{sum}</span>
      ))}
    </p>
  )
}

/** The calls as a list with bars on one time axis. */
function Waterfall({ calls, marks }: { calls: readonly Call[]; marks: Marks }) {
  const { waves, rows, ticks, end } = useMemo(() => waterfallOf(calls), [calls])
  const [active, setActive] = useState(0)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const indexOf = useMemo(() => new Map(rows.map((row, index) => [row, index])), [rows])

  // biome-ignore lint/correctness/useExhaustiveDependencies: Another run starts at its first call.
  useEffect(() => setActive(0), [calls])

  const show = (index: number) => list.current?.querySelector(`[data-row="${index}"]`)?.scrollIntoView({ block: 'nearest' })
  const firstAtCursor = useMemo(() => rows.findIndex(({ call }) => marks.atCursor.has(call)), [rows, marks.atCursor])
  // biome-ignore lint/correctness/useExhaustiveDependencies: Scrolls only when other calls are marked.
  useEffect(() => {
    if (firstAtCursor >= 0) show(firstAtCursor)
  }, [firstAtCursor])

  const choose = (row: Row | undefined) => marks.choose(row?.call === marks.chosen ? undefined : row?.call)
  const click = (target: EventTarget) => {
    const index = Number((target as Element).closest<HTMLElement>('[data-row]')?.dataset.row ?? Number.NaN)
    if (Number.isNaN(index)) return
    setActive(index)
    choose(rows[index])
  }
  const move = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    setActive(next)
    show(next)
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    PageDown: () => move(active + 10),
    PageUp: () => move(active - 10),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => choose(rows[active]),
    ' ': () => choose(rows[active]),
    Escape: () => marks.choose(undefined),
  }
  const press = (event: KeyboardEvent) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  return (
    <>
      <div className="calls-scroll">
        <div className="calls-row calls-head" aria-hidden="true">
          <span>route</span>
          <span className="calls-number">status</span>
          <span className="calls-number calls-bytes">bytes</span>
          <span className="calls-number calls-time">time</span>
          <span className="calls-axis">
            {ticks
              .filter((tick) => tick < LAST_LABEL * end)
              .map((tick) => (
                <span key={tick} style={{ left: percent(tick / end) }}>
                  {tick === 0 ? '0' : milliseconds(tick)}
                </span>
              ))}
          </span>
        </div>
        <div
          ref={list}
          className="calls-list"
          role="listbox"
          tabIndex={0}
          aria-label="REST calls of the last run"
          aria-activedescendant={`${id}-${active}`}
          onKeyDown={press}
          onClick={({ target }) => click(target)}
        >
          {waves.map(({ wave, rows: members }) => (
            // biome-ignore lint/a11y/useSemanticElements: A group of options has no element outside of `select`.
            <div key={wave} role="group" className="calls-wave" aria-label={wave === null ? 'Not planned' : `Step ${wave}`}>
              <div className="calls-wave-name" aria-hidden="true" title={STEP}>
                {wave === null ? 'not planned' : `step ${wave}`} <span>{count(members.length, 'call')}</span>
              </div>
              {members.map((row) => {
                const index = indexOf.get(row) as number
                return (
                  <CallRow
                    key={index}
                    id={`${id}-${index}`}
                    index={index}
                    row={row}
                    ticks={ticks}
                    end={end}
                    active={index === active}
                    chosen={row.call === marks.chosen}
                    marked={marks.atCursor.has(row.call)}
                  />
                )
              })}
            </div>
          ))}
        </div>
      </div>
      <div className="calls-foot">
        <p role="status">{marks.chosen ? detailsOf(marks.chosen, marks) : cursorText(marks)}</p>
        <ul className="calls-legend" aria-label="Legend">
          {PHASES.filter(([phase]) => calls.some((call) => call[phase] !== undefined)).map(([phase, name]) => (
            <li key={phase}>
              <i className={`calls-bar-${phase}`} /> {name}
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

const percent = (share: number): string => `${Math.round(share * 1e5) / 1e3}%`

interface CallRowProps {
  id: string
  index: number
  row: Row
  ticks: readonly number[]
  end: number
  active: boolean
  chosen: boolean
  marked: boolean
}

/** One call. Its name is its text. */
const CallRow = memo(function CallRow({ id, index, row, ticks, end, active, chosen, marked }: CallRowProps) {
  const { call, text, segments } = row
  const { method, route, ids, status, bytes, duration } = call
  const failed = isFailed(call)
  const classes = ['calls-row', active && 'calls-active', chosen && 'calls-chosen', marked && 'calls-at-cursor', failed && 'calls-error']
  const notes = [...parametersOf(call), ...(ids ? [count(ids.length, 'id')] : [])]
  return (
    <div
      id={id}
      data-row={index}
      className={classes.filter(Boolean).join(' ')}
      role="option"
      aria-selected={chosen}
      aria-current={marked || undefined}
      tabIndex={-1}
    >
      <span className="visually-hidden">{text}</span>
      <span className="calls-route" title={text} aria-hidden="true">
        <span className="calls-name">
          <b>{method}</b> {route} <small>{notes.join(', ')}</small>
        </span>
        {remarksOf(call).map((remark) => (
          <em key={remark}>{remark}</em>
        ))}
      </span>
      <span className="calls-number calls-status" aria-hidden="true">
        {status ?? (failed && 'none')}
      </span>
      <span className="calls-number calls-bytes" aria-hidden="true">
        {bytes !== null && size(bytes)}
      </span>
      <span className="calls-number calls-time" aria-hidden="true">
        {duration !== null && milliseconds(duration)}
      </span>
      <span className="calls-axis" aria-hidden="true">
        {ticks.map((tick) => (
          <i key={tick} className="calls-line" style={{ left: percent(end && tick / end) }} />
        ))}
        {segments.map(({ phase, start, size: share }) => (
          <i key={phase} className={`calls-bar calls-bar-${phase}`} style={{ left: percent(start), width: percent(share) }} />
        ))}
        {!wasSent(call) && <span className="calls-unsent">{reasonNotSent(call)}</span>}
      </span>
    </div>
  )
})

/** What the line below the list says of a chosen call. */
function detailsOf(call: Call, { fields, values, edited }: Marks): string {
  const spent = PHASES.flatMap(([phase, name]) => (call[phase] == null ? [] : [`${milliseconds(call[phase])} ${name}`]))
  const ids = call.ids ? [`ids ${call.ids.slice(0, 8).join(', ')}${call.ids.length > 8 ? ' …' : ''}`] : []
  const marked = edited
    ? `${count(values, 'value')} marked; the query has changed since the run`
    : `${count(fields, 'field')} and ${count(values, 'value')} marked`
  return [`Serves ${call.paths.join(', ') || 'no field by itself'}: ${marked}`, ...spent, ...ids].join(' · ')
}

function cursorText({ atCursor }: Marks): string {
  return atCursor.size > 0 ? `${count(atCursor.size, 'call')} for the field at the cursor` : 'Choose a call to see which fields it served.'
}
