import { EventEmitter } from 'node:events'
import type { DocumentNode, ExecutionResult, FieldNode, GraphQLSchema } from 'graphql'
import type { GraphContext } from '../../src/execute/context.js'
import type { Call } from '../../src/index.js'
import { executeWhole } from '../../src/plan/graphql-js.js'
import type { Plan, PlannedEdge, Selection } from '../../src/plan/plan.js'
import { Planner } from '../../src/plan/planner.js'
import { PreparedOperations } from '../../src/plan/prepared-operations.js'
import { Operation } from '../../src/prefetch/operation.js'
import { masking } from '../../src/server/errors.js'
import type { GatewayEvents } from '../../src/server/events.js'
import { ANONYMOUS, Credentials } from '../../src/upstream/credentials.js'
import type { Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from './call-scope.js'
import { coerced } from './graphql-version.js'
import { merged, type TunedOptions } from './merged.js'
import { prefetched } from './prefetched.js'
import type { Random } from './random.js'
import { serve } from './served.js'
import { upstreamOf } from './upstream.js'
import { authorizationOf, CANDID, type Login } from './world.js'

/** A response to compare: its data, and its errors by path, in any order. */
export interface Comparable {
  readonly data: any
  readonly errors: readonly string[]
}

interface Asked {
  readonly document: DocumentNode
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Login | undefined
}

/** One way to run an operation; all must show the same. */
export interface Mode {
  readonly run: (asked: Asked) => Promise<Comparable>
  /** REST calls so far. */
  calls: number
  /** The paths of those of the last run. */
  paths: string[]
  readonly close: () => Promise<void>
}

const comparable = ({
  data,
  errors = [],
}: {
  data?: unknown
  errors?: readonly { path?: readonly unknown[]; extensions?: Record<string, unknown> }[]
}): Comparable => ({
  data: data ?? null,
  errors: errors.map(({ path, extensions }) => `${path?.join('.')}: ${extensions?.code}`).sort(),
})

function called(mode: Mode, { path }: Call): void {
  mode.calls++
  mode.paths.push(path)
}

/** The gateway as it is, or with some options. */
export async function gatewayMode(site: Site, options: TunedOptions = {}): Promise<Mode> {
  const gateway = await serve(
    merged(
      {
        tuning: { site, limits: { maxErrors: 10_000 } },
        protection: { maxInFlight: 8 },
        limits: { maxCalls: 10_000 },
        on: { call: (call) => called(mode, call) },
      },
      CANDID,
      options,
    ),
  )
  const run: Mode['run'] = async ({ query, variables, caller }) => {
    mode.paths = []
    const response = await gateway.post({ query, variables }, caller ? { authorization: authorizationOf(caller) } : {})
    return comparable((await response.json()) as ExecutionResult as never)
  }
  const mode: Mode = { calls: 0, paths: [], run, close: () => gateway.close() }
  return mode
}

/** The executor of graphql-js: without a plan, or with a plan that lacks a share of its edges. */
export function executorMode(site: Site, schema: GraphQLSchema, forget?: { readonly share: number; readonly random: Random }): Mode {
  const limits = { maxInFlight: 8, timeout: 20_000, connectTimeout: 5_000, maxBytes: 20_000_000, share: true }
  const events = new EventEmitter<GatewayEvents>()
  events.on('call', (call) => called(mode, call)).on('fault', console.error)
  const transport = new Transport({ origin: site.url, ...limits, events })
  const upstream = upstreamOf(site, transport)
  const prepared = new PreparedOperations(new Planner(schema))
  const run: Mode['run'] = async ({ document, variables, caller }) => {
    mode.paths = []
    const credentials = caller ? new Credentials({ authorization: authorizationOf(caller) }) : ANONYMOUS
    const operation = new Operation(upstream, callScope({ credentials }))
    const contextValue: GraphContext = { operation, prepared, events }
    const values = coerced(schema, document, variables)
    const plan = forget && prepared.planner.make(document, null, values)
    if (plan) contextValue.prefetched = await prefetched(operation, forgetful(plan, forget.share, forget.random), values)
    const result = await executeWhole({ schema, document: plan?.document ?? document, variableValues: variables, contextValue })
    const errors = result.errors?.map(masking(events)) as never
    return comparable({ data: JSON.parse(JSON.stringify(result.data ?? null)), errors })
  }
  const mode: Mode = { calls: 0, paths: [], run, close: () => transport.close() }
  return mode
}

/** A copy of a plan without some of its edges and everything below them. Edges that one computed field needs are left out together. */
function forgetful(plan: Plan, share: number, random: Random): Plan {
  const byNode = new Map<FieldNode, PlannedEdge[]>()
  const forgotten = new Map<FieldNode, boolean>()
  const isKept = ({ node, neededAs }: PlannedEdge): boolean => {
    if (neededAs === undefined) return !random.chance(share)
    const isForgotten = forgotten.get(node) ?? random.chance(share)
    forgotten.set(node, isForgotten)
    return !isForgotten
  }
  const copySelection = ({ columns, edges }: Selection, above?: FieldNode): Selection => ({
    columns,
    edges: edges.filter(isKept).map((planned) => copyEdge(planned, above)),
  })
  const copyEdge = (planned: PlannedEdge, above?: FieldNode): PlannedEdge => {
    const { node } = planned
    const children = new Map([...planned.children].map(([name, selection]) => [name, copySelection(selection, node)]))
    const copy = { ...planned, children, rowData: planned.rowData && copySelection(planned.rowData) }
    // What a computed field needs of the records that it needs is found below them.
    if (node !== above) byNode.set(node, [...(byNode.get(node) ?? []), copy])
    return copy
  }
  return { ...plan, root: copySelection(plan.root), byNode }
}
