import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LmsCall, type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'
import { credentials, type Json, type Login, SITE } from './world.js'

/** A response with its text as sent. */
export interface Raw {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text parsed as JSON. Throws when it is not JSON. */
  readonly body: any
}

/** Requests paths below the namespace of the site, such as `v1/groups`. A path with a leading slash is absolute. */
export interface Ask {
  (path: string, login?: Login, init?: RequestInit): Promise<Raw>
  write(method: string, path: string, body: Json): Promise<Raw>
  ids(path: string, login?: Login): Promise<number[]>
}

type Setup = Pick<LmsOptions, 'profile' | 'switches'>

const PROFILES = ['learndash', 'learndash-5'] as const

/** One LMS whose switches a test file sets while it runs. */
export class Switched {
  readonly calls: LmsCall[] = []
  #lms!: RunningLms

  constructor(options: LmsOptions = {}) {
    beforeAll(async () => {
      this.#lms = await startLms({ site: SITE, control: true, onCall: (call) => this.calls.push(call), ...options })
    })
    afterAll(() => this.#lms.close())
  }

  get url(): string {
    return this.#lms.url
  }

  /** Sets profile and switches. Throws when they are invalid. */
  async set({ profile = 'lms', switches = {} }: Setup = {}): Promise<Ask> {
    const body = JSON.stringify({ profile, switches })
    const response = await fetch(`${this.url}/-/switches`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } })
    const state = (await response.json()) as { complaints?: string[]; switches: { namespace: string } }
    if (state.complaints) throw new Error(state.complaints.join(' '))
    return this.#ask(state.switches.namespace)
  }

  /** Tests a quirk: it is shown with its switch alone and by the profiles that have it, and not by the specification. */
  quirk(
    title: string,
    switches: Setup['switches'],
    shows: (ask: Ask) => Promise<void>,
    profiles: readonly Setup['profile'][] = PROFILES,
  ): void {
    describe(title, () => {
      it('is shown with its switch', async () => shows(await this.set({ switches })))
      for (const profile of profiles) it(`is shown by profile ${profile}`, async () => shows(await this.set({ profile })))
      it('is not shown by the specification', async () => {
        await expect(shows(await this.set())).rejects.toThrow()
      })
    })
  }

  /** Tests an addition to the specification: every profile has it, and its switch takes it away. */
  addition(
    title: string,
    name: 'siteRoutes' | 'progressSteps' | 'enrolments' | 'courseSteps' | 'topics' | 'questionList',
    shows: (ask: Ask) => Promise<void>,
    profiles: readonly NonNullable<Setup['profile']>[] = ['lms', ...PROFILES],
  ): void {
    describe(title, () => {
      for (const profile of profiles) it(`is shown by profile ${profile}`, async () => shows(await this.set({ profile })))
      it('is not shown without its switch', async () => {
        await expect(shows(await this.set({ switches: { [name]: false } }))).rejects.toThrow()
      })
    })
  }

  #ask(namespace: string): Ask {
    const ask = async (path: string, login: Login = 'admin', init: RequestInit = {}): Promise<Raw> => {
      const url = path.startsWith('/') ? path : `/${namespace}/${path}`
      const response = await fetch(this.url + url, { redirect: 'manual', ...init, headers: { ...credentials(login), ...init.headers } })
      // `response.text()` would remove a byte order mark.
      const text = Buffer.from(await response.arrayBuffer()).toString('utf8')
      const { status, headers } = response
      return {
        status,
        headers,
        text,
        get body() {
          return JSON.parse(text)
        },
      }
    }
    const write = (method: string, path: string, body: Json): Promise<Raw> =>
      ask(path, 'admin', { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    const ids = async (path: string, login?: Login): Promise<number[]> => (await ask(path, login)).body.map(({ id }: Json) => id)
    return Object.assign(ask, { write, ids })
  }
}

/** Status and code of a response. */
export const outcomeOf = ({ status, text }: Raw): string => {
  const code = status === 200 ? undefined : JSON.parse(text).code
  return code === undefined ? String(status) : `${status} ${code}`
}

export const totals = ({ headers }: Raw): (string | null)[] => ['x-wp-total', 'x-wp-totalpages'].map((name) => headers.get(name))
