import { hash, randomBytes } from 'node:crypto'
import type { Deadline } from './transport/deadline.js'
import type { RequestMemory } from './transport/memory.js'
import type { QueueKey } from './transport/queue-nodes.js'
import type { StaleNotes } from './transport/stale.js'

/** The `Authorization` header of HTTP Basic. */
export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

const PROCESS_SECRET = randomBytes(32).toString('base64')

/** Stands for a text that must not be kept: equal for equal texts within one process, and of no use outside of it. */
export const fingerprint = (text: string): string => hash('sha256', PROCESS_SECRET + text, 'base64url')

/** What a caller shows the site: the headers that go there with each call. Never printed. */
export class Credentials {
  /** Fingerprint of the headers; empty for anonymous callers. Keys of caches are made of it, never of the headers. */
  readonly id: string

  constructor(readonly headers: Readonly<Record<string, string>>) {
    const names = Object.keys(headers).sort()
    this.id = names.length === 0 ? '' : fingerprint(JSON.stringify(names.map((name) => [name, headers[name]])))
  }

  get anonymous(): boolean {
    return this.id === ''
  }

  toJSON(): string {
    return this.anonymous ? '[anonymous]' : '[credentials]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toJSON()
  }
}

export const ANONYMOUS = new Credentials({})

/** A call as it went over the wire. */
export interface WireCall {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly bytes: number
  /** Milliseconds since the process started, and how long the call took. */
  readonly startedAt: number
  readonly duration: number
}

/** Told how a call went that an operation asked for. */
export interface CallWatcher {
  /** The call was on its way already, for somebody else. */
  joined(): void
  ended(call: WireCall): void
}

/** Counts the calls of an operation. */
export interface CallCount {
  /** Before each call; answers who is to be told of it, if anybody. Throws an `LmsError` when the operation may make no more. */
  take(
    method: string,
    route: string,
    params: Readonly<Record<string, string | number>>,
    query: Readonly<Record<string, unknown>>,
  ): CallWatcher | undefined
}

/** Counts the REST calls that are sent for an operation, and those that are refused before they are. */
export interface Tally {
  calls: number
  refusals?: number
}

/** Who calls, for which operation, until when, and what the gateway itself allows them. */
export interface Session extends QueueKey {
  readonly credentials: Credentials
  /** The id of the request, under which the site is called too. */
  readonly requestId?: string | undefined
  readonly tally?: Tally | undefined
  /** Accounts for what the answers of the site hold until the request ends. */
  readonly memory?: RequestMemory | undefined
  /** Until when it waits; without one until the site has answered. */
  readonly deadline?: Deadline | undefined
  /** Takes old answers where the site gives none, and notes them here. */
  readonly stale?: StaleNotes | undefined
  /** Id in the LMS of the user who calls, where the gateway knows it. */
  readonly viewer?: number | null | undefined
  /** Whether the gateway itself refuses what belongs to other users than the viewer. */
  readonly ownOnly?: boolean | undefined
  readonly calls?: CallCount | undefined
  /** Whether the gateway itself refuses writes. */
  readonly readOnly?: boolean | undefined
}
