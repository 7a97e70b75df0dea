import { astFromValue, getNamedType, type GraphQLField, type GraphQLNamedType, type GraphQLObjectType, type GraphQLSchema, isAbstractType, isCompositeType, isLeafType, isObjectType, print } from 'graphql'
import { ArgumentMaker, type Ids, type Steering } from './random-arguments.js'
import type { Random } from './random.js'
import type { Login } from './world.js'

/** One selection of an operation, as a tree to look an answer up by. */
export type Selected =
  | { readonly kind: 'field'; readonly parent: string; readonly name: string; readonly key: string; readonly args: readonly string[]; readonly type: GraphQLNamedType; readonly selections: readonly Selected[]; readonly password: boolean }
  | { readonly kind: 'fragment'; readonly on: string; readonly selections: readonly Selected[] }

export interface RandomOperation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Login | undefined
  readonly selections: readonly Selected[]
}

export interface OperationOptions {
  readonly schema: GraphQLSchema
  readonly random: Random
  readonly ids: Ids
  readonly steering: Steering
}

const CALLERS: readonly (Login | undefined)[] = ['admin', 'admin', 'admin', 'admin', 'leader', 'learner', undefined]
const DEPTH = 5
/** Most records an edge may be followed from, so that operations stay small. */
const MOST_PARENTS = 12

interface Place {
  /** Edges still to go. */
  readonly depth: number
  /** About how many objects there will be. */
  readonly parents: number
}

type Written = { text: string; selected: Selected }

/** Makes one random valid operation. Object types are always asked for their id, so that records can be told. */
export function randomOperation(options: OperationOptions): RandomOperation {
  return new Writer(options).write()
}

class Writer {
  private readonly random: Random
  private readonly caller: Login | undefined
  private readonly args: ArgumentMaker
  private readonly variables: { declared: string; name: string; value: unknown }[] = []
  private readonly fragments: { name: string; on: string; parents: number; depth: number; text: string; selections: readonly Selected[] }[] = []
  private names = 0

  constructor(private readonly options: OperationOptions) {
    this.random = options.random
    this.caller = this.random.pick(CALLERS)
    this.args = new ArgumentMaker({ ...options, caller: this.caller })
  }

  write(): RandomOperation {
    const query = this.options.schema.getQueryType() as GraphQLObjectType
    const roots = Array.from({ length: this.random.pick([1, 2, 2, 3]) }, () => this.edge(query, { depth: DEPTH, parents: 1 })).flat()
    const declared = this.variables.length > 0 ? `(${this.variables.map((each) => each.declared).join(', ')})` : ''
    const fragments = this.fragments.map(({ name, on, text }) => `\nfragment ${name} on ${on} ${text}`).join('')
    return {
      query: `query${declared} ${block(roots)}${fragments}`,
      variables: Object.fromEntries(this.variables.map(({ name, value }) => [name, value])),
      caller: this.caller,
      selections: roots.map(({ selected }) => selected),
    }
  }

  /** Selections on a composite type, as text in braces and as trees. */
  private select(type: GraphQLNamedType, place: Place): Written[] {
    if (isAbstractType(type)) return this.selectAbstract(type.name, place)
    const object = type as GraphQLObjectType
    const written = this.leaves(object)
    const follow = place.depth > 0 && place.parents <= MOST_PARENTS
    if (this.fieldsOf(object).some(isPart)) written.push(...this.parts(object, place))
    else if (follow && this.edgesOf(object).length > 0 && this.random.chance(0.85)) {
      for (let count = this.random.pick([1, 2, 2]); count > 0; count--) written.push(...this.edge(object, place))
    } else if (written.length === 0) written.push(this.leaf(object, '__typename'))
    return this.random.chance(0.2) ? this.wrap(object, written, place) : written
  }

  /** `__typename`, some fields all have, and some that only single types have. */
  private selectAbstract(name: string, place: Place): Written[] {
    const { schema } = this.options
    const written: Written[] = [{ text: '__typename', selected: field(name, '__typename', '__typename', schema.getType('String') as GraphQLNamedType) }]
    const possible = schema.getPossibleTypes(schema.getType(name) as never)
    const post = schema.getType('Post') as GraphQLObjectType
    if (this.random.chance(0.5)) written.push(this.inline('Post', [...this.leaves(post, 'Post'), ...(this.random.chance(0.3) ? [this.author(post, place)] : [])]))
    for (const type of this.random.some(possible, this.random.int(1, 4))) written.push(this.inline(type.name, this.select(type, { ...place, parents: place.parents + 1 }).map((each) => each)))
    return written
  }

