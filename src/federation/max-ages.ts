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
import { getOrMake } from '../maps.js'
import { type FieldMark, marksOf } from '../model/marks.js'
import type { NeededRelation } from '../model/needs.js'
import type { Directives, MaxAge } from './options.js'

/** How a result may be kept: for how many seconds, 0 when not at all, and whether it is for one caller in any case. */
export interface Keeping {
  readonly seconds: number
  readonly isPrivate: boolean
}

/** How long routers and their caches may keep records and results. */
export class MaxAges {
  private readonly known = new WeakMap<DocumentNode, Map<string | null, Keeping>>()

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly maxAge: MaxAge,
  ) {}

  /** The directives of a type. */
  ofType(type: GraphQLNamedType): Directives {
    const seconds = isObjectType(type) ? this.secondsOf(type) : undefined
    return seconds ? { cacheControl: [{ maxAge: seconds }] } : {}
  }

  /** How the result of an operation may be kept: as long as the least of its types, and privately if a field depends on the viewer. */
  ofOperation(document: DocumentNode, operationName: string | null): Keeping {
    const operations = getOrMake<DocumentNode, Map<string | null, Keeping>>(this.known, document, () => new Map())
    return getOrMake(operations, operationName, () => this.computed(document, operationName))
  }

  private computed(document: DocumentNode, operationName: string | null): Keeping {
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== OperationTypeNode.QUERY) return NOT_KEPT
    const separate = separateOperations(document)[operation.name?.value ?? '']
    let [least, isPrivate] = [Number.POSITIVE_INFINITY, false]
    const typeInfo = new TypeInfo(this.schema)
    const note = (type: unknown): void => {
      const seconds = isCompositeType(type) ? this.secondsOf(type) : undefined
      if (seconds !== undefined) least = Math.min(least, seconds)
    }
    const look = visitWithTypeInfo(typeInfo, {
      SelectionSet: () => note(typeInfo.getParentType()),
      Field: () => {
        const field = typeInfo.getFieldDef()
        if (field && dependsOnViewer(marksOf(field))) isPrivate = true
        // As in the caches of the gateway.
        if (field && isEditOnly(field.name, typeInfo.getParentType())) least = 0
      },
      // A cache would show protected content to callers without the password.
      Argument: ({ name }) => {
        if (name.value === 'password') least = 0
      },
    })
    if (separate) visit(separate, look)
    return Number.isFinite(least) && least > 0 ? { seconds: least, isPrivate } : NOT_KEPT
  }

  /** Undefined for types that are kept as long as the record that they are part of. */
  private secondsOf(type: GraphQLNamedType): number | undefined {
    const { maxAge } = this
    const own = typeof maxAge === 'number' ? undefined : maxAge[type.name]
    if (own !== undefined) return own
    const { role, entity } = marksOf(type as never)
    const records = role === 'connection' && isObjectType(type) ? type.getFields().nodes : undefined
    if (records) return this.secondsOf(getNamedType(records.type))
    if (!entity) return undefined
    return typeof maxAge === 'number' ? maxAge : 0
  }
}

const NOT_KEPT: Keeping = { seconds: 0, isPrivate: true }

/** Whether a field is a column that the site shows to editors only, such as the e-mail address of a user. */
const isEditOnly = (field: string, type: unknown): boolean => isObjectType(type) && marksOf(type).shape?.columns[field]?.editOnly === true

/** Whether equal uses of a field can have different results for different callers. Answers to callers who are restricted are never public. */
const dependsOnViewer = ({ edge, needs, perCaller }: FieldMark): boolean =>
  perCaller === true || Boolean(edge?.perCaller) || (!needs?.restricted && (needs?.relations ?? []).some(needsViewer))

const needsViewer = ({ edge, relations }: NeededRelation): boolean =>
  (typeof edge !== 'string' && Boolean(edge.perCaller)) || relations.some(needsViewer)
