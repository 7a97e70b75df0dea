import { type ASTNode, type DocumentNode, visit } from 'graphql'
import { isObject } from '../../upstream/errors.js'

/** Names of what nobody else is to see. */
const SECRETIVE = /password|passwd|passphrase|secret|token|authorization|cookie|credential|nonce|key/i

const REDACTED = '[redacted]'
const MAX_TEXT = 200
const MAX_VALUES = 200

/**
 * The variables of a request as a log may show them: without what is named like a secret, at any depth, or is given for such an argument
 * or input field of the document; and without what is too much.
 */
export function shownVariables(variables: Readonly<Record<string, unknown>>, document: DocumentNode): Record<string, unknown> {
  const secret = secretVariables(document)
  let left = MAX_VALUES
  const shown = (value: unknown): unknown => {
    if (left-- <= 0) return '…'
    if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
    if (Array.isArray(value)) return cut(value).map(shown)
    return isObject(value) ? members(value, SECRETIVE) : value
  }
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(0, Math.max(left + 1, 0))
  const members = (value: object, hidden: { test(name: string): boolean }): Record<string, unknown> =>
    Object.fromEntries(cut(Object.entries(value)).map(([name, each]) => [shownName(name), hidden.test(name) ? REDACTED : shown(each)]))
  return members(variables, { test: (name) => secret.has(name) || SECRETIVE.test(name) })
}

const shownName = (name: string): string => (name.length > MAX_TEXT ? `${name.slice(0, MAX_TEXT)}…` : name)

const known = new WeakMap<DocumentNode, ReadonlySet<string>>()

/** Variables whose values go, whole or in part, where a secret is wanted. */
function secretVariables(document: DocumentNode): ReadonlySet<string> {
  let names = known.get(document)
  if (!names) {
    const found = new Set<string>()
    const look = ({ name, value }: { readonly name: { readonly value: string }; readonly value: ASTNode }): void => {
      if (SECRETIVE.test(name.value)) visit(value, { Variable: (variable) => void found.add(variable.name.value) })
    }
    visit(document, { Argument: look, ObjectField: look })
    known.set(document, found)
    names = found
  }
  return names
}
