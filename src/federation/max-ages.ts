import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isObjectType,
  OperationTypeNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { marksOf } from '../engine/edges.js'
import { getOrMake } from '../upstream/maps.js'
import type { Directives } from './directives.js'
import type { MaxAge } from './options.js'

/** How long routers and their caches may keep records and results. */
export class MaxAges {
  private readonly known = new WeakMap<DocumentNode, Map<string | null, number>>()
  /** The record types of connections. */
  private readonly listed = new Map<string, GraphQLNamedType>()

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly maxAge: MaxAge,
  ) {
    for (const type of Object.values(schema.getTypeMap()))
      if (isObjectType(type) && marksOf(type).role === 'connection') {
        const { nodes } = type.getFields()
        if (nodes) this.listed.set(type.name, getNamedType(nodes.type))
      }
  }

  /** The directives of a type. */
  ofType(type: GraphQLNamedType): Directives {
    const seconds = isObjectType(type) ? this.secondsOf(type) : undefined
    return seconds ? { cacheControl: [{ maxAge: seconds }] } : {}
  }

  /** Seconds for which the result of an operation may be kept: the least of its types. 0 when it must not be kept. */
  ofOperation(document: DocumentNode, operationName: string | null): number {
    const operations = getOrMake<DocumentNode, Map<string | null, number>>(this.known, document, () => new Map())
    const known = operations.get(operationName)
    if (known !== undefined) return known
    const seconds = this.computed(document, operationName)
    operations.set(operationName, seconds)
    return seconds
  }

  private computed(document: DocumentNode, operationName: string | null): number {
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== OperationTypeNode.QUERY) return 0
    const separate = separateOperations(document)[operation.name?.value ?? '']
    let least = Number.POSITIVE_INFINITY
    const typeInfo = new TypeInfo(this.schema)
    const note = (type: unknown): void => {
      const seconds = isCompositeType(type) ? this.secondsOf(type) : undefined
      if (seconds !== undefined) least = Math.min(least, seconds)
    }
    const look = visitWithTypeInfo(typeInfo, {
      SelectionSet: () => note(typeInfo.getParentType()),
      // Content that a password protects is for those who know the password.
      Argument: ({ name }) => {
        if (name.value === 'password') least = 0
      },
    })
    if (separate) visit(separate, look)
    return Number.isFinite(least) ? least : 0
  }

  /** Undefined for types that are kept as long as the record that they are part of. */
  private secondsOf(type: GraphQLNamedType): number | undefined {
    const { maxAge } = this
    const own = typeof maxAge === 'number' ? undefined : maxAge[type.name]
    if (own !== undefined) return own
    const of = this.listed.get(type.name)
    if (of) return this.secondsOf(of)
    if (!marksOf(type as never).entity) return undefined
    return typeof maxAge === 'number' ? maxAge : 0
  }
}
