import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql'
import { getLocation, type Node, parseTree } from 'jsonc-parser'
import type { Call } from './explanation.js'

/** Offsets in a text: of the first character, and of the one after the last. */
export type Span = readonly [start: number, end: number]

/** A field of the query, at one of its response paths. */
export interface FieldPlace {
  readonly path: string
  /** Its alias and name. */
  readonly name: Span
  /** The whole field with its selections. */
  readonly whole: Span
}

/** The fields of an operation with their response paths. A field of a fragment has a place for each path at which the fragment is spread. */
export function fieldsOf(query: string, operationName?: string): FieldPlace[] {
  const document = parseQuery(query)
  const operations = operationsOf(document)
  const operation = operationName === undefined ? operations[0] : operations.find(({ name }) => name?.value === operationName)
  if (!document || !operation) return []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const places: FieldPlace[] = []
  const visit = (set: SelectionSetNode, prefix: string, spread: readonly string[]): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, prefix, spread)
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const name = node.name.value
        const fragment = fragments.get(name)
        if (fragment && !spread.includes(name)) visit(fragment.selectionSet, prefix, [...spread, name])
      } else {
        const { alias, name, loc, selectionSet } = node
        const path = `${prefix}${(alias ?? name).value}`
        if (loc && name.loc) places.push({ path, name: [loc.start, name.loc.end], whole: [loc.start, loc.end] })
        if (selectionSet) visit(selectionSet, `${path}.`, spread)
      }
    }
  }
  visit(operation.selectionSet, '', [])
  return places
}

/** The document of a text. Undefined for a syntax error. */
export function parseQuery(query: string): DocumentNode | undefined {
  try {
    return parse(query)
  } catch {
    return undefined
  }
}

export const operationsOf = (document: DocumentNode | undefined): OperationDefinitionNode[] =>
  (document?.definitions ?? []).filter((node) => node.kind === Kind.OPERATION_DEFINITION)

/** The paths of the innermost field at an offset of the query. */
export function pathsAt(fields: readonly FieldPlace[], offset: number): string[] {
  const around = fields.filter(({ whole: [start, end] }) => start <= offset && offset <= end)
  const smallest = Math.min(...around.map(({ whole: [start, end] }) => end - start))
  return around.filter(({ whole: [start, end] }) => end - start === smallest).map(({ path }) => path)
}

/** A value of the response. */
export interface ValuePlace {
  readonly path: string
  /** Its key with the quotation marks. */
  readonly key: Span
  /** The value. */
  readonly value: Span
}

/** The values in the JSON text of a response at some paths, at most `most`. */
export function valuesOf(response: string, paths: readonly string[], most: number): ValuePlace[] {
  const wanted = new Set(paths)
  // Prefixes: nothing below other fields is visited.
  const leading = new Set(paths.flatMap((path) => path.split('.').map((_, index, keys) => keys.slice(0, index + 1).join('.'))))
  const places: ValuePlace[] = []
  const visit = (node: Node, prefix: string): void => {
    for (const child of node.children ?? []) {
      if (node.type === 'array') visit(child, prefix)
      else if (child.children) property(child.children, prefix)
      if (places.length >= most) return
    }
  }
  const property = ([key, value]: readonly Node[], prefix: string): void => {
    const path = `${prefix}${key?.value}`
    if (!key || !value || !leading.has(path)) return
    if (wanted.has(path)) places.push({ path, key: spanOf(key), value: spanOf(value) })
    visit(value, `${path}.`)
  }
  const data = childOf(parseTree(response), 'data')
  if (data && wanted.size > 0) visit(data, '')
  return places
}

const spanOf = ({ offset, length }: Node): Span => [offset, offset + length]

const childOf = (node: Node | undefined, name: string): Node | undefined =>
  node?.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1]

/** The errors in the JSON text of a response. */
export const errorsOf = (response: string): Span[] => (childOf(parseTree(response), 'errors')?.children ?? []).map(spanOf)

/** The path of the value at an offset of the response, or of the field of the error there. */
export function pathAtValue(response: string, offset: number): string | undefined {
  const [first, ...keys] = getLocation(response, offset).path
  if (first === 'data') return joined(keys)
  if (first !== 'errors') return undefined
  const error = childOf(parseTree(response), 'errors')?.children?.[Number(keys[0])]
  return joined(childOf(error, 'path')?.children?.map(({ value }) => value) ?? [])
}

/** A response path as text: without positions in lists. */
function joined(keys: readonly (string | number)[]): string | undefined {
  return keys.filter((key) => typeof key === 'string' && key !== '').join('.') || undefined
}

/** The calls that serve a path: those for the field, or else for the nearest field around it. Returns their positions. */
export function callsFor(calls: readonly Pick<Call, 'paths'>[], path: string): number[] {
  for (let rest = path; rest; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('.')))) {
    const found = calls.flatMap(({ paths }, index) => (paths.includes(rest) ? [index] : []))
    if (found.length > 0) return found
  }
  return []
}
