import { RestError } from './errors.js'
import { searchOf } from './params.js'
import type { Call } from './routes/answer.js'

/** What a request gives by name, decoded from JSON, a form or the query. */
export type Body = Readonly<Record<string, unknown>>

const MOST_BYTES = 8 * 1024 ** 2
/** As deep as PHP reads JSON. */
const MOST_DEPTH = 512
const JSON_TYPE = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i

type Nest = Map<string, string | Nest>

/** Lists are what has no keys but 0, 1, 2 and so on. */
function plain(nest: Nest): unknown {
  const entries = [...nest].map(([key, value]) => [key, typeof value === 'string' ? value : plain(value)] as const)
  return entries.every(([key], index) => key === String(index)) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

/** The keys in brackets from a position on, at most one more than may be: `[a][b]` has `a` and `b`. */
function keysIn(name: string, from: number): string[] {
  const keys: string[] = []
  for (let open = from; open >= 0 && keys.length <= MOST_DEPTH; ) {
    const close = name.indexOf(']', open)
    if (close < 0) break
    keys.push(name.slice(open + 1, close))
    open = name.indexOf('[', close)
  }
  return keys
}

/** Names of forms and queries as trees: `title[raw]=x`, `tags[]=1`, `tags[0]=1`; the last of the same name counts. */
function readForm(search: string): Body {
  const root: Nest = new Map()
  for (const [name, value] of new URLSearchParams(search)) {
    const bracket = name.indexOf('[', 1)
    const path = bracket < 0 ? [] : keysIn(name, bracket)
    if (path.length > MOST_DEPTH) continue
    let at = root
    let key = path.length ? name.slice(0, bracket) : name
    for (const next of path) {
      const known = at.get(key)
      const below: Nest = known instanceof Map ? known : new Map()
      at.set(key, below)
      at = below
      key = next === '' ? String(at.size) : next
    }
    at.set(key, value)
  }
  return Object.fromEntries([...root].map(([key, value]) => [key, typeof value === 'string' ? value : plain(value)]))
}

/** Whether a value of JSON nests more than so many levels. */
export const isDeeper = (value: unknown, most: number): boolean =>
  typeof value === 'object' && value !== null && (most === 0 || Object.values(value).some((below) => isDeeper(below, most - 1)))

const invalidJson = (code: number, why: string): RestError =>
  new RestError(400, 'rest_invalid_json', `Invalid JSON body passed: ${why}.`, { json_error_code: code, json_error_message: why })

function readJson(text: string): Body {
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidJson(4, 'Syntax error')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidJson(0, 'it must be an object')
  if (isDeeper(value, MOST_DEPTH)) throw invalidJson(1, 'Maximum stack depth exceeded')
  return value as Body
}

/** The text of a body. One that is too large is read to its end and forgotten: who is still sending does not hear the answer. */
async function readText(call: Call): Promise<string> {
  if (Number(call.req.header('content-length')) <= MOST_BYTES) return call.req.text()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of call.req.raw.body ?? []) {
    size += chunk.length
    if (size <= MOST_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > MOST_BYTES) throw new RestError(413, 'rest_body_too_large', `The body must be at most ${MOST_BYTES} bytes long.`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Rethrows an error of the interface; any other comes of a connection that ended in the middle. */
function brokenOff(error: unknown): never {
  if (error instanceof RestError) throw error
  throw new RestError(400, 'rest_incomplete_body', 'The body broke off before its end.')
}

/** What a request gives: its JSON or form, and below that its query. Bodies of other types are ignored, as real sites do. */
export async function readBody(call: Call): Promise<Body> {
  const type = call.req.header('content-type') ?? ''
  const query = readForm(searchOf(call.req.url))
  const text = await readText(call).catch(brokenOff)
  if (JSON_TYPE.test(type)) return { ...query, ...readJson(text) }
  if (FORM_TYPE.test(type)) return { ...query, ...readForm(text) }
  return query
}
