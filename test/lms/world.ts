import { readFileSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { DEMO_USERS, type LmsCall, type RunningLms, startLms } from '../../src/lms/index.js'

/** The fields and list parameters of the specification. */
export interface Contract {
  readonly fields: Readonly<Record<string, readonly { readonly name: string; readonly context?: readonly string[] }[]>>
  readonly listParameters: Readonly<Record<string, readonly string[]>>
  readonly bodyFields: Readonly<Record<string, readonly string[]>>
}

export const contract = JSON.parse(readFileSync(new URL('../contract/interface.json', import.meta.url), 'utf8')) as Contract

export type Login = 'admin' | 'leader' | 'learner' | 'newcomer' | 'anonymous'

/** A record of a response. */
export type Json = Record<string, any>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: any
}

export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

/** Headers of a demo user. */
export function credentials(login: Login): Record<string, string> {
  const user = DEMO_USERS.find((known) => known.login === login)
  return user ? { authorization: basic(user.login, user.password) } : {}
}

export const SITE = 'https://school.example'

/** Starts one LMS for a test file. */
export function useLms() {
  let lms: RunningLms
  const calls: LmsCall[] = []
  beforeAll(async () => {
    lms = await startLms({ site: SITE, onCall: (call) => calls.push(call) })
  })
  afterAll(() => lms.close())

  async function get(path: string, login: Login = 'admin', init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(lms.url + path, { ...init, headers: { ...credentials(login), ...init.headers } })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** The records of a list. Throws unless the status is 200. */
  async function list(path: string, login: Login = 'admin'): Promise<Json[]> {
    const answer = await get(path, login)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** Sends a body as JSON. */
  const write = (method: string, path: string, body?: unknown, login: Login = 'admin'): Promise<Answer> =>
    get(
      path,
      login,
      body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    )

  /** Creates a record. Throws unless the status is 201. */
  async function create(path: string, body: Json = {}): Promise<Json> {
    const answer = await write('POST', path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  const ids = async (path: string, login: Login = 'admin'): Promise<number[]> => (await list(path, login)).map(({ id }) => id)
  const url = () => lms.url
  return { get, list, ids, write, create, url, calls }
}

/** Routes of writable records, by type in the contract. */
export const ROUTES = {
  Group: '/lms/v1/groups',
  Course: '/lms/v1/sfwd-courses',
  Quiz: '/lms/v1/sfwd-quiz',
  Lesson: '/lms/v2/sfwd-lessons',
} as const

/** Status and code of a response. */
export const outcome = ({ status, body }: Answer): string => (body?.code ? `${status} ${body.code}` : String(status))

/** The error code of each parameter. */
export const complaints = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(Object.entries((body.data.details ?? {}) as Json).map(([name, { code }]) => [name, code]))

export const total = (answer: Answer): number => Number(answer.headers.get('x-wp-total'))
