import type { Operation } from '../engine/fetch/operation.js'
import type { Sent, Written } from '../upstream/client.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import { inWordsOfGraph } from '../upstream/codec/writing.js'
import { InvalidResponseError, isObject } from '../upstream/errors.js'
import type { Key, Params, Route } from '../upstream/routes.js'
import { readDatabaseId } from './ids.js'
import type { LmsNodeRef } from './refs.js'

type NodeRef = Pick<LmsNodeRef<any, any, any>, 'entity'>

/** Writes to the site. Refusals that name parameters come back in the words of the graph; `others` are those that are no columns. */
export async function write(
  operation: Operation,
  { entity }: NodeRef,
  method: 'POST' | 'DELETE',
  route: Route,
  params: Params,
  sent: Sent,
  others: Readonly<Record<string, string>> = {},
): Promise<Written> {
  try {
    return await operation.write(method, route, params, sent)
  } catch (error) {
    throw inWordsOfGraph(operation.site, entity.shape.columns, others, error)
  }
}

/** Notes that a record is there, of which nothing else is known yet. */
export function confirm(operation: Operation, { entity }: NodeRef, key: Key): void {
  operation.store({ entity, key }).entry(key).fill({}, operation.projection(entity, NO_COLUMNS), NO_COLUMNS)
}

/** Notes the record an answer shows, so that it need not be read again; answers its key. */
export function learn(operation: Operation, { entity }: NodeRef, { body, location }: Written, known?: Key): Key {
  const row = isObject(body) ? body : {}
  const answered = entity.byKey?.keyOf(row, {})
  const key = known ?? answered ?? readDatabaseId(location?.match(/(?<!\d)(\d{1,10})\/?$/)?.[1] ?? '')
  if (key === undefined || key === null)
    throw new InvalidResponseError('The site did not say what it created. It is there: look for it before you try again.')
  if (answered === key) {
    const columns = entity.shape.shownBy(row, operation.site)
    operation.store({ entity, key }).entry(key).fill(row, operation.projection(entity, columns), columns)
  }
  return key
}
