import type { FieldNode } from 'graphql'
import { CallBudget, CallRecorder, type Served } from '../cost/budget.js'
import type { Estimator } from '../cost/estimate.js'
import type { ObservedSizes } from '../cost/observed.js'
import { Loaders } from '../load/loaders.js'
import { isTold, KnownViewer, PENDING_VIEWER, viewerRouteOn } from '../load/viewer.js'
import type { ArgumentContext, Edge, Limits } from '../model/edge.js'
import type { Entities, Entity } from '../model/entity.js'
import type { ReadContext } from '../model/reads.js'
import { Records } from '../model/records.js'
import { Arguments } from '../plan/arguments.js'
import type { Plan } from '../plan/plan.js'
import type { CallScope } from '../upstream/call-scope.js'
import type { Client, Sent, Written } from '../upstream/client.js'
import type { Projections } from '../upstream/codec/records.js'
import { LmsError } from '../upstream/errors.js'
import { type Role, ruleOf } from '../upstream/roles.js'
import type { Params, Route } from '../upstream/routes.js'
import { CAPABILITIES, type CapabilityCache } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'
import type { ViewerCache } from '../upstream/site/viewers.js'
import type { Span } from '../upstream/spans.js'

/** What the operations of a gateway share. */
export interface Upstream {
  readonly client: Client
  readonly projections: Projections
  readonly capabilities: CapabilityCache
  readonly viewers: ViewerCache
  readonly limits: Limits
  readonly entities: Entities
  readonly estimator: Estimator
  /** REST calls an operation may make. */
  readonly maxCalls: number
}

const NO_FIELDS: readonly FieldNode[] = []

/** One GraphQL operation: its caller, its records, its viewer, and its budget of calls. It is never copied: calls differ by their `ReadContext`. */
export class Operation implements ArgumentContext {
  readonly site: Site
  readonly capabilities: CapabilityCache
  readonly limits: Limits
  readonly entities: Entities
  readonly estimator: Estimator
  readonly maxCalls: number
  readonly records = new Records()
  /** Records its calls, when they are to be explained. */
  recorder: CallRecorder | undefined
  /** Where the sizes it meets are observed, if they are. */
  sizes: ObservedSizes | undefined
  /** What reads need that are made for no field in particular. */
  private reads: ReadContext
  private readonly budget: CallBudget
  private readonly known: KnownViewer
  private arguments: Arguments | undefined
  private resolverLoaders: Loaders | undefined

  constructor(upstream: Upstream, call: CallScope) {
    const { client, projections, capabilities, limits, viewers, entities } = upstream
    this.estimator = upstream.estimator
    this.maxCalls = upstream.maxCalls
    this.budget = new CallBudget(upstream.maxCalls)
    this.known = new KnownViewer(viewers)
    this.site = client.site
    this.capabilities = capabilities
    this.limits = limits
    this.entities = entities
    const { site, records, budget: calls } = this
    const { caller, trace, freshness } = call
    const { operation, memory, deadline } = call.budget
    // Every property is listed: spreading objects costs many times as much.
    const counted = { caller, trace, freshness, budget: { operation, memory, deadline, calls } }
    this.reads = { site, client, capabilities, projections, limits, entities, records, call: counted }
    this.records.isNoting = this.isRestricted
    if (this.ownSizes.isDue()) this.observe()
  }

  get call(): CallScope {
    return this.reads.call
  }

  /**
   * The caller's user id in the LMS; `null` when it is not known, `PENDING_VIEWER` when it is to be learned. Throws the `LmsError` that kept the
   * gateway from learning it.
   */
  get viewer(): number | null {
    const learned = this.known.in(this.reads)
    if (learned instanceof LmsError) throw learned
    return learned === undefined && isTold(this.site) ? PENDING_VIEWER : (learned?.id ?? null)
  }

  /** Whether the caller sent no credentials, and the gateway has none of its own. */
  get isAnonymous(): boolean {
    const { viewer, credentials } = this.call.caller
    return viewer == null && credentials.anonymous
  }

  /** Whether the caller can write nothing: without credentials, or because the gateway refuses it. */
  get isReader(): boolean {
    const { caller } = this.call
    return ruleOf(caller).writes === 'none' || caller.credentials.anonymous
  }

  /** Whether the site last let the caller read what only editors of records of a type may read; null when it has not been asked. */
  mayEdit(entity: Entity): boolean | null {
    const { credentials } = this.call.caller
    const edit = CAPABILITIES.edit(entity)
    return this.capabilities.allows(credentials, edit) ? this.capabilities.grants(credentials, edit) || null : false
  }

