import {
  astFromValue,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql'
import type { Random } from './random.js'
import { ArgumentMaker, type Ids, type Steering } from './random-arguments.js'
import type { Login } from './world.js'

export interface EdgeOperation {
  readonly query: string
  readonly caller: Login | undefined
  /** How many fields follow an edge. */
  readonly edges: number
}

interface Options {
  readonly schema: GraphQLSchema
  readonly random: Random
  readonly ids: Ids
  readonly steering: Steering
}

type Field = GraphQLField<unknown, unknown>

/** Most callers of large operations may read the records. */
const CALLERS: readonly (Login | undefined)[] = ['admin', 'admin', 'admin', 'admin', 'admin', 'admin', 'leader', 'learner', undefined]
const WIDTHS = [1, 2, 3, 5, 8, 10, 10, 20, 40, 120]
/** About how many records an edge without a window leads to. */
const LENGTHS: Readonly<Record<string, number>> = { nodes: 5, prerequisites: 2, priceTypes: 5 }
/** Most records from which an edge is followed, so that operations stay small enough for a site. */
const MOST_PARENTS = 40
/** Columns that are read separately, or only by id. */
const SPECIAL: readonly string[] = ['content', 'contentRaw', 'titleRaw', 'materials', 'password', 'points', 'prerequisiteIds', 'links']

/** Roots without edges, or without a viewer for callers with credentials of the site. */
const ENDS: readonly string[] = ['priceType', 'priceTypes', 'viewer']
/** Arguments that filter records. */
const NARROWING: readonly string[] = ['where', 'orderBy', 'password', 'course']

const edgeOf = ({ extensions }: Field): object | undefined => (extensions.lms as { edge?: object } | undefined)?.edge

/** Makes random operations that follow many edges through windows of all sizes, with few other fields. */
export class EdgeOperations {
  private edges = 0
  private args: ArgumentMaker | undefined
  private names = 0

  constructor(private readonly options: Options) {}

  /** An operation with at least the given number of edges. */
  make(least: number): EdgeOperation {
    const { random, schema } = this.options
    const caller = random.pick(CALLERS)
    this.args = new ArgumentMaker({ ...this.options, caller })
    this.edges = 0
    const query = schema.getQueryType() as GraphQLObjectType
    const fields = this.edgesOf(query).filter(({ name }) => !ENDS.includes(name) || random.chance(0.2))
    const roots: string[] = []
    for (let tries = 0; roots.length === 0 || (this.edges < least && tries < 6); tries++)
      roots.push(this.edge(query, random.pick(fields), random.int(least > 1 ? 2 : 1, 4), 1))
    return { query: `{ ${roots.join(' ')} }`, caller, edges: this.edges }
  }

  /** Selections on an object type with about the given number of objects. */
  below(type: string, depth: number, parents = 1): string {
    this.args = new ArgumentMaker({ ...this.options, caller: 'admin' })
    return this.selection(this.options.schema.getType(type), depth, parents)
  }

  private edgesOf(type: GraphQLObjectType): Field[] {
    return Object.values(type.getFields()).filter(edgeOf)
  }

  private edge(type: GraphQLObjectType, field: Field, depth: number, parents: number): string {
    const { random } = this.options
    this.edges++
    const widths = WIDTHS.filter((width) => width * parents <= 240)
    const values: Record<string, unknown> = { ...(this.args as ArgumentMaker).make(type.name, field, random.pick(widths)) }
    // Most of these leave few records from which an edge can be followed.
    const narrowing = field.args.filter(({ type: of }) => !isNonNullType(of)).map(({ name }) => name)
    for (const name of narrowing) if (NARROWING.includes(name) && random.chance(0.75)) delete values[name]
    const given = field.args
      .filter(({ name }) => name in values)
      .map((arg) => `${arg.name}: ${print(astFromValue(values[arg.name], arg.type) as never)}`)
    const isList = field.args.some(({ name }) => name === 'first')
    const count = isList ? Number(values.first ?? values.last ?? 10) : (LENGTHS[field.name] ?? 1)
    const inner = this.selection(getNamedType(field.type), depth - 1, parents * Math.max(1, Math.min(count, 100)))
    return `e${this.names++}: ${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${inner}`
  }

  private selection(type: unknown, depth: number, parents: number): string {
    const { random, schema } = this.options
    if (isAbstractType(type as never)) {
      const types = random.some(schema.getPossibleTypes(type as never), 2)
      return `{ __typename ${types.map((each) => `... on ${each.name} ${this.selection(each, depth, parents)}`).join(' ')} }`
    }
    const fields = (type as GraphQLObjectType).getFields()
    if (fields.pageInfo) return this.connection(type as GraphQLObjectType, depth, parents)
    const leaves = Object.values(fields).filter((each) => isLeafType(getNamedType(each.type)))
    const chosen = new Set(['id', random.pick(leaves).name])
    if (random.chance(0.25)) for (const name of random.some(SPECIAL, 2)) if (leaves.some((leaf) => leaf.name === name)) chosen.add(name)
    const edges = this.edgesOf(type as GraphQLObjectType)
    const parts = [...chosen].map((name) => (fields[name] ? `${(type as GraphQLObjectType).name}_${name}: ${name}` : '__typename'))
    if (depth > 0 && edges.length > 0 && parents <= MOST_PARENTS)
      for (let left = random.pick([1, 1, 2, 3]); left > 0; left--)
        parts.push(this.edge(type as GraphQLObjectType, random.pick(edges), depth, parents))
    return `{ ${parts.join(' ')} }`
  }

  private connection(type: GraphQLObjectType, depth: number, parents: number): string {
    const { random } = this.options
    const row = getNamedType(type.getFields().edges?.type) as GraphQLObjectType
    const side = Object.values(row.getFields()).find((each) => each.name !== 'node' && isObjectType(getNamedType(each.type)))
    const nodes = `nodes ${this.selection(getNamedType(type.getFields().nodes?.type), depth, parents)}`
    const parts = [random.chance(0.1) ? 'totalCount' : nodes, ...(random.chance(0.3) ? ['pageInfo { hasNextPage }'] : [])]
    if (side && random.chance(0.4))
      parts.push(`edges { ${side.name} ${this.selection(getNamedType(side.type), Math.min(depth, 1), parents)} }`)
    return `{ ${parts.join(' ')} }`
  }
}
