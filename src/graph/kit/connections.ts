import type { ObjectRef } from '@pothos/core'
import type { LmsRecord } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR } from '../../model/marks.js'
import type { Shape } from '../../upstream/codec/records.js'
import { exposeColumns, leaves } from './expose.js'
import { type Builder, madeOnce } from './made-once.js'
import type { LmsNodeRef, LmsRowRef } from './refs.js'

/** Returns the connection type for lists of `node`. With `row` or `columns`, its edges have further fields, and it needs its own name. */
export function connectionType(
  builder: Builder,
  name: string,
  node: LmsNodeRef<any, any, any>,
  row?: { readonly ref: LmsRowRef<any, any>; readonly description: string },
  shape?: Shape,
): ObjectRef<any, any, any> {
  return madeOnce(builder, `${name}Connection`, () => {
    const record = `The ${node.entity.name}. Null when it can't be shown: an error says why.`
    const nodes = "The records of the window, without cursors. Null for one that can't be shown: an error says why."
    const edge = builder.objectRef<LmsRecord>(`${name}Edge`).implement({
      description: 'A row of a list: the record and its cursor.',
      extensions: { lms: { role: 'edge', ...(shape && { shape }) } },
      fields: (t) => ({
        ...leaves({
          cursor: ['String', false, 'Position of the row, for `after` and `before`.'],
          node: [node, true, record, NULL_ONLY_ON_ERROR],
          ...(row && { [row.ref.rowData.field]: [row.ref, true, row.description, NULL_ONLY_ON_ERROR] }),
        })(t),
        ...(shape && exposeColumns(t, shape.columns)),
      }),
    })
    return builder.objectRef<LmsRecord>(`${name}Connection`).implement({
      description: 'One window of a list.',
      extensions: { lms: { role: 'connection' } },
      fields: leaves({
        nodes: [[node], { list: false, items: true }, nodes, [1]],
        edges: [[edge], false, 'The rows of the window.'],
        pageInfo: [builder.pageInfoRef(), false, 'Position of the window in the list.'],
        totalCount: ['Int', true, 'Number of rows of the whole list. Null when the site does not send it.'],
      }),
    })
  })
}
