import type { ListRoute } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Entity, Target } from '../edges.js'
import { lookupName } from '../fetch/lookups.js'
import type { PlannedEdge } from '../prepare/selections.js'
import type { EstimateContext, Row } from './row.js'

/** Records of one entity that are looked up by their slugs under one query. */
export class LookupRow implements Row {
  readonly wave = 1
  readonly method = 'GET'
  readonly planned: PlannedEdge[] = []
  private readonly names = new Set<string>()
  private readonly list: ListRoute

  constructor(
    entity: Entity,
    private readonly context: EstimateContext,
  ) {
    this.list = entity.byKey?.many?.route as ListRoute
  }

  add(target: Target, planned: readonly PlannedEdge[]): void {
    this.names.add(lookupName(target))
    this.planned.push(...planned)
  }

  get route(): string {
    return this.list.path
  }

  get batch(): number {
    return Math.min(this.names.size, this.context.site.pageCap)
  }

  get min(): number {
    return this.permitted
  }

  get permitted(): number {
    return Math.ceil(this.names.size / this.context.site.pageCap)
  }

  get likely(): number {
    return this.permitted
  }

  /** A caller who may not list what is not published is refused once, and the list is read again without it. */
  get max(): number {
    const { capabilities, session } = this.context
    const liberty = CAPABILITIES.anyStatus(this.list)
    const tries = this.list.anyStatus && !session.credentials.anonymous && capabilities.allows(session.credentials, liberty)
    return tries && !capabilities.grants(session.credentials, liberty) ? 2 * this.permitted : this.permitted
  }
}
