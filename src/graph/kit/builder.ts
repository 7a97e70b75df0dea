import SchemaBuilder from '@pothos/core'
import DataloaderPlugin from '@pothos/plugin-dataloader'
import ErrorsPlugin from '@pothos/plugin-errors'
import RelayPlugin from '@pothos/plugin-relay'
import type { GraphContext } from '../../execute/context.js'
import LmsPlugin from './plugin.js'

export interface Text {
  Input: string
  Output: string
}

/** The Pothos builder. `schema/` adds shared types, each resource adds its own, and `graph.ts` builds the schema. */
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
  // The first plugin wraps resolvers last: ours removes the resolvers of plain properties.
  plugins: [LmsPlugin, RelayPlugin, DataloaderPlugin, ErrorsPlugin],
  relay: {
    // `nodes.ts` declares `node` and `nodes` as edges, so that they are planned like all others.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    idFieldOptions: { description: 'Global id: opaque, unique among all types, accepted by `node`.' },
    nodeTypeOptions: { description: 'A record with a global id, by which `node` reads it.' },
    pageInfoTypeOptions: { description: 'Position of a window in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list has rows after this window.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has rows before this window.' },
    startCursorFieldOptions: { description: 'Cursor of the first row of the window. Null when the window is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last row of the window. Null when the window is empty.' },
  },
})

builder.queryType({ description: 'The fields that read. Each description states the number of REST calls.' })

builder.mutationType({
  description: 'The fields that write. Several mutations of one request run in order, and each sees the changes of those before it.',
})
