import { isObject, jsonIn } from '../maps.js'
import { isDeeper } from './body.js'
import type { Instance } from './instance.js'
import { readProfile, readSwitches } from './profile/switches.js'
import type { Connection } from './routes/answer.js'

/** Path of the route that reads and sets the switches while the LMS runs. */
const SWITCHES_PATH = '/-/switches'

/** Path of the route that goes back to the data and the switches of the start. */
const RESET_PATH = '/-/reset'

export const isControlPath = (path: string): boolean => path === SWITCHES_PATH || path === RESET_PATH

const MAX_DEPTH = 16
const LOOPBACK = /^(::ffff:)?127\.|^::1$/
const LOCAL_NAME = /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })

const refused = (status: number, complaints: readonly string[], headers?: Record<string, string>): Response =>
  json(status, { complaints }, headers)

/** Whether a request comes from this machine and names it as `Host`. The second check stops pages of other sites (DNS rebinding). */
function isLocal(request: Request, incoming: Connection): boolean {
  return LOOPBACK.test(incoming.socket.remoteAddress ?? '') && LOCAL_NAME.test(request.headers.get('host') ?? '')
}

const stateOf = ({ setup, switches }: Instance): Response => json(200, { profile: setup.profile, switches })

/** Applies `{ profile, switches }`. With `replace`, everything that is not named gets its default. */
function change(instance: Instance, body: unknown, replace: boolean): Response {
  if (!isObject(body)) return refused(400, ['The body must be an object with `profile` and `switches`, both optional.'])
  const { profile: name, switches: given = {}, ...rest } = body
  const profile = name === undefined ? { value: replace ? ('lms' as const) : instance.setup.profile, complaints: [] } : readProfile(name)
  const overrides = isObject(given) ? readSwitches(given) : { value: {}, complaints: ['`switches` must be an object.'] }
  const unknown = Object.keys(rest).map((each) => `Unknown member \`${each}\`. The members are \`profile\` and \`switches\`.`)
  const complaints = [...unknown, ...profile.complaints, ...overrides.complaints]
  if (complaints.length) return refused(400, complaints)
  const kept = replace ? {} : instance.setup.overrides
  instance.setup = { profile: profile.value, overrides: { ...kept, ...overrides.value } }
  return stateOf(instance)
}

/** Resets the LMS. The header is required because pages of other sites can send it only after a preflight, which the LMS refuses. */
function reset(instance: Instance, request: Request): Response {
  if (request.method !== 'POST') return refused(405, ['The method must be POST.'], { allow: 'POST' })
  if (!isJson(request)) return refused(415, ['The header `Content-Type` must be application/json. A body is not needed.'])
  try {
    instance.reset()
    return stateOf(instance)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refused(409, [error.message])
  }
}

const isJson = (request: Request): boolean => /^application\/json\b/.test(request.headers.get('content-type') ?? '')

/** Answers the control routes. Of the switches GET returns all, PUT replaces them, and PATCH changes some. POST resets the LMS. */
export async function control(instance: Instance, request: Request, incoming: Connection): Promise<Response> {
  if (!isLocal(request, incoming)) return refused(403, ['Switches can only be set from this machine.'])
  if (new URL(request.url).pathname === RESET_PATH) return reset(instance, request)
  if (request.method === 'GET') return stateOf(instance)
  if (request.method !== 'PUT' && request.method !== 'PATCH') {
    return refused(405, ['The method must be one of GET, PUT, PATCH.'], { allow: 'GET, PUT, PATCH' })
  }
  if (!isJson(request)) return refused(415, ['The body must be JSON.'])
  const body = jsonIn(await request.text())
  if (body === undefined) return refused(400, ['The body is not valid JSON.'])
  if (isDeeper(body, MAX_DEPTH)) return refused(400, [`The body must nest at most ${MAX_DEPTH} levels.`])
  return change(instance, body, request.method === 'PUT')
}
