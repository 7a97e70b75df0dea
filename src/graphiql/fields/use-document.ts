import { type MonacoEditor, useGraphiQL } from '@graphiql/react'
import type { GraphQLSchema } from 'graphql'
import { useCallback, useEffect, useState } from 'react'
import { rangeIn } from '../editors.js'
import { type Definition, definitionsOf, type Parsed, parseText, type Target } from './scope.js'
import type { Edit } from './text.js'

/** How long after the last key the tree follows, in milliseconds. */
const DELAY = 150

/** `CursorChangeReason.Explicit` of Monaco: the cursor was moved by its user. */
const MOVED = 3

type NewOperation = Exclude<Target, Definition>

/** The document in the editor, and the operation or fragment at the cursor. */
export interface EditedDocument {
  readonly editor: MonacoEditor
  /** The last state without syntax errors. */
  readonly parsed: Parsed
  readonly isBroken: boolean
  readonly target: Target
  /** Continues with another operation: moves the cursor there, or begins a new one. */
  choose(target: Target): void
  /** Applies edits that `make` makes of the current text, as one step to undo. Nothing happens while the text has a syntax error. */
  edit(make: (parsed: Parsed, target: Target) => readonly Edit[] | undefined): Parsed | undefined
}

interface State {
  readonly parsed: Parsed | undefined
  readonly isBroken: boolean
  /** Index of the definition at the cursor. */
  readonly index: number
}

/** Follows the editor. Undefined until it and the schema are there and a text without syntax errors was seen. */
export function useDocument(): EditedDocument | undefined {
  const editor = useGraphiQL((state) => state.queryEditor)
  const schema = useGraphiQL((state) => state.schema)
  const [{ parsed, isBroken, index }, setState] = useState<State>({ parsed: undefined, isBroken: false, index: 0 })
  const [begun, setBegun] = useState<NewOperation>()

  const read = useCallback(() => {
    if (!editor || !schema) return undefined
    const current = parseText(schema, editor.getModel()?.getValue() ?? '')
    setState((last) => {
      const seen = current ?? (last.parsed?.schema === schema ? last.parsed : undefined)
      return { parsed: seen, isBroken: !current, index: seen ? indexAtCursor(editor, seen) : 0 }
    })
    return current
  }, [editor, schema])

  useEffect(() => {
    const model = editor?.getModel()
    if (!editor || !model) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (): void => {
      clearTimeout(timer)
      timer = setTimeout(read, DELAY)
    }
    read()
    const listeners = [
      model.onDidChangeContent((event) => {
        if (event.isFlush) setBegun(undefined)
        later()
      }),
      editor.onDidChangeCursorPosition(({ reason }) => {
        if (reason === MOVED) setBegun(undefined)
        later()
      }),
    ]
    return () => {
      clearTimeout(timer)
      for (const listener of listeners) listener.dispose()
    }
  }, [editor, read])

  if (!editor || !schema || !parsed) return undefined
  return {
    editor,
    parsed,
    isBroken,
    target: begun ?? definitionsOf(parsed)[index] ?? ('query' as NewOperation),
    choose(target) {
      if (typeof target === 'string') return setBegun(target)
      setBegun(undefined)
      moveCursor(editor, target.loc?.start ?? 0)
      read()
    },
    edit(make) {
      const current = currentText(editor, schema)
      if (!current) return undefined
      const edits = make(current, begun ?? definitionsOf(current)[indexAtCursor(editor, current)] ?? ('query' as NewOperation))
      if (!edits || edits.length === 0) return undefined
      apply(editor, edits)
      if (begun) {
        const added = currentText(editor, schema)
        moveCursor(editor, (added && definitionsOf(added).at(-1)?.loc?.start) ?? 0)
        setBegun(undefined)
      }
      return read()
    },
  }
}

function currentText(editor: MonacoEditor, schema: GraphQLSchema): Parsed | undefined {
  return parseText(schema, editor.getModel()?.getValue() ?? '')
}

/** The definition that the cursor is in, or after; the first one above all of them. */
function indexAtCursor(editor: MonacoEditor, parsed: Parsed): number {
  const position = editor.getPosition()
  const offset = position ? (editor.getModel()?.getOffsetAt(position) ?? 0) : 0
  return Math.max(
    0,
    definitionsOf(parsed).findLastIndex(({ loc }) => (loc?.start ?? 0) <= offset),
  )
}

function moveCursor(editor: MonacoEditor, offset: number): void {
  const position = editor.getModel()?.getPositionAt(offset)
  if (!position) return
  editor.setPosition(position)
  editor.revealPositionInCenterIfOutsideViewport(position)
}

function apply(editor: MonacoEditor, edits: readonly Edit[]): void {
  const model = editor.getModel()
  if (!model) return
  const changes = edits.map(({ start, end, text }) => ({ range: rangeIn(model, start, end), text }))
  editor.pushUndoStop()
  editor.executeEdits('fields', changes)
  editor.pushUndoStop()
  const first = Math.min(...changes.map(({ range }) => range.startLineNumber))
  editor.revealLineInCenterIfOutsideViewport(first)
}
