import {
  astFromValue,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  print,
} from 'graphql'
import { ArgumentMaker } from './random-arguments.js'
import { type Field, LeafWriter, type OperationOptions } from './random-leaves.js'
import { argumentNames, block, type Selected, type Written, writeField } from './selected.js'
import type { Login } from './world.js'

export interface RandomOperation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Login | undefined
  readonly selections: readonly Selected[]
}

const CALLERS: readonly (Login | undefined)[] = ['admin', 'admin', 'admin', 'admin', 'leader', 'learner', undefined]
/** Most records from which an edge is followed, so that operations stay small. */
const MOST_PARENTS = 12
/** About how many records an edge without a window leads to. */
const LENGTHS: Readonly<Record<string, number>> = { nodes: 5, prerequisites: 2 }

interface Place {
  /** Edges left. */
  readonly depth: number
  /** Approximate number of objects. */
  readonly parents: number
}

interface Fragment extends Place {
  readonly name: string
  readonly on: string
  readonly inner: readonly Written[]
}

/** Makes one random valid operation. */
export const randomOperation = (options: OperationOptions): RandomOperation => new Writer(options).write()

class Writer extends LeafWriter {
  private readonly caller = this.random.pick(CALLERS)
  private readonly args = new ArgumentMaker({ ...this.options, caller: this.caller })
  private readonly fragments: Fragment[] = []

  write(): RandomOperation {
    const { schema, depth = 5 } = this.options
    const query = schema.getQueryType() as GraphQLObjectType
    const roots = Array.from({ length: this.random.pick([1, 2, 2, 3]) }, () => this.edges(query, { depth, parents: 1 })).flat()
    const declared = this.variables.length > 0 ? `(${this.variables.map((each) => each.declared).join(', ')})` : ''
    const fragments = this.fragments.map(({ name, on, inner }) => `\nfragment ${name} on ${on} ${block(inner)}`).join('')
    return {
      query: `query${declared} ${block(roots)}${fragments}`,
      variables: Object.fromEntries(this.variables.map(({ name, value }) => [name, value])),
      caller: this.caller,
      selections: roots.map(({ selected }) => selected),
    }
  }

  private select(type: GraphQLNamedType, place: Place): Written[] {
    if (isAbstractType(type)) return this.selectAbstract(type.name, place)
    const object = type as GraphQLObjectType
    const written = this.leaves(object)
    if ('pageInfo' in object.getFields() || 'cursor' in object.getFields()) written.push(...this.parts(object, place))
    else if (place.depth > 0 && place.parents <= MOST_PARENTS && this.edgesOf(object).length > 0 && this.random.chance(0.85)) {
      for (let count = this.random.pick([1, 2, 2]); count > 0; count--) written.push(...this.edges(object, place))
    }
    return this.random.chance(0.2) ? this.wrap(object, written, place) : written
  }

  /** `__typename`, some fields all posts have, and some that only single types have. */
  private selectAbstract(name: string, place: Place): Written[] {
    const { schema } = this.options
    const written = [writeField(name, '__typename', schema.getType('String') as GraphQLNamedType)]
    const post = schema.getType('LmsContent') as GraphQLObjectType
    if (this.random.chance(0.5))
      written.push(this.inline('LmsContent', [...this.leaves(post), ...(this.random.chance(0.3) ? [this.author(post, place)] : [])]))
    const types = this.random.some(schema.getPossibleTypes(schema.getType(name) as never), this.random.int(1, 4))
    for (const type of types) written.push(this.inline(type.name, this.select(type, { ...place, parents: place.parents + 1 })))
    return written
  }

  private author(post: GraphQLObjectType, { depth, parents }: Place): Written {
    const user = getNamedType(post.getFields().author?.type) as GraphQLNamedType
    return writeField('LmsContent', 'author', user, {
      key: this.name('a'),
      inner: this.select(user, { depth: Math.min(depth - 1, 1), parents }),
    })
  }