  /** What the caller is for a gateway with a service account. */
  get role(): Role | undefined {
    return this.call.caller.role
  }

  /** Whether the caller gets the content of lessons and topics only where access allows it. */
  get isRestricted(): boolean {
    return ruleOf(this.call.caller).content !== 'all'
  }

  /** Whether the site is read with credentials of the caller, not with those of the gateway. */
  get readsAsViewer(): boolean {
    const { viewer, credentials } = this.call.caller
    return viewer === undefined && !credentials.anonymous
  }

  /** The route by which the viewer is learned. */
  get viewerRoute(): string {
    return viewerRouteOn(this.site).path
  }

  /** Whether the site has to be asked for an edge. One that does not tell the viewer can be asked whether it accepts the credentials. */
  private asksFor({ perCaller }: Edge): boolean {
    return this.known.in(this.reads) === undefined && (isTold(this.site) || perCaller === 'checked')
  }

  /** The fields of a plan for which the viewer has to be learned first. */
  fieldsForViewer({ perCaller }: Plan, given: Arguments): readonly FieldNode[] {
    if (perCaller.length === 0) return NO_FIELDS
    return perCaller.filter((planned) => this.asksFor(planned.edge) && given.of(planned)?.isPerCaller).map(({ node }) => node)
  }

  /** Learns the viewer before a plan is prefetched, if it needs the viewer. All its other calls follow in later waves. */
  learnViewerFor(plan: Plan, given: Arguments): Promise<void> | undefined {
    const fields = this.fieldsForViewer(plan, given)
    if (fields.length === 0) return undefined
    if (this.recorder) this.recorder.unbatched++
    return this.readViewer(fields, this.nextWave)
  }

  /** Learns the viewer for fields that follow an edge, once. Returns nothing when there is nothing to learn. */
  learnViewer(fields: readonly FieldNode[], edge: Edge): Promise<void> | undefined {
    return this.asksFor(edge) ? this.readViewer(fields) : undefined
  }

  /** `wave` is that of a planned call. */
  private readViewer(fields: readonly FieldNode[], wave?: number): Promise<void> {
    return this.known.learn(this.readsFor({ fields, wave })).then(() => {
      // They hold `PENDING_VIEWER`.
      this.arguments = undefined
    })
  }

  /** Observes the sizes it meets. */
  observe(): void {
    this.sizes = this.ownSizes
  }

  private get ownSizes(): ObservedSizes {
    return this.estimator.sizesOf(this.call.caller.credentials.id)
  }

  /** The arguments of its fields. `variables` are the same throughout the operation. */
  argumentsUnder(variables: Readonly<Record<string, unknown>>): Arguments {
    this.arguments ??= new Arguments(variables, this)
    return this.arguments
  }

  /** The wave after all waves in which calls were made; undefined unless its calls are recorded. */
  get nextWave(): number | undefined {
    return this.recorder && this.recorder.lastWave + 1
  }

  /** Starts to record its calls, for the fields of a plan. */
  record(plan: Plan | undefined): void {
    this.recorder = new CallRecorder()
    if (plan) this.recorder.follow(plan)
    this.reads = this.readsFor({ fields: NO_FIELDS })
  }

  /** What reads need that are made for some fields, and traced below a span. */
  readsFor(served: Served, span: Span | undefined = this.call.trace.span): ReadContext {
    const { reads, recorder, budget } = this
    if (!recorder && span === reads.call.trace.span) return reads
    const calls = recorder ? budget.recording(recorder, served) : budget
    const { call } = reads
    return { ...reads, call: { ...call, trace: { ...call.trace, span }, budget: { ...call.budget, calls } } }
  }

  /** The DataLoaders of its resolvers. */
  get loaders(): Loaders {
    this.resolverLoaders ??= new Loaders(this.reads)
    return this.resolverLoaders
  }

  /** What a mutation writes with, for the fields that ask for it. A write drops all records read so far: they may have changed. */
  writing(fields: readonly FieldNode[]): Writing {
    const { site, projections, records, client, call } = this.readsFor({ fields, wave: this.nextWave })
    const write: Writing['write'] = async (method, route, params, sent) => {
      try {
        return await client.write(method, route, params, sent, call)
      } finally {
        records.clear()
      }
    }
    return { site, projections, records, write }
  }
}

/** What a mutation writes with. `write` rejects with an `LmsError`. */
export interface Writing extends Pick<ReadContext, 'site' | 'projections' | 'records'> {
  write(method: 'POST' | 'DELETE', route: Route, params: Params, sent: Sent): Promise<Written>
}
