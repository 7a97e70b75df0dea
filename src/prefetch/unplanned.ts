import type { FieldNode, GraphQLResolveInfo } from 'graphql'
import { getOrMake } from '../maps.js'
import type { Edge } from '../model/edge.js'
import type { Arguments } from '../plan/arguments.js'
import { variablesIn } from '../plan/graphql-js.js'
import { layOut } from '../plan/layout.js'
import type { PlannedEdge } from '../plan/plan.js'
import type { Planner } from '../plan/planner.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import type { Operation } from './operation.js'
import { type Step, stepFrom } from './steps.js'

/** Planned edges, and their steps. */
export interface Steps {
  readonly planned: readonly PlannedEdge[]
  /** Throws the error of wrong arguments. */
  readonly stepOf: (planned: PlannedEdge) => Step | undefined
}

interface Known {
  /** Arguments are read anew once the viewer is known. */
  readonly given: Arguments
  readonly nodes: readonly FieldNode[]
  readonly parentType: string
  readonly steps: Steps
}

/** The steps of fields that resolve without a plan. Each is made once per field and operation, by looking at what is selected below the field. */
export class UnplannedSteps {
  private readonly known = new Map<FieldNode, Known[]>()

  constructor(
    private readonly operation: Operation,
    private readonly planner: Planner,
  ) {}

  /** The step of a field that follows an edge. Throws the error of wrong arguments. */
  stepOf(edge: Edge, info: GraphQLResolveInfo): Step {
    const { planned, stepOf } = this.once(info, () => [this.planner.look(edge, info)])
    return stepOf(planned[0] as PlannedEdge) as Step
  }

  /** The steps to the records that a computed field needs. */
  neededBy(info: GraphQLResolveInfo): Steps {
    return this.once(info, () => this.planner.lookNeeded(info))
  }

  private once(info: GraphQLResolveInfo, plan: () => readonly PlannedEdge[]): Steps {
    const { fieldNodes: nodes, parentType } = info
    const given = this.operation.argumentsUnder(variablesIn(info))
    const known = getOrMake(this.known, nodes[0] as FieldNode, (): Known[] => [])
    const isSame = (each: Known): boolean =>
      each.given === given &&
      each.parentType === parentType.name &&
      each.nodes.length === nodes.length &&
      each.nodes.every((node, index) => node === nodes[index])
    const found = known.find(isSame)
    if (found) return found.steps
    const steps = this.stepsOf(plan(), given)
    known.push({ given, nodes, parentType: parentType.name, steps })
    return steps
  }

  private stepsOf(planned: readonly PlannedEdge[], given: Arguments): Steps {
    const layout = layOut([{ columns: NO_COLUMNS, edges: planned }], given)
    const steps = layout.steps.map((step) => stepFrom(step, this.operation))
    const stepOf = (each: PlannedEdge): Step => {
      const step = layout.stepOf.get(each)
      if (step) return steps[step.index] as Step
      given.valueFor(each)
      throw new Error(`${each.edge.id} was not laid out.`)
    }
    return { planned, stepOf }
  }
}
