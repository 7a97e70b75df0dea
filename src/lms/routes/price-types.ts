import type { Hono } from 'hono'
import { checkContext } from '../auth.js'
import { RestError } from '../errors.js'
import { listOf, listParameters } from '../params.js'
import { recordWriter } from '../record-writer.js'
import type { Row } from '../store.js'
import { type Call, jsonArray, type Lms, send, type Variables } from './answer.js'

/** Renames `name` to `label`, as some sites do for one price type. */
function withLabel(text: string): string {
  const { name, ...others } = JSON.parse(text)
  return JSON.stringify(name === undefined ? others : { label: name, ...others })
}

/** Routes that read all price types, and one by its slug. */
export function addPriceTypeRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { resources, store, switches } = lms
  const { priceType } = resources
  const read = listParameters(priceType)

  function prepare(call: Call) {
    const query = call.get('query')
    const { context } = read(query)
    checkContext(call.get('viewer'), context)
    const writer = recordWriter(priceType, context, query)
    // The slug is the last column, whichever fields are requested.
    const columns = [...writer.columns, 't.slug']
    const write = (row: Row): string => {
      const text = writer.write(row, { site: lms.site, unlocked: false })
      return switches.closedLabel && row.at(-1) === 'closed' ? withLabel(text) : text
    }
    return { write, select: `SELECT ${columns.join(', ')} FROM price_types t` }
  }

  app.get(priceType.route, (call) => {
    const { write, select } = prepare(call)
    const rows = store.rows(`${select} ORDER BY position`)
    if (!switches.priceTypesBySlug) return send(call, jsonArray(rows.map(write)))
    if (listOf(call.get('query')._fields).length) return send(call, '[]')
    return send(call, `{${rows.map((row) => `${JSON.stringify(row.at(-1))}:${write(row)}`).join()}}`)
  })
  app.get(`${priceType.route}/:slug`, (call) => {
    const { write, select } = prepare(call)
    const row = store.row(`${select} WHERE slug = ?`, call.req.param('slug')!)
    if (!row) throw new RestError(404, 'rest_price_type_invalid', 'Invalid price type.')
    return send(call, write(row))
  })
}
