import SchemaBuilder from '@pothos/core'
import DataloaderPlugin from '@pothos/plugin-dataloader'
import ErrorsPlugin from '@pothos/plugin-errors'
import RelayPlugin from '@pothos/plugin-relay'
import type { GraphContext } from '../engine/context.js'
import LmsPlugin from './plugin.js'

export interface Text {
  Input: string
  Output: string
}

/** Collects the graph: `graph` adds what is shared, each resource its own types; `schema.ts` builds it. */
export const builder = new SchemaBuilder<{
  Context: GraphContext
  Scalars: {
    DateTime: Text
    LocalDateTime: Text
    LocalDate: Text
    HTML: Text
    URL: Text
    JSONObject: { Input: Readonly<Record<string, unknown>>; Output: Readonly<Record<string, unknown>> }
    ID: { Input: string; Output: string | number }
  }
}>({
  // The first plugin wraps resolvers last: ours leaves plain properties without a resolver.
  plugins: [LmsPlugin, RelayPlugin, DataloaderPlugin, ErrorsPlugin],
  relay: {
    // `node` and `nodes` are edges of our own, planned like all others.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    idFieldOptions: { description: 'Global id: opaque, unique among all types, and good for `node`.' },
    nodeTypeOptions: { description: 'A record with a global id, by which `node` finds it again.' },
    pageInfoTypeOptions: { description: 'Where a window lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this window.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list begins before this window.' },
    startCursorFieldOptions: { description: 'Cursor of the first row of the window. Null when it is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last row of the window. Null when it is empty.' },
  },
})

builder.queryType({ description: 'Everything that can be read. Each field says what it costs in REST calls.' })

builder.mutationType({
  description: 'Everything that can be changed. Several mutations of one request run in order, and each sees what those before it wrote.',
})