  private author(post: GraphQLNamedType, place: Place): Written {
    const { author } = (post as GraphQLObjectType).getFields()
    const key = `a${++this.names}`
    const user = getNamedType(author?.type) as GraphQLObjectType
    const inner = this.select(user, { depth: Math.min(place.depth - 1, 1), parents: place.parents })
    return { text: `${key}: author ${block(inner)}`, selected: { ...field('Post', 'author', key, user), selections: inner.map(({ selected }) => selected) } }
  }

  /** Puts some selections into a fragment, or repeats a fragment that is there already. */
  private wrap(type: GraphQLObjectType, written: Written[], place: Place): Written[] {
    const known = this.fragments.find(({ on, parents, depth }) => on === type.name && parents >= place.parents && depth <= place.depth)
    if (known && this.random.chance(0.7)) return [...written, { text: `...${known.name}${this.directive()}`, selected: { kind: 'fragment', on: type.name, selections: known.selections } }]
    const cut = this.random.int(0, written.length - 1)
    const inner = written.slice(cut)
    if (this.random.chance(0.5)) return [...written.slice(0, cut), this.inline(this.random.chance(0.3) ? '' : type.name, inner, type.name)]
    const name = `F${++this.names}`
    const selections = inner.map(({ selected }) => selected)
    this.fragments.push({ name, on: type.name, parents: place.parents, depth: place.depth, text: block(inner), selections })
    return [...written.slice(0, cut), { text: `...${name}${this.directive()}`, selected: { kind: 'fragment', on: type.name, selections } }, ...(cut === 0 ? [this.leaf(type, '__typename')] : [])]
  }

  private inline(on: string, inner: readonly Written[], type = on): Written {
    return {
      text: `...${on && ` on ${on}`}${this.directive()} ${block(inner)}`,
      selected: { kind: 'fragment', on: type, selections: inner.map(({ selected }) => selected) },
    }
  }

