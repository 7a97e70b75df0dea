import { type GraphQLField, type GraphQLNamedType, getNamedType } from 'graphql'

/** A field of an operation, to find its values in a response. */
export interface SelectedField {
  readonly kind: 'field'
  readonly parent: string
  readonly name: string
  readonly key: string
  /** Names of its arguments, as `argumentNames` writes them. */
  readonly args: readonly string[]
  readonly type: GraphQLNamedType
  readonly selections: readonly Selected[]
  /** Read with a password, which shows more. */
  readonly password: boolean
}

/** One selection of an operation. */
export type Selected = SelectedField | { readonly kind: 'fragment'; readonly on: string; readonly selections: readonly Selected[] }

/** A selection as text and as a tree. */
export interface Written {
  readonly text: string
  readonly selected: Selected
}

/** Selections in braces. */
export const block = (written: readonly Written[]): string => `{ ${written.map(({ text }) => text).join(' ')} }`

interface FieldText {
  readonly key?: string
  /** Arguments and directives. */
  readonly after?: string
  readonly inner?: readonly Written[]
  readonly args?: readonly string[]
  readonly password?: boolean
}

/** Writes a field with an alias and its selections. */
export function writeField(parent: string, name: string, type: GraphQLNamedType, options: FieldText = {}): Written {
  const { key = name, after = '', inner, args = [], password = false } = options
  const selections = inner?.map(({ selected }) => selected) ?? []
  return {
    text: `${key === name ? '' : `${key}: `}${name}${after}${inner ? ` ${block(inner)}` : ''}`,
    selected: { kind: 'field', parent, name, key, args, type, selections, password },
  }
}

/** Names in arguments: arguments, members of input objects, and the values of `orderBy.field`. */
export function* argumentNames(
  type: string,
  edge: GraphQLField<unknown, unknown>,
  values: Readonly<Record<string, unknown>>,
): Iterable<string> {
  for (const arg of edge.args) {
    const value = values[arg.name]
    if (value === undefined) continue
    yield `${type}.${edge.name}(${arg.name})`
    const input = getNamedType(arg.type)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    for (const [member, inner] of Object.entries(value)) {
      yield `${input.name}.${member}`
      if (member === 'field') yield `${input.name}.field ${inner}`
    }
  }
}
