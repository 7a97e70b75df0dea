import type { FieldNode, GraphQLField, GraphQLResolveInfo } from 'graphql'
import { NO_COLUMNS } from '../../upstream/codec/records.js'
import type { GraphContext } from '../context.js'
import { type Entity, type KeyEdge, type LmsRecord, ROOT, type Target } from '../edges.js'
import { entityOf } from '../entities.js'
import { Fetcher } from '../fetch/fetcher.js'
import type { Operation } from '../fetch/operation.js'
import type { Deferral, DeferredPart, PlannedEdge } from '../prepare/selections.js'

type Ahead = NonNullable<GraphContext['ahead']>

/** Opens when the first part of an answer has been handed to the socket. */
export class Gate {
  readonly opened: Promise<void>
  private resolve: () => void = () => {}

  constructor() {
    this.opened = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  open(): void {
    this.resolve()
  }
}

/** The records whose deferred fragment is fetched together. */
interface Batch {
  readonly parents: Set<LmsRecord>
  readonly ahead: Ahead
  readonly filled: Promise<void>
  done: boolean
}

/** Fields of deferred fragments, which wait until what their fragment wants has been fetched: for all its records together, after the gate. */
export class DeferredFields {
  private readonly batches = new Map<DeferredPart, Batch[]>()
  private readonly open = new Map<DeferredPart, Batch>()

  constructor(
    private readonly operation: Operation,
    private readonly planned: Omit<Ahead, 'fill'>,
    private readonly deferral: Deferral,
    private readonly gate: Gate,
    private readonly onFault: (cause: unknown) => void,
  ) {}

  /** Resolves a field, with what was fetched for its fragment where that is deferred. */
  through(parent: unknown, { fieldNodes }: GraphQLResolveInfo, resolve: (ahead?: Ahead) => unknown): unknown {
    const node = fieldNodes[0] as FieldNode
    const part = this.deferral.partOf.get(node)
    if (!part) return resolve()
    const record = (parent ?? ROOT) as LmsRecord
    if (!part.fields.has(node)) return resolve(this.aheadOf(part, node, record))
    const batch = this.batches.get(part)?.find(({ parents }) => parents.has(record)) ?? this.wait(part, record)
    return batch.done ? resolve(batch.ahead) : batch.filled.then(() => resolve(batch.ahead))
  }

  /** Of a field further down: the fill that has come by its record. */
  private aheadOf(part: DeferredPart, node: FieldNode, record: LmsRecord): Ahead | undefined {
    const planned = this.planned.plan.byNode.get(node) ?? []
    return this.batches.get(part)?.find(({ ahead }) => planned.some((each) => hasFollowed(ahead.fill, each, record)))?.ahead
  }

  /** Takes a record into the next batch of its part. */
  private wait(part: DeferredPart, record: LmsRecord): Batch {
    let batch = this.open.get(part)
    if (!batch) {
      batch = this.begin(part)
      this.open.set(part, batch)
      this.batches.set(part, [...(this.batches.get(part) ?? []), batch])
    }
    batch.parents.add(record)
    return batch
  }

  private begin(part: DeferredPart): Batch {
    const parents = new Set<LmsRecord>()
    const ahead: Ahead = { ...this.planned, fill: new Fetcher(this.operation, this.planned.variables) }
    const filled = this.gate.opened
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(() => {
        this.open.delete(part)
        return this.fill(part, parents, ahead.fill)
      })
    const batch: Batch = { parents, ahead, filled, done: false }
    filled.then(() => {
      batch.done = true
    })
    return batch
  }

  /** The records themselves first, as far as they lack wanted columns; then what follows from them. */
  private async fill(part: DeferredPart, parents: ReadonlySet<LmsRecord>, fill: Fetcher): Promise<void> {
    if (parents.has(ROOT)) return fill.run([...part.selections.values()], [ROOT]).catch(this.onFault)
    const targets = [...parents].map((record) => this.operation.targetOf(entityOf(record.__typename as string) as Entity, record))
    await fill.run([{ columns: NO_COLUMNS, edges: [toThemselves(targets, part)] }], [ROOT]).catch(this.onFault)
    // What broke above is read late, as without a plan.
    await Promise.all(targets.map((target) => this.settle(target, part)))
  }

  private async settle(target: Target, { selections }: DeferredPart): Promise<void> {
    const columns = selections.get(target.entity.name)?.columns ?? NO_COLUMNS
    if (!this.operation.entry(target).settles(columns)) await this.operation.loadLate(target, columns)
  }
}

function hasFollowed(fill: Fetcher, planned: PlannedEdge, record: LmsRecord): boolean {
  const step = fill.stepOf(planned)
  if (!step) return false
  return ('group' in step ? step.group.listOf(record) : step.foundFrom(record)) !== undefined
}

/** An edge to records that are there already. */
function toThemselves(targets: readonly Target[], { selections }: DeferredPart): PlannedEdge {
  const edge: KeyEdge = {
    kind: 'key',
    id: 'themselves',
    needs: [],
    prepare: () => null,
    entities: () => [...new Set(targets.map(({ entity }) => entity))],
    targets: () => targets,
    many: true,
    oneScope: false,
    perCaller: true,
  }
  const nowhere = { node: { kind: 'Field', name: { kind: 'Name', value: edge.id } } as FieldNode, field: { args: [] as const } as unknown }
  return {
    edge,
    origin: undefined,
    isFixed: false,
    fixed: undefined,
    sizeNames: undefined,
    ...(nowhere as { node: FieldNode; field: GraphQLField<unknown, unknown> }),
    children: selections,
    side: null,
    rows: true,
    total: false,
    next: false,
  }
}
