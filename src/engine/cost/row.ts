import type { FieldNode } from 'graphql'
import type { Limits } from '../edges.js'
import type { ReadContext } from '../fetch/index.js'
import type { CostModel } from './model.js'
import type { Sizes, Tally } from './observed-sizes.js'

/** The caller and the site of an operation that is priced. */
export type EstimateContext = Pick<ReadContext, 'site' | 'capabilities' | 'session'> & { readonly limits: Limits }

/** What an operation is priced by. */
export interface Basis {
  readonly context: EstimateContext
  readonly model: CostModel
  readonly sizes: Sizes
  /** Records a relation without pages is taken to lead to at most. */
  readonly unpaged: number
}

/** Calls of one step of a plan: those that are made together, for all fields that share them. */
export interface Row {
  /** Counted from 1: a step waits for those of the waves before it. */
  readonly wave: number
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Template of the route that is mostly asked. */
  readonly route: string
  /** Ids in one call, or rows on one page. */
  readonly batch: number
  /** The fields it is for. */
  readonly planned: readonly { readonly node: FieldNode }[]
  /** Calls that are made whatever the site holds; most calls; most calls of a caller who may do all that is tried; and those to be expected. */
  readonly min: number
  readonly max: number
  readonly permitted: number
  readonly likely: number
}

/** Records that a relation without pages probably leads to as long as nothing was observed. */
const FAN_OUT = 2

/** What probably comes of so many, within a bound. As long as nothing is known, as many, or some for each where an edge leads to `many`. */
export function outOf(
  of: Amount,
  tally: Tally | undefined,
  many = false,
  bound = Number.POSITIVE_INFINITY,
): Pick<Amount, 'likely' | 'any'> {
  if (of.any <= 0) return of
  if (!tally) return { likely: Math.min(bound, many ? FAN_OUT * of.likely : of.likely), any: of.any }
  const parents = of.likely / of.any
  const any = Math.min(1, tally.any.at(parents) / Math.max(1, parents))
  return { likely: Math.min(bound, of.any * tally.count.at(parents)), any: of.any * any }
}

/** How many there are: for certain, at most, and probably; and how probably any. */
export interface Amount {
  /** Different ones. Nothing where there may be none. */
  readonly least?: number
  readonly most: number
  readonly likely: number
  readonly any: number
}
