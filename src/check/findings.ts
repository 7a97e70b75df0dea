import {
  type ASTNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isEnumType,
  Kind,
  NoDeprecatedCustomRule,
  type OperationDefinitionNode,
  resolveSchemaCoordinate,
  specifiedRules,
  validate,
} from 'graphql'
import type { SavedOperation } from '../operations/collection.js'
import { type Use, usesIn } from '../operations/uses.js'
import { RULES_ON_PARTS } from '../server/limits/rules-on-parts.js'
import { effectOf, type GraphChange } from './changes.js'

/** Something that is wrong with an operation, or with the graph. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly operation?: string | undefined
  readonly node?: ASTNode | undefined
}

/** A released graph, and what has changed since. */
export interface Against {
  readonly released: GraphQLSchema
  readonly changes: readonly GraphChange[]
  /** The changes of something that operations use. */
  readonly touching: Set<GraphChange>
}

/** What is wrong with an operation for a graph, and what the changes since the released graph do to it. */
export function findingsOf(operation: SavedOperation, graph: GraphQLSchema, against: Against | undefined): Finding[] {
  const { document, variables, name } = operation
  const uses = against ? usesIn(document, against.released, variables) : []
  const effects = against ? effectsOn(uses, against) : []
  const errors = errorsIn(operation, graph)
  // An answer of another type also makes wrong what is selected of it.
  const others = errors.filter((error) => !effects.some(({ severity, node }) => severity === 'error' && isAbout(error, node)))
  const found: Finding[] = [
    ...others.map((error) => ({
      severity: 'error' as const,
      node: nodeOf(error),
      message: `${error.message}${hint(error, uses, graph, against)}`,
    })),
    ...effects
      .filter(({ severity, node }) => severity === 'error' || !others.some((error) => isAbout(error, node)))
      .map(({ severity, node, change }) => {
        const error = errors.find((each) => isAbout(each, node))
        return { severity, node, message: `${change.message}.${error ? ` ${error.message}` : ''}` }
      }),
    ...validate(graph, document, [NoDeprecatedCustomRule]).map((error) => ({
      severity: 'warning' as const,
      node: nodeOf(error),
      message: error.message,
    })),
  ]
  return found.map((each) => ({ ...each, operation: name }))
}

/** What a gateway would refuse: the document, and the values of variables in its head. */
function errorsIn({ document, variables }: SavedOperation, graph: GraphQLSchema): readonly GraphQLError[] {
  const node = document.definitions[0] as OperationDefinitionNode
  if (!graph.getRootType(node.operation)) return [new GraphQLError(`The graph has no ${node.operation}.`, { nodes: node })]
  const errors = validate(graph, document, [...specifiedRules, ...RULES_ON_PARTS], { maxErrors: 1_000 })
  if (errors.length > 0 || !variables) return errors
  const given = (node.variableDefinitions ?? []).filter(({ variable }) => Object.hasOwn(variables, variable.name.value))
  return getVariableValues(graph, given, variables).errors ?? []
}

/** The node to change: the use of a variable rather than its definition. */
const nodeOf = ({ nodes }: GraphQLError): ASTNode | undefined => nodes?.at(-1)

/** Whether an error is about a node, or for a field about what is selected of it. */
function isAbout(error: GraphQLError, node: ASTNode): boolean {
  const place = nodeOf(error)?.loc
  const { loc } = (node.kind === Kind.FIELD && node.selectionSet) || node
  return !!place && !!loc && place.source === loc.source && place.start >= loc.start && place.end <= loc.end
}

function effectsOn(uses: readonly Use[], { released, changes, touching }: Against) {
  return uses.flatMap((use) =>
    changes.flatMap((change) => {
      const severity = effectOf(change, use, released)
      if (severity || change.coordinates.includes(use.coordinate)) touching.add(change)
      return severity ? [{ severity, node: use.node, change }] : []
    }),
  )
}

/** What the two graphs tell about an error, beside the similar names in its message: the values that are left, and why it was deprecated. */
function hint(error: GraphQLError, uses: readonly Use[], graph: GraphQLSchema, against: Against | undefined): string {
  const { coordinate } = uses.find(({ node }) => node.loc === nodeOf(error)?.loc) ?? {}
  if (!against || coordinate === undefined) return ''
  const type = graph.getType(coordinate.replace(/\..*/, ''))
  const allowed = isEnumType(type)
    ? ` Allowed: ${type
        .getValues()
        .map((each) => each.name)
        .join(', ')}.`
    : ''
  const parts: readonly { readonly deprecationReason?: string }[] = Object.values(
    resolveSchemaCoordinate(against.released, coordinate) ?? {},
  )
  const reason = parts.findLast(({ deprecationReason }) => deprecationReason)?.deprecationReason
  return `${allowed}${reason === undefined ? '' : ` It was deprecated: ${reason}`}`
}
