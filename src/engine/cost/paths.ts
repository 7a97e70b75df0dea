import { type FieldNode, Kind, type SelectionSetNode } from 'graphql'
import type { Plan } from '../prepare/plan.js'

/** Where each field of an operation stands in the answer: response keys with dots, without places in lists. */
export function pathsOf(plan: Plan): ReadonlyMap<FieldNode, string> {
  const paths = new Map<FieldNode, string>()
  visit(plan.operation.selectionSet, '', paths)
  return paths
}

/** Fragments have been spread in place. */
function visit(set: SelectionSetNode, prefix: string, paths: Map<FieldNode, string>): void {
  for (const node of set.selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, prefix, paths)
    if (node.kind !== Kind.FIELD) continue
    const path = `${prefix}${(node.alias ?? node.name).value}`
    paths.set(node, path)
    if (node.selectionSet) visit(node.selectionSet, `${path}.`, paths)
  }
}
