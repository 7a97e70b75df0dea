import { batchByIds } from '../../load/by-key.js'
import { idOf } from '../../upstream/routes.js'
import { termKey, termList, termParams } from './routes.js'

/** The terms of each taxonomy are one call. */
export const terms = batchByIds(termList, {
  params: termParams,
  final: true,
  scoped: true,
  scope: (key) => ({ taxonomy: termParams(key).taxonomy }),
  id: (key) => Number(termParams(key).id),
  keyOf: (row, { taxonomy }) => {
    const id = idOf(row)
    return id === null ? null : termKey(taxonomy, id)
  },
})
