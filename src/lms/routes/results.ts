import { checkWritable } from '../auth.js'
import { readBody } from '../body.js'
import { changesOf } from '../changes.js'
import { missingParams, RestError } from '../errors.js'
import { checkExists } from '../rights.js'
import type { Resource } from '../spec/index.js'
import { type Call, type Lms, send } from './answer.js'

/** The result of a write for one id in a body. Codes that begin with `lms_` get the prefix of the site. */
export interface Result {
  readonly status: 'success' | 'failed'
  readonly code: string
  readonly message: string
}

/** A write that adds records to a record, or removes them. */
export interface Change {
  /** The resource of the record in the path. */
  readonly of: Resource
  /** The resource with the ids in the body. */
  readonly listed: Resource
  /** Throws when the record cannot be changed. */
  readonly check?: (id: number) => void
  readonly apply: (id: number, item: number) => Result
}

/** Answers a write with a result for each id in the body, in its order. */
export async function sendResults(call: Call, { store, switches }: Lms, { of, listed, check, apply }: Change): Promise<Response> {
  const body = await readBody(call)
  const id = Number(call.req.param('id'))
  const field = listed.bodyIds!
  const { name, column } = field
  const results = store.transaction(() => {
    checkExists(store, of, id)
    checkWritable(call.get('viewer'), 'rest_cannot_edit')
    if ((body[name] ?? null) === null) throw missingParams(name)
    const ids: number[] = JSON.parse(String(changesOf(store, [field], body, id)[column]))
    if (ids.length === 0) throw new RestError(404, 'rest_post_invalid_id', `Missing ${listed.label} IDs.`)
    check?.(id)
    return ids.map((item) => {
      const { status, code, message } = apply(id, item)
      return { [name.slice(0, -1)]: item, status, code: code.replace('lms_', `${switches.codePrefix}_`), message }
    })
  })
  return send(call, JSON.stringify(results))
}
