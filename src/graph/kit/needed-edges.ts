import type { Args, ArgumentContext, Edge, KeyEdge, ListArgs, ListEdge } from '../../model/edge.js'

/** Most rows that a computed field reads of a list. */
export const MAX_ROWS = 1000

/** An edge of a computed field to records by key. */
export const keyEdge = <Prepared>(edge: Omit<KeyEdge<Prepared>, 'kind'>): Edge => ({ kind: 'key', ...edge }) as KeyEdge

/** An edge of a computed field to a whole list. `own` returns what its scope needs of the arguments. */
export const listEdge = (
  edge: Omit<ListEdge, 'kind' | 'parse' | 'shape'>,
  scopeArguments: (args: Args, caller: ArgumentContext) => NonNullable<ListArgs['scopeArguments']>,
): ListEdge => ({
  kind: 'list',
  shape: edge.entity.shape,
  ...edge,
  parse: (args, caller) => ({
    query: {},
    window: { start: 0, end: null, first: MAX_ROWS, last: null },
    isWhole: true,
    scopeArguments: scopeArguments(args, caller),
  }),
})
