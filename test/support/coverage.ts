import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql'
import type { Random } from './random.js'
import type { Steering } from './random-arguments.js'
import type { Selected, SelectedField } from './selected.js'

type Json = Record<string, unknown>

/** One object of a response whose type is known. */
export interface Shown {
  readonly type: string
  readonly object: Json
  /** Leaves that were selected: response key and field. */
  readonly leaves: readonly { key: string; name: string }[]
  /** Read with a password, which shows more. */
  readonly password: boolean
}

/** Counts which fields, arguments and input fields of a schema occurred in responses, and chooses those that did not. */
export class Coverage implements Steering {
  readonly hits = new Map<string, number>()
  leaves = 0
  nulls = 0
  /** Names that were chosen, but may not have occurred. */
  private readonly tries = new Map<string, number>()

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly random: Random,
  ) {
    for (const name of namesOf(schema)) this.hits.set(name, 0)
  }

  least<T>(items: readonly T[], nameOf: (item: T) => string): T {
    const score = (name: string) => (this.hits.get(name) ?? 0) + (this.tries.get(name) ?? 0) / 3 + this.random.next() * 3
    let [best, lowest] = [items[0] as T, Number.POSITIVE_INFINITY]
    for (const item of items) {
      const value = score(nameOf(item))
      if (value < lowest) [best, lowest] = [item, value]
    }
    const name = nameOf(best)
    this.tries.set(name, (this.tries.get(name) ?? 0) + 1)
    return best
  }

  /** Counts each name once for each response, and lists the objects shown. */
  count(selections: readonly Selected[], data: Json | null): Shown[] {
    const met = new Set<string>()
    const shown: Shown[] = []
    if (data) this.visit('Query', selections, data, met, shown, false)
    for (const name of met) this.hits.set(name, (this.hits.get(name) ?? 0) + 1)
    return shown
  }

  /** The rarest names, with their counts. */
  rarest(count: number): [string, number][] {
    return [...this.hits].sort((a, b) => a[1] - b[1]).slice(0, count)
  }

  private visit(type: string, selections: readonly Selected[], object: Json, met: Set<string>, shown: Shown[], password: boolean): void {
    const leaves: { key: string; name: string }[] = []
    shown.push({ type, object, leaves, password })
    for (const selected of this.flat(type, selections)) {
      if (!(selected.key in object) || selected.name === '__typename') continue
      met.add(`${type}.${selected.name}`)
      for (const name of selected.args) met.add(name)
      const value = object[selected.key]
      if (isLeafType(selected.type)) {
        leaves.push(selected)
        this.leaves++
        if (value === null) this.nulls++
      } else this.below(selected, value, met, shown, password || selected.password)
    }
  }

  private below(selected: SelectedField, value: unknown, met: Set<string>, shown: Shown[], password: boolean): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue
      const type = isObjectType(selected.type) ? selected.type.name : ((item as Json).__typename as string)
      this.visit(type, selected.selections, item as Json, met, shown, password)
    }
  }

  private *flat(type: string, selections: readonly Selected[]): Iterable<SelectedField> {
    for (const selected of selections) {
      if (selected.kind === 'field') yield selected
      else if (this.applies(selected.on, type)) yield* this.flat(type, selected.selections)
    }
  }

  private applies(on: string, type: string): boolean {
    const [condition, concrete] = [this.schema.getType(on), this.schema.getType(type)]
    return on === type || (isAbstractType(condition) && isObjectType(concrete) && this.schema.isSubType(condition, concrete))
  }
}

/** The types that queries can reach. */
function readable(schema: GraphQLSchema): Set<GraphQLNamedType> {
  const found = new Set<GraphQLNamedType>()
  const visit = (type: GraphQLNamedType): void => {
    if (found.has(type)) return
    found.add(type)
    if (isAbstractType(type)) for (const possible of schema.getPossibleTypes(type)) visit(possible)
    if (isObjectType(type)) for (const field of Object.values(type.getFields())) visit(getNamedType(field.type))
  }
  visit(schema.getQueryType() as GraphQLNamedType)
  return found
}

/** Every field and argument of object types that can be read, every field of input types of lists, and every order. */
function* namesOf(schema: GraphQLSchema): Iterable<string> {
  const types = readable(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type) && types.has(type)) {
      for (const field of Object.values(type.getFields())) {
        yield `${type.name}.${field.name}`
        for (const { name } of field.args) yield `${type.name}.${field.name}(${name})`
      }
    }
    if (!isInputObjectType(type) || !/Where$|OrderBy$/.test(type.name)) continue
    for (const field of Object.values(type.getFields())) {
      yield `${type.name}.${field.name}`
      const named = getNamedType(field.type)
      if (field.name === 'field' && isEnumType(named)) for (const { name } of named.getValues()) yield `${type.name}.field ${name}`
    }
  }
}
