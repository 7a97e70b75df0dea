import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LmsCall, type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'
import { credentials, type Json, type Login, SITE } from './world.js'

/** What a site answered, before anything is read into it. */
export interface Raw {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; an error when it is none. */
  readonly body: any
}

/** Asks a site for paths below its namespace, such as `v1/groups`; those with a slash before them are taken as they are. */
export interface Ask {
  (path: string, login?: Login, init?: RequestInit): Promise<Raw>
  write(method: string, path: string, body: Json): Promise<Raw>
  ids(path: string, login?: Login): Promise<number[]>
}

type Setup = Pick<LmsOptions, 'profile' | 'switches'>

const PROFILES = ['learndash', 'learndash-5'] as const

/** One LMS whose switches a test file sets as it goes. */
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

  /** Sets profile and switches; whatever is wrong with them is an error. */
  async set({ profile = 'lms', switches = {} }: Setup = {}): Promise<Ask> {
    const body = JSON.stringify({ profile, switches })
    const response = await fetch(`${this.url}/-/switches`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } })
    const state = (await response.json()) as { complaints?: string[]; switches: { namespace: string } }
    if (state.complaints) throw new Error(state.complaints.join(' '))
    return this.#ask(state.switches.namespace)
  }

  /** A quirk: its switch alone shows it, the profiles that have it show it, and the specification does not. */
  quirk(
    title: string,
    switches: Setup['switches'],
    shows: (ask: Ask) => Promise<void>,
    profiles: readonly Setup['profile'][] = PROFILES,
  ): void {
    describe(title, () => {
      it('by its switch', async () => shows(await this.set({ switches })))
      for (const profile of profiles) it(`in ${profile}`, async () => shows(await this.set({ profile })))
      it('not by the specification', async () => {
        await expect(shows(await this.set())).rejects.toThrow()
      })
    })
  }

  #ask(namespace: string): Ask {
    const ask = async (path: string, login: Login = 'admin', init: RequestInit = {}): Promise<Raw> => {
      const url = path.startsWith('/') ? path : `/${namespace}/${path}`
      const response = await fetch(this.url + url, { redirect: 'manual', ...init, headers: { ...credentials(login), ...init.headers } })
      // Decoding would take a byte order mark away.
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

/** Status and code of an answer. */
export const told = ({ status, text }: Raw): string => {
  const code = status === 200 ? undefined : JSON.parse(text).code
  return code === undefined ? String(status) : `${status} ${code}`
}

export const totals = ({ headers }: Raw): (string | null)[] => ['x-wp-total', 'x-wp-totalpages'].map((name) => headers.get(name))
