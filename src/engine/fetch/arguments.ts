import { getArgumentValues } from 'graphql'
import { type ArgumentContext, PreparedArguments } from '../edges.js'
import type { PlannedEdge } from '../plan.js'

/** Checks the arguments of the fields of one operation, once per field. */
export class Arguments {
  private readonly checked = new Map<PlannedEdge, PreparedArguments | null>()

  constructor(
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly asking: ArgumentContext,
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

  private prepare({ edge, field, node }: PlannedEdge): PreparedArguments | null {
    try {
      return new PreparedArguments(edge, edge.prepare(getArgumentValues(field, node, this.variables), this.asking))
    } catch {
      return null
    }
  }
}