  private fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
    return Object.values(type.getFields())
  }

  /** Composite fields that are columns: links, answers. */
  private membersOf = (type: GraphQLObjectType) => this.fieldsOf(type).filter((each) => isCompositeType(getNamedType(each.type)) && !isEdge(each))
  private edgesOf = (type: GraphQLObjectType) => this.fieldsOf(type).filter(isEdge)

  private leaves(type: GraphQLObjectType, suffix = ''): Written[] {
    const leaves = this.fieldsOf(type).filter((each) => isLeafType(getNamedType(each.type)))
    const written: Written[] = leaves.some(({ name }) => name === 'databaseId') && !suffix ? [this.leaf(type, 'databaseId')] : []
    // Most of what a link could say, sites do not.
    if (type.name === 'Link') written.push(this.leaf(type, 'rel'), this.leaf(type, 'href'))
    for (let count = Math.min(leaves.length, type.name === 'Link' ? 1 : this.random.int(3, 10)); count > 0; count--) {
      const { name } = this.random.chance(0.75) ? this.options.steering.least(leaves, (each) => `${type.name}.${each.name}`) : this.random.pick(leaves)
      written.push(this.leaf(type, name))
    }
    const members = this.membersOf(type)
    if (members.length > 0 && !isRow(type) && !suffix && this.random.chance(0.2)) written.push(this.member(type, this.options.steering.least(members, ({ name }) => `${type.name}.${name}`)))
    return written
  }

  private member(type: GraphQLObjectType, of: GraphQLField<unknown, unknown>): Written {
    const inner = this.leaves(getNamedType(of.type) as GraphQLObjectType)
    const key = `m${++this.names}`
    return { text: `${key}: ${of.name}${this.directive()} ${block(inner)}`, selected: { ...field(type.name, of.name, key, getNamedType(of.type)), selections: inner.map(({ selected }) => selected) } }
  }

  /** Keys of fields that other types have with another type of value carry the name of their own type. */
  private leaf(type: GraphQLObjectType, name: string): Written {
    const plain = name === '__typename' || name === 'databaseId' || name === 'id'
    const key = plain ? name : this.random.chance(0.1) ? `l${++this.names}` : `${name}_${type.name}`
    const returned = (type.getFields()[name]?.type ?? this.options.schema.getType('String')) as GraphQLNamedType
    const directive = plain ? '' : this.directive()
    return { text: `${key === name ? '' : `${key}: `}${name}${directive}`, selected: field(type.name, name, key, getNamedType(returned)) }
  }

  /** What a connection or one of its rows consists of: no edges of its own. */
  private parts(type: GraphQLObjectType, place: Place): Written[] {
    const parts = this.fieldsOf(type).filter((each) => isCompositeType(getNamedType(each.type)))
    const chosen = new Set([this.options.steering.least(parts, ({ name }) => `${type.name}.${name}`), ...(this.random.chance(0.4) ? [this.random.pick(parts)] : [])])
    if (![...chosen].some(({ name }) => name === 'nodes' || name === 'edges' || name === 'node' || name === 'groupCourse') && this.random.chance(0.7)) chosen.add(this.random.pick(parts))
    return [...chosen].map((each) => {
      const inner = this.select(getNamedType(each.type), place)
      const key = this.random.chance(0.1) ? `p${++this.names}` : each.name
      return { text: `${key === each.name ? '' : `${key}: `}${each.name}${this.directive()} ${block(inner)}`, selected: { ...field(type.name, each.name, key, getNamedType(each.type)), selections: inner.map(({ selected }) => selected) } }
    })
  }

  /** An edge under an alias of its own; now and then again with the same arguments, or again under the same alias. */
  private edge(type: GraphQLObjectType, place: Place): Written[] {
    const edge = this.random.chance(0.7) ? this.options.steering.least(this.edgesOf(type), ({ name }) => `${type.name}.${name}`) : this.random.pick(this.edgesOf(type))
    const rows = Math.max(1, Math.floor((place.parents === 1 ? 8 : 4) / Math.max(1, place.parents / 3)))
    const values = this.args.make(type.name, edge, rows)
    const args = this.argumentsText(edge, values)
    const key = Object.keys(values).length === 0 && this.random.chance(0.5) && type.name !== 'Query' ? edge.name : `e${++this.names}`
    const written = [this.follow(type, edge, key, args, values, place, rows)]
    if (this.random.chance(0.15)) written.push(this.follow(type, edge, this.random.chance(0.5) ? key : `e${++this.names}`, args, values, { ...place, depth: Math.min(place.depth, 2) }, rows))
    return written
  }

  private follow(type: GraphQLObjectType, edge: GraphQLField<unknown, unknown>, key: string, args: string, values: Record<string, unknown>, place: Place, rows: number): Written {
    const returned = getNamedType(edge.type)
    const list = 'first' in values || 'last' in values ? ((values.first ?? values.last) as number) : edge.args.some(({ name }) => name === 'first') ? 10 : edge.name === 'nodes' ? 5 : edge.name === 'prerequisites' ? 2 : 1
    const inner = this.select(returned, { depth: place.depth - 1, parents: place.parents * Math.max(1, Math.min(list, rows * 3)) })
    const selections = inner.map(({ selected }) => selected)
    const names = [...argumentNames(type.name, edge, values)]
    return {
      text: `${key === edge.name ? '' : `${key}: `}${edge.name}${args}${this.directive()} ${block(inner)}`,
      selected: { ...field(type.name, edge.name, key, returned), args: names, selections, password: 'password' in values },
    }
  }

  private argumentsText(edge: GraphQLField<unknown, unknown>, values: Record<string, unknown>): string {
    const given = edge.args.filter(({ name }) => name in values)
    if (given.length === 0) return ''
    const written = given.map(({ name, type }) => {
      if (this.random.chance(0.75)) return `${name}: ${print(astFromValue(values[name], type) as never)}`
      const variable = `v${++this.names}`
      this.variables.push({ declared: `$${variable}: ${type}`, name: variable, value: values[name] })
      return `${name}: $${variable}`
    })
    return `(${written.join(', ')})`
  }

  private directive(): string {
    if (!this.random.chance(0.06)) return ''
    const [name, right] = this.random.pick([['skip', false], ['include', true]] as const)
    const value = this.random.chance(0.75) ? right : !right
    if (this.random.chance(0.4)) return ` @${name}(if: ${value})`
    const variable = `b${++this.names}`
    this.variables.push({ declared: `$${variable}: Boolean!`, name: variable, value })
    return ` @${name}(if: $${variable})`
  }
}

const block = (written: readonly Written[]): string => `{ ${written.map(({ text }) => text).join(' ')} }`

const field = (parent: string, name: string, key: string, type: GraphQLNamedType): Extract<Selected, { kind: 'field' }> => ({
  kind: 'field', parent, name, key, args: [], type, selections: [], password: false,
})

const isEdge = ({ extensions }: GraphQLField<unknown, unknown>): boolean => (extensions.lms as { edge?: unknown } | undefined)?.edge !== undefined
const isRow = (type: GraphQLNamedType): boolean => isObjectType(type) && /Connection$|Edge$/.test(type.name)
const isPart = ({ name }: GraphQLField<unknown, unknown>): boolean => name === 'pageInfo' || name === 'cursor'

/** Names of what is given: arguments, members of input objects, and the values of `orderBy.field`. */
function* argumentNames(type: string, edge: GraphQLField<unknown, unknown>, values: Record<string, unknown>): Iterable<string> {
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
