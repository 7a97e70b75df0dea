import { relative } from 'node:path'
import {
  type ASTNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getLocation,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
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

/** Something that is wrong with an operation or with the graph, and the place in a file where it has one. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly operation?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** Where a node is. */
export const placeOf = (node: ASTNode | undefined): Pick<Finding, 'file' | 'line' | 'column'> =>
  node?.loc ? { file: relative('', node.loc.source.name), ...getLocation(node.loc.source, node.loc.start) } : {}

/** A released graph, what has changed since, and which of the changes are of something that operations use. */
export interface Against {
  readonly released: GraphQLSchema
  readonly changes: readonly GraphChange[]
  readonly touching: Set<GraphChange>
}

/** What is wrong with an operation for a graph, and what the changes since the released graph do to it. */
export function findingsOf(operation: SavedOperation, graph: GraphQLSchema, against: Against | undefined): Finding[] {
  const { document, variables, name } = operation
  const uses = against ? usesIn(document, against.released, variables) : []
  const effects = against ? effectsOn(uses, against) : []
  const broken = effects.filter(({ severity }) => severity === 'error')
  const errors = errorsIn(operation, graph)
  // An answer of another type also makes wrong what is selected of it.
  const others = errors.filter((error) => !broken.some(({ node }) => isAbout(error, node)))
  const doubtful = effects.filter(({ node }) => node.kind === Kind.FIELD || !others.some((error) => isAbout(error, node)))
  const finding = (severity: Finding['severity'], node: ASTNode | undefined, ...sentences: readonly string[]): Finding => {
    return { severity, message: sentences.join(' '), operation: name, ...placeOf(node) }
  }
  return [
    ...others.map((error) => finding('error', nodeOf(error), error.message, ...(against ? hints(error, uses, graph, against) : []))),
    ...broken.map(({ node, change }) => {
      const consequences = errors.filter((error) => isAbout(error, node)).slice(0, 1)
      return finding('error', node, `${change.message}.`, ...consequences.map(({ message }) => message))
    }),
    ...doubtful.flatMap(({ severity, node, change }) => (severity === 'warning' ? finding(severity, node, `${change.message}.`) : [])),
    ...validate(graph, document, [NoDeprecatedCustomRule]).map((error) => finding('warning', nodeOf(error), error.message)),
  ]
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

/** What the graphs tell about an error, beside the similar names in its message: what is new or left in its place, and why it was deprecated. */
function hints(error: GraphQLError, uses: readonly Use[], graph: GraphQLSchema, { released }: Against): string[] {
  const { coordinate } = uses.find(({ node }) => node.loc === nodeOf(error)?.loc) ?? {}
  if (coordinate === undefined) return []
  const [owner = '', member = ''] = coordinate.split('.')
  const type = graph.getType(owner)
  const names = newNames(fieldsOf(released.getType(owner)), fieldsOf(type), member)
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
  const parts: readonly { readonly deprecationReason?: string }[] = Object.values(resolveSchemaCoordinate(released, coordinate) ?? {})
  const reason = parts.findLast(({ deprecationReason }) => deprecationReason)?.deprecationReason
  return [
    ...(names.length > 0 ? [`New in the graph, of the same type: ${names.join(', ')}.`] : []),
    ...(values.length > 0 ? [`Allowed: ${values.join(', ')}.`] : []),
    ...(reason ? [`It was deprecated: ${reason}`] : []),
  ]
}

type Fields = Readonly<Record<string, { readonly type: GraphQLType }>>

const fieldsOf = (type: GraphQLNamedType | undefined): Fields =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {}

/** The new fields that have the type of a field which is gone: it may have been renamed. */
const newNames = (released: Fields, fields: Fields, name: string): string[] =>
  Object.keys(fields).filter((each) => !fields[name] && !released[each] && `${fields[each]?.type}` === `${released[name]?.type}`)
