import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isLeafType,
} from 'graphql'
import type { Random } from './random.js'
import type { Ids, Steering } from './random-arguments.js'
import { block, type Written, writeField } from './selected.js'

export interface OperationOptions {
  readonly schema: GraphQLSchema
  readonly random: Random
  readonly ids: Ids
  readonly steering: Steering
  /** How many edges may be followed from the root. Default 5. */
  readonly depth?: number
}

export type Field = GraphQLField<unknown, unknown>

const isEdge = ({ extensions }: Field): boolean => (extensions.lms as { edge?: unknown } | undefined)?.edge !== undefined
const isRow = ({ name }: GraphQLNamedType): boolean => /Connection$|Edge$/.test(name)

const WINDOW = /Connection$|^PageInfo$/
/** Types that few operations reach. */
const RARE: readonly string[] = [
  'Question',
  'GroupCourse',
  'Access',
  'NextLesson',
  'NotEnrolled',
  'PrerequisiteMap',
  'PrerequisiteNode',
  'PrerequisitesMissing',
  'PreviousLessonIncomplete',
]

/** Writes selections without edges: leaves, lists of objects inside a record, directives with their variables. */
export class LeafWriter {
  protected readonly random: Random
  protected readonly variables: { declared: string; name: string; value: unknown }[] = []
  private names = 0

  constructor(protected readonly options: OperationOptions) {
    this.random = options.random
  }

  /** A unique name. */
  protected name(letter: string): string {
    return `${letter}${++this.names}`
  }

  /** The rarest fields of a type. */
  protected least(type: GraphQLNamedType, fields: readonly Field[]): Field {
    return this.options.steering.least(fields, ({ name }) => `${type.name}.${name}`)
  }

  protected fieldsOf(type: GraphQLObjectType): Field[] {
    return Object.values(type.getFields())
  }

  protected edgesOf(type: GraphQLObjectType): Field[] {
    return this.fieldsOf(type).filter(isEdge)
  }

  /** Composite fields without edges: columns such as links, and the parts of a connection. */
  protected partsOf(type: GraphQLObjectType): Field[] {
    return this.fieldsOf(type).filter((each) => isCompositeType(getNamedType(each.type)) && !isEdge(each))
  }

  /** Some leaves; of records always the id, to identify them. */
  protected leaves(type: GraphQLObjectType): Written[] {
    const leaves = this.fieldsOf(type).filter((each) => isLeafType(getNamedType(each.type)))
    const isLink = type.name === 'RestLink'
    const written = leaves.some(({ name }) => name === 'databaseId') && !isLink ? [this.leaf(type, 'databaseId')] : []
    // Sites leave most fields of links empty.
    if (isLink) written.push(this.leaf(type, 'rel'), this.leaf(type, 'href'))
    if (/Connection$/.test(type.name) && this.random.chance(0.4)) return written
    for (let count = Math.min(leaves.length, isLink ? 1 : this.random.int(3, 5 + leaves.length / 5)); count > 0; count--) {
      written.push(this.leaf(type, (this.random.chance(0.75) ? this.least(type, leaves) : this.random.pick(leaves)).name))
    }
    const members = this.partsOf(type)
    if (members.length > 0 && !isRow(type) && this.random.chance(RARE.includes(type.name) ? 0.7 : 0.2))
      written.push(this.member(type, this.least(type, members)))
    return written
  }

  private member(type: GraphQLObjectType, field: Field): Written {
    const of = getNamedType(field.type)
    const { text, names } = this.given(type, field)
    const after = text + this.directive()
    return writeField(type.name, field.name, of, { key: this.name('m'), after, inner: this.leavesOfAny(of), args: names })
  }

  /** Arguments of a composite field without an edge, as text and by their names. */
  protected given(_type: GraphQLObjectType, _field: Field): { readonly text: string; readonly names: readonly string[] } {
    return { text: '', names: [] }
  }

  /** Leaves of an object, or of some of the types of an interface. */
  private leavesOfAny(type: GraphQLNamedType): Written[] {
    if (!isAbstractType(type)) return this.leaves(type as GraphQLObjectType)
    const possible = this.options.schema.getPossibleTypes(type)
    const types = this.random.chance(0.5) ? possible : this.random.some(possible, this.random.int(1, 4))
    const typename = writeField(type.name, '__typename', this.options.schema.getType('String') as GraphQLNamedType)
    return [typename, ...types.map((each) => this.inline(each.name, this.leaves(each)))]
  }

  protected inline(on: string, inner: readonly Written[], named = true): Written {
    const text = `...${named ? ` on ${on}` : ''}${this.directive(on)} ${block(inner)}`
    return { text, selected: { kind: 'fragment', on, selections: inner.map(({ selected }) => selected) } }
  }

  /** Keys carry the name of the type: other types may have another kind of value under the same name. */
  protected leaf(type: GraphQLObjectType, name: string): Written {
    const returned = getNamedType(type.getFields()[name]?.type) ?? (this.options.schema.getType('String') as GraphQLNamedType)
    if (name === '__typename' || name === 'id' || (name === 'databaseId' && type.name !== 'RestLink'))
      return writeField(type.name, name, returned)
    return writeField(type.name, name, returned, {
      key: this.random.chance(0.1) ? this.name('l') : `${name}_${type.name}`,
      after: this.directive(type.name),
    })
  }

  /**
   * Now and then `@skip` or `@include`, by a literal or a variable. Never directly below a list: one of which nothing is left costs
   * no call, so whether the caller may see it is known only where an equal list is asked for more.
   */
  protected directive(on?: string): string {
    if ((on && WINDOW.test(on)) || !this.random.chance(0.06)) return ''
    const [name, shows] = this.random.pick([
      ['skip', false],
      ['include', true],
    ] as const)
    const value = this.random.chance(0.75) ? shows : !shows
    return ` @${name}(if: ${this.random.chance(0.4) ? value : this.variable('Boolean!', value)})`
  }

  protected variable(type: string, value: unknown): string {
    const name = this.name('v')
    this.variables.push({ declared: `$${name}: ${type}`, name, value })
    return `$${name}`
  }
}
