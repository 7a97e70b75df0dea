import { isObject, jsonIn } from '../maps.js'
import { RestError } from './errors.js'
import { searchOf } from './params.js'
import type { Call } from './routes/answer.js'

/** The fields of a request by name, decoded from JSON, a form or the query. */
export type Body = Readonly<Record<string, unknown>>

const MAX_BYTES = 8 * 1024 ** 2
/** The depth up to which PHP reads JSON. */
const MAX_DEPTH = 512
const JSON_TYPE = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i

type FormTree = Map<string, string | FormTree>

/** The value of a tree. A tree whose keys are 0, 1, 2 and so on is an array. */
function toValue(nest: FormTree): unknown {
  const entries = [...nest].map(([key, value]) => [key, typeof value === 'string' ? value : toValue(value)] as const)
  return entries.every(([key], index) => key === String(index)) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

/** The keys in brackets after a position: `[a][b]` has `a` and `b`. Stops one above the allowed depth. */
function keysIn(name: string, from: number): string[] {
  const keys: string[] = []
  for (let open = from; open >= 0 && keys.length <= MAX_DEPTH; ) {
    const close = name.indexOf(']', open)
    if (close < 0) break
    keys.push(name.slice(open + 1, close))
    open = name.indexOf('[', close)
  }
  return keys
}

/** Reads a form or a query with names like `title[raw]`, `tags[]` and `tags[0]`. The last value of a name counts. */
function readForm(search: string): Body {
  const root: FormTree = new Map()
  for (const [name, value] of new URLSearchParams(search)) {
    const bracket = name.indexOf('[', 1)
    const path = bracket < 0 ? [] : keysIn(name, bracket)
    if (path.length > MAX_DEPTH) continue
    let at = root
    let key = path.length ? name.slice(0, bracket) : name
    for (const next of path) {
      const known = at.get(key)
      const below: FormTree = known instanceof Map ? known : new Map()
      at.set(key, below)
      at = below
      key = next === '' ? String(at.size) : next
    }
    at.set(key, value)
  }
  return Object.fromEntries([...root].map(([key, value]) => [key, typeof value === 'string' ? value : toValue(value)]))
}

/** Whether a JSON value is nested deeper than `most` levels. */
export const isDeeper = (value: unknown, most: number): boolean =>
  typeof value === 'object' && value !== null && (most === 0 || Object.values(value).some((below) => isDeeper(below, most - 1)))

const invalidJson = (code: number, why: string): RestError =>
  new RestError(400, 'rest_invalid_json', `Invalid JSON body passed: ${why}.`, { json_error_code: code, json_error_message: why })

function readJson(text: string): Body {
  if (text === '') return {}
  const value = jsonIn(text)
  if (value === undefined) throw invalidJson(4, 'Syntax error')
  if (!isObject(value)) throw invalidJson(0, 'it must be an object')
  if (isDeeper(value, MAX_DEPTH)) throw invalidJson(1, 'Maximum stack depth exceeded')
  return value
}

/** The text of a body. A body above the limit is read to its end and dropped, because clients do not read the answer while they send. */
async function readText(call: Call): Promise<string> {
  if (Number(call.req.header('content-length')) <= MAX_BYTES) return call.req.text()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of call.req.raw.body ?? []) {
    size += chunk.length
    if (size <= MAX_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > MAX_BYTES) throw new RestError(413, 'rest_body_too_large', `The body must be at most ${MAX_BYTES} bytes long.`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Rethrows a `RestError`. Any other error means that the connection ended before the body was complete. */
function throwIncomplete(error: unknown): never {
  if (error instanceof RestError) throw error
  throw new RestError(400, 'rest_incomplete_body', 'The body broke off before its end.')
}

/** The fields of a request: those of its query, overridden by those of its JSON or form. Bodies of other types are ignored, as on real sites. */
export async function readBody(call: Call): Promise<Body> {
  const type = call.req.header('content-type') ?? ''
  const query = readForm(searchOf(call.req.url))
  const text = await readText(call).catch(throwIncomplete)
  if (JSON_TYPE.test(type)) return { ...query, ...readJson(text) }
  if (FORM_TYPE.test(type)) return { ...query, ...readForm(text) }
  return query
}
