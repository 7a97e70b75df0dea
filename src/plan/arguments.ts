import type { FieldNode, GraphQLField } from 'graphql'
import { getOrMake } from '../maps.js'
import { type Args, type ArgumentContext, isPerCaller, PreparedArguments } from '../model/edge.js'
import { argumentValues } from './graphql-js.js'
import type { PlannedEdge, Selection } from './plan.js'

/** Fields that follow one edge with equal arguments. `first` is the first of `planned`. */
export interface EqualFields {
  readonly first: PlannedEdge
  readonly planned: readonly PlannedEdge[]
  readonly prepared: PreparedArguments
}

/** Checks the arguments of the fields of one operation, once per field. */
export class Arguments {
  private readonly checked = new Map<PlannedEdge, PreparedArguments | null>()
  private readonly coercedOf = new Map<FieldNode, Args>()

  constructor(
    private readonly variables: Readonly<Record<string, unknown>>,
    readonly asking: ArgumentContext,
  ) {}

  /** Returns `null` for invalid arguments, which graphql-js reports. */
  of(planned: PlannedEdge): PreparedArguments | null {
    if (planned.isFixed) {
      if (planned.fixed === undefined) planned.fixed = this.prepare(planned)
      return planned.fixed
    }
    let prepared = this.checked.get(planned)
    if (prepared === undefined) {
      prepared = this.prepare(planned)
      this.checked.set(planned, prepared)
    }
    return prepared
  }

  /** Returns the checked arguments of a field. Throws when they are wrong. */
  valueFor(planned: PlannedEdge): unknown {
    const prepared = this.of(planned)
    return prepared ? prepared.value : this.tryPrepare(planned).value
  }

  /** Returns the coerced arguments of a field. Throws when they are wrong. */
  coerced(field: GraphQLField<unknown, unknown>, node: FieldNode): Args {
    return getOrMake(this.coercedOf, node, () => argumentValues(field, node, this.variables))
  }

  /** The fields of some selections, together where edge and arguments are equal; without those whose arguments are wrong. */
  together(selections: readonly Selection[]): Iterable<EqualFields> {
    const only = onlyEdge(selections)
    if (only) {
      const prepared = this.of(only)
      return prepared ? [{ first: only, planned: [only], prepared }] : []
    }
    const groups = new Map<string, EqualFields & { readonly planned: PlannedEdge[] }>()
    for (const { edges } of selections) {
      for (const each of edges) {
        const prepared = this.of(each)
        if (!prepared) continue
        const group = groups.get(prepared.name)
        if (group) group.planned.push(each)
        else groups.set(prepared.name, { first: each, planned: [each], prepared })
      }
    }
    return groups.values()
  }

  private prepare(planned: PlannedEdge): PreparedArguments | null {
    try {
      return this.tryPrepare(planned)
    } catch {
      return null
    }
  }

  private tryPrepare({ edge, field, node }: PlannedEdge): PreparedArguments {
    const args = argumentValues(field, node, this.variables)
    return new PreparedArguments(edge, edge.parse(args, this.asking), isPerCaller(edge, args))
  }
}

/** The edge of some selections, when they have only one. */
function onlyEdge(selections: readonly Selection[]): PlannedEdge | undefined {
  let only: PlannedEdge | undefined
  for (const { edges } of selections) {
    if (edges.length > 1 || (only && edges.length > 0)) return undefined
    only ??= edges[0]
  }
  return only
}
