import type { ASTNode, SelectionSetNode } from 'graphql'

/** A change of a text: the range that it replaces, and the text that it puts there. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A selection to write: a field with its arguments, or a fragment, and what is selected inside it. */
export interface Written {
  readonly head: string
  readonly inner: readonly Written[]
}

const UNIT = '  '

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const fromTheEnd = [...edits].sort((a, b) => b.start - a.start)
  return fromTheEnd.reduce((changed, { start, end, text: added }) => changed.slice(0, start) + added + changed.slice(end), text)
}

/** Adds a selection at the end of a selection set: on a line of its own when the last selection has one, else on the same line. */
export function appendSelection(text: string, set: SelectionSetNode, selection: Written): Edit {
  const last = set.selections.at(-1) as ASTNode
  const { start, end } = rangeOf(last)
  const indent = indentOf(text, start)
  if (indent === undefined) {
    const previous = set.selections.at(-2)
    const separator = previous && text.slice(rangeOf(previous).end, start).includes(',') ? ', ' : ' '
    return insert(text, end, separator + writeLine(selection))
  }
  const outer = lineIndent(text, rangeOf(set).start)
  const unit = indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : UNIT
  const rest = skipBlanks(text, end)
  const lineEnd = text[rest] === '#' ? endOfLine(text, rest) : rest
  return insert(text, isLineEnd(text, lineEnd) ? lineEnd : end, `\n${indent}${writeLines(selection, indent, unit)}`)
}

/** Adds a selection set to a field that has none yet. */
export function addSelectionSet(text: string, field: ASTNode, selection: Written): Edit {
  const { start, end } = rangeOf(field)
  const indent = indentOf(text, start)
  return insert(text, end, indent === undefined ? ` { ${writeLine(selection)} }` : ` ${writeBlock([selection], indent, UNIT)}`)
}

/** Adds an operation at the end of a document, of which `text` is only comments when it has no definitions. */
export function addOperation(text: string, head: string, selection: Written, hasDefinitions: boolean): Edit {
  const end = text.trimEnd().length
  const separator = end === 0 ? '' : hasDefinitions ? '\n\n' : '\n'
  const operation = `${head}${head && ' '}${writeBlock([selection], '', UNIT)}\n`
  return { ...insert(text, end, separator + operation), end: text.length }
}

/**
 * The range to remove with a node of a list: its lines when nothing else is on them, else the node with its separator. Comments outside of
 * the node are kept.
 */
export function removal(text: string, node: ASTNode, next: ASTNode | undefined): Edit {
  const { start, end } = rangeOf(node)
  const rest = skipBlanks(text, end)
  const indent = indentOf(text, start)
  if (indent !== undefined && isLineEnd(text, rest)) return remove(start - indent.length, afterLineEnd(text, rest))
  if (indent !== undefined && text[rest] === '#') return remove(start, rest)
  if (next && rangeOf(next).start === rest) return remove(start, rest)
  let from = start
  while (' \t,'.includes(text[from - 1] ?? '-')) from--
  return remove(from, end)
}

/** Removals as one list of ranges that do not overlap. */
export function unite(removals: readonly Edit[]): Edit[] {
  const united: Edit[] = []
  for (const each of [...removals].sort((a, b) => a.start - b.start)) {
    const last = united.at(-1)
    if (last && each.start <= last.end) united[united.length - 1] = remove(last.start, Math.max(last.end, each.end))
    else united.push(each)
  }
  return united
}

/** Where a node is in the text. */
export function rangeOf({ loc }: ASTNode): { start: number; end: number } {
  if (!loc) throw new Error('The document was parsed without locations')
  return loc
}

/** Puts lines at a position, with the line ends of the text. */
export function insert(text: string, at: number, added: string): Edit {
  return { start: at, end: at, text: text.includes('\r\n') ? added.replaceAll('\n', '\r\n') : added }
}

/** White space in front of a position that is the first on its line. */
export function indentOf(text: string, at: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return before.trim() === '' ? before : undefined
}

const remove = (start: number, end: number): Edit => ({ start, end, text: '' })

const isLineEnd = (text: string, at: number): boolean => at === text.length || text[at] === '\n' || text[at] === '\r'

const skipBlanks = (text: string, from: number): number => from + (/^[ \t,]*/.exec(text.slice(from))?.[0].length ?? 0)

const endOfLine = (text: string, from: number): number => from + (/^[^\r\n]*/.exec(text.slice(from))?.[0].length ?? 0)

const afterLineEnd = (text: string, at: number): number => Math.min(text.length, text.startsWith('\r\n', at) ? at + 2 : at + 1)

/** White space at the start of the line of a position. */
function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return /^\s*/.exec(text.slice(start, at))?.[0] ?? ''
}

const writeLine = ({ head, inner }: Written): string => (inner.length > 0 ? `${head} { ${inner.map(writeLine).join(' ')} }` : head)

const writeLines = ({ head, inner }: Written, indent: string, unit: string): string =>
  inner.length > 0 ? `${head} ${writeBlock(inner, indent, unit)}` : head

const writeBlock = (selections: readonly Written[], indent: string, unit: string): string =>
  `{\n${selections.map((each) => `${indent}${unit}${writeLines(each, indent + unit, unit)}\n`).join('')}${indent}}`
