import type { MonacoEditor } from '@graphiql/react'

type Model = NonNullable<ReturnType<MonacoEditor['getModel']>>

/** The range between two offsets in the text of an editor. */
export function rangeIn(model: Model, start: number, end: number) {
  const [from, to] = [model.getPositionAt(start), model.getPositionAt(end)]
  return { startLineNumber: from.lineNumber, startColumn: from.column, endLineNumber: to.lineNumber, endColumn: to.column }
}

/** Selects a text between two offsets, scrolls to it, and gives the editor the focus. */
export function select(editor: MonacoEditor, start: number, end: number): void {
  const model = editor.getModel()
  if (!model) return
  const range = rangeIn(model, start, end)
  editor.setSelection(range)
  editor.revealRangeInCenterIfOutsideViewport(range)
  editor.focus()
}