  /** Puts some selections into a fragment, or repeats an existing fragment. */
  private wrap({ name: on }: GraphQLObjectType, written: Written[], place: Place): Written[] {
    const known = this.fragments.find((each) => each.on === on && each.parents >= place.parents && each.depth <= place.depth)
    if (known && this.random.chance(0.7)) return [...written, this.spread(known)]
    const cut = this.random.int(0, written.length - 1)
    const inner = written.slice(cut)
    if (this.random.chance(0.5)) return [...written.slice(0, cut), this.inline(on, inner, this.random.chance(0.7))]
    const fragment: Fragment = { ...place, name: this.name('F'), on, inner }
    this.fragments.push(fragment)
    return [...written.slice(0, cut), this.spread(fragment)]
  }

  private spread({ name, on, inner }: Fragment): Written {
    return {
      text: `...${name}${this.directive(on)}`,
      selected: { kind: 'fragment', on, selections: inner.map(({ selected }) => selected) },
    }
  }

  /** Selections on a connection or on one of its rows. */
  private parts(type: GraphQLObjectType, place: Place): Written[] {
    const parts = this.partsOf(type)
    const chosen = new Set([this.least(type, parts), ...this.random.some(parts, this.random.int(0, 2))])
    return [...chosen].map(({ name, type: returned }) => {
      const key = this.random.chance(0.1) ? this.name('p') : name
      return writeField(type.name, name, getNamedType(returned), {
        key,
        after: this.directive(type.name),
        inner: this.select(getNamedType(returned), place),
      })
    })
  }

  /** An edge; sometimes repeated with the same arguments under another alias or the same one, or with other arguments. */
  private edges(type: GraphQLObjectType, place: Place): Written[] {
    const edges = this.edgesOf(type)
    const edge = this.random.chance(0.7) ? this.least(type, edges) : this.random.pick(edges)
    const rows = Math.max(1, Math.floor((place.parents === 1 ? 8 : 4) / Math.max(1, place.parents / 3)))
    const values = this.args.make(type.name, edge, rows)
    const given = this.argumentsText(edge, values)
    const plain = given === '' && type.name !== 'Query' && this.random.chance(0.5)
    const key = plain ? edge.name : this.name('e')
    const written = [this.edge(type, edge, key, given, values, place)]
    const shallow = { ...place, depth: Math.min(place.depth, 2) }
    const others = this.random.int(1, 10)
    if (others === 1) written.push(this.edge(type, edge, key, given, values, shallow))
    if (others === 2) written.push(this.edge(type, edge, this.name('e'), given, values, shallow))
    if (others === 3) {
      const different = this.args.make(type.name, edge, rows)
      written.push(this.edge(type, edge, this.name('e'), this.argumentsText(edge, different), different, shallow))
    }
    return written
  }

  private edge(
    type: GraphQLObjectType,
    edge: GraphQLField<unknown, unknown>,
    key: string,
    given: string,
    values: Readonly<Record<string, unknown>>,
    place: Place,
  ): Written {
    const isList = edge.args.some(({ name }) => name === 'first')
    const count = isList ? Number(values.first ?? values.last ?? 10) : (LENGTHS[edge.name] ?? 1)
    const returned = getNamedType(edge.type)
    return writeField(type.name, edge.name, returned, {
      key,
      after: given + this.directive(),
      inner: this.select(returned, { depth: place.depth - 1, parents: place.parents * Math.max(1, Math.min(count, 12)) }),
      args: [...argumentNames(type.name, edge, values)],
      password: 'password' in values,
    })
  }

  protected override given(type: GraphQLObjectType, field: Field) {
    const values = this.args.make(type.name, field, 5)
    return { text: this.argumentsText(field, values), names: [...argumentNames(type.name, field, values)] }
  }

  private argumentsText(edge: GraphQLField<unknown, unknown>, values: Readonly<Record<string, unknown>>): string {
    const written = edge.args
      .filter(({ name }) => name in values)
      .map(
        ({ name, type }) =>
          `${name}: ${this.random.chance(0.75) ? print(astFromValue(values[name], type) as never) : this.variable(String(type), values[name])}`,
      )
    return written.length > 0 ? `(${written.join(', ')})` : ''
  }
}
