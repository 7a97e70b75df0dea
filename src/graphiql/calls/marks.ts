import type { MonacoEditor } from '@graphiql/react'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { rangeIn } from '../editors.js'
import type { Call } from './explanation.js'
import { callsFor, type FieldPlace, fieldsOf, pathAtValue, pathsAt, type Span, valuesOf } from './places.js'
import type { Run } from './runs.js'

/** Values that are marked at once. A longer response is marked up to here. */
const MOST_VALUES = 2000

type Decorations = Parameters<MonacoEditor['createDecorationsCollection']>[0]

/** The editors of the page. */
export interface Editors {
  queryEditor?: MonacoEditor | undefined
  responseEditor?: MonacoEditor | undefined
}

/** What is marked. */
export interface Marks {
  /** The chosen call. */
  readonly chosen: Call | undefined
  /** Calls for the field or the value at the cursor. */
  readonly atCursor: ReadonlySet<Call>
  /** How many fields of the query are marked. */
  readonly fields: number
  /** How many values of the response are marked. */
  readonly values: number
  /** Whether the query was edited after the run, so that its fields are not marked. */
  readonly edited: boolean
  choose(call: Call | undefined): void
}

const NONE: ReadonlySet<Call> = new Set()

/**
 * Marks the fields and values that the chosen call served, and finds the calls for the field or the value at the cursor. Escape in an editor
 * clears both.
 */
export function useMarks({ queryEditor, responseEditor }: Editors, run: Run | undefined, edited: boolean, calls: readonly Call[]): Marks {
  const [chosen, setChosen] = useState<Call>()
  const [atCursor, setAtCursor] = useState(NONE)
  const [shown, setShown] = useState({ fields: 0, values: 0 })
  const fields = useMemo(() => (run && !edited ? fieldsOf(run.query, run.operationName) : []), [run, edited])

  const clear = () => {
    setChosen(undefined)
    setAtCursor(NONE)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another run has other calls.
  useEffect(clear, [calls])

  useEffect(() => {
    if (!queryEditor || !responseEditor || !chosen) return
    const inQuery = distinct(fields.filter(({ path }) => chosen.paths.includes(path)))
    const inResponse = valuesOf(responseEditor.getValue(), chosen.paths, MOST_VALUES)
    setShown({ fields: inQuery.length, values: inResponse.length })
    const names = inQuery.map(({ name }) => ({ text: name }))
    const values = inResponse.map(({ key, value }) => ({ text: key, lines: value }))
    const marks = [decorate(queryEditor, names), decorate(responseEditor, values)]
    return () => {
      setShown({ fields: 0, values: 0 })
      for (const mark of marks) mark.clear()
    }
  }, [queryEditor, responseEditor, chosen, fields])

  useCursor(queryEditor, clear, (offset) => setAtCursor(callsAt(calls, pathsAt(fields, offset))))
  useCursor(responseEditor, clear, (offset, text) => setAtCursor(callsAt(calls, [pathAtValue(text, offset)])))

  return {
    chosen,
    atCursor,
    ...shown,
    edited,
    choose(call) {
      setAtCursor(NONE)
      setChosen(call)
    },
  }
}

/** Fields with different positions: a field of a fragment can be at several paths. */
const distinct = (fields: readonly FieldPlace[]): FieldPlace[] => [...new Map(fields.map((field) => [field.name[0], field])).values()]

const callsAt = (calls: readonly Call[], paths: readonly (string | undefined)[]): ReadonlySet<Call> =>
  new Set(paths.flatMap((path) => (path === undefined ? [] : callsFor(calls, path).map((index) => calls[index] as Call))))

/** Calls `moved` when the user moves the cursor of an editor, and `cleared` for Escape. */
function useCursor(editor: MonacoEditor | undefined, cleared: () => void, moved: (offset: number, text: string) => void): void {
  const onClear = useEffectEvent(cleared)
  const onMove = useEffectEvent(moved)
  useEffect(() => {
    const subscriptions = [
      editor?.onDidChangeCursorPosition(({ position }) => {
        const model = editor.getModel()
        if (model && editor.hasTextFocus()) onMove(model.getOffsetAt(position), model.getValue())
      }),
      editor?.onKeyDown(({ code }) => {
        if (code === 'Escape') onClear()
      }),
    ]
    return () => {
      for (const subscription of subscriptions) subscription?.dispose()
    }
  }, [editor])
}

/** Marks places of an editor: a text, and beside it the lines of a value. Scrolls to the first one. */
function decorate(editor: MonacoEditor, places: readonly { text: Span; lines?: Span }[]): { clear(): void } {
  const model = editor.getModel()
  if (!model || places.length === 0) return { clear() {} }
  const decorations: Decorations = places.flatMap(({ text, lines }) => [
    { range: rangeIn(model, ...text), options: { inlineClassName: 'calls-mark' } },
    ...(lines ? [{ range: rangeIn(model, ...lines), options: { isWholeLine: true, linesDecorationsClassName: 'calls-mark-lines' } }] : []),
  ])
  const collection = editor.createDecorationsCollection(decorations)
  editor.revealRangeInCenterIfOutsideViewport(rangeIn(model, ...(places[0] as { text: Span }).text))
  return collection
}
