import { getArgumentValues } from 'graphql'
import type { Asking, Edge } from '../edges.js'
import { Notes } from './notes.js'
import type { PlannedEdge } from './selections.js'

/** What the arguments of a field come to. */
export class Prepared {
  private named: string | undefined

  constructor(
    private readonly edge: Edge,
    readonly value: unknown,
  ) {}

  /** The same for the same edge under equal arguments. */
  get name(): string {
    this.named ??= `${this.edge.id} ${JSON.stringify(this.value)}`
    return this.named
  }
}

/** Of fields whose arguments come to the same in every operation. */
const fixed = new Notes<PlannedEdge, Prepared | null>()

/** Reads the arguments of the fields of one operation, each once. */
export class Arguments {
  private readonly read = new Map<PlannedEdge, Prepared | null>()

  constructor(
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly asking: Asking,
  ) {}

  /** `null` where they are wrong, of which the executor tells. */
  of(planned: PlannedEdge): Prepared | null {
    const read = planned.isFixed ? fixed : this.read
    let prepared = read.get(planned)
    if (prepared === undefined) {
      prepared = this.prepare(planned)
      read.set(planned, prepared)
    }
    return prepared
  }

  private prepare({ edge, field, node }: PlannedEdge): Prepared | null {
    try {
      return new Prepared(edge, edge.prepare(getArgumentValues(field, node, this.variables), this.asking))
    } catch {
      return null
    }
  }
}
