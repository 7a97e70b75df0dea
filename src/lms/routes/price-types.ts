import type { Hono } from 'hono'
import { checkContext } from '../auth.js'
import { RestError } from '../errors.js'
import { check, listParameters } from '../params.js'
import { priceType } from '../spec/index.js'
import { shapeOf } from '../wire.js'
import { type Call, jsonArray, type Lms, send, type Variables } from './answer.js'

const schema = listParameters(priceType)

function prepare(call: Call) {
  const query = call.get('query')
  const { context } = check(schema, query)
  checkContext(call.get('viewer'), context)
  const shape = shapeOf(priceType, context, query)
  return { shape, select: `SELECT ${shape.columns.join(', ')} FROM price_types t` }
}

/** All price types, and one by its slug. */
export function addPriceTypeRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const envOf = () => ({ site: lms.site, unlocked: false })
  app.get(priceType.route, (call) => {
    const { shape, select } = prepare(call)
    const rows = lms.store.rows(`${select} ORDER BY position`)
    const env = envOf()
    return send(call, jsonArray(rows.map((row) => shape.write(row, env))))
  })
  app.get(`${priceType.route}/:slug`, (call) => {
    const { shape, select } = prepare(call)
    const row = lms.store.row(`${select} WHERE slug = ?`, call.req.param('slug'))
    if (!row) throw new RestError(404, 'rest_price_type_invalid', 'Invalid price type.')
    return send(call, shape.write(row, envOf()))
  })
}
