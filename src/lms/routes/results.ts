import { changesOf } from '../changes.js'
import { missingParams, RestError } from '../errors.js'
import type { Resource } from '../spec/index.js'
import type { Call, Lms } from './answer.js'
import { changeRecord } from './writes.js'

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
export function sendResults(call: Call, lms: Lms, { of, listed, check, apply }: Change): Promise<Response> {
  const { store, switches } = lms
  const field = listed.bodyIds!
  const { name, column } = field
  return changeRecord(call, lms, of, 'rest_cannot_edit', (id, body) => {
    if ((body[name] ?? null) === null) throw missingParams(name)
    const ids: number[] = JSON.parse(String(changesOf(store, [field], body, id)[column]))
    if (ids.length === 0) throw new RestError(404, 'rest_post_invalid_id', `Missing ${listed.label} IDs.`)
    check?.(id)
    const results = ids.map((item) => {
      const { status, code, message } = apply(id, item)
      return { [name.slice(0, -1)]: item, status, code: code.replace('lms_', `${switches.codePrefix}_`), message }
    })
    return JSON.stringify(results)
  })
}
