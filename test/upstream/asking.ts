import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import type { LmsError } from '../../src/upstream/errors.js'
import { ANONYMOUS, Credentials, type Session } from '../../src/upstream/session.js'
import { Deadline } from '../../src/upstream/transport/deadline.js'
import { PROTECTION, type ProtectionOptions } from '../../src/upstream/transport/protection.js'
import { type Call, Transport, type TransportOptions } from '../../src/upstream/transport/transport.js'
import { FakeSite } from '../support/site.js'

/** A transport to a site of a test's own, protected as by default where nothing is said. */
export class Guarded {
  readonly calls: Call[] = []
  private readonly transport: Transport

  private constructor(
    readonly site: FakeSite,
    options: Partial<TransportOptions>,
    protection: ProtectionOptions,
  ) {
    this.transport = new Transport({
      origin: site.url,
      maxInFlight: 4,
      timeout: 5_000,
      connectTimeout: 1_000,
      maxBytes: 10_000,
      share: true,
      protection: { ...PROTECTION, ...protection },
      onCall: (call) => this.calls.push(call),
      ...options,
    })
  }

  static async to(protection: ProtectionOptions = {}, options: Partial<TransportOptions> = {}): Promise<Guarded> {
    return new Guarded(await FakeSite.start(), options, protection)
  }

  get(path = '/x', more: Partial<Session> = {}) {
    return this.transport.get('v1/list', path, sessionOf(more))
  }

  post(path = '/x', more: Partial<Session> = {}) {
    return this.transport.write('POST', 'v1/list', path, '{"a":1}', sessionOf(more))
  }

  /** What the site says: its body, or the code of why there is none. */
  async outcome(asked: Promise<{ body: unknown }> = this.get()): Promise<unknown> {
    return asked.then(
      ({ body }) => body,
      (error: LmsError) => error.code,
    )
  }

  /** The site answers so from now on. */
  answers(send: (response: ServerResponse, count: number) => void): void {
    this.site.handler = (_, response) => send(response, this.site.requests.length)
  }

  async close(): Promise<void> {
    await this.site.close()
    await this.transport.close()
  }
}

const sessionOf = (more: Partial<Session>): Session => ({ credentials: ANONYMOUS, caller: '', operation: {}, ...more })

/** Somebody who shows the site something. */
export const as = (authorization: string): Partial<Session> => ({
  credentials: new Credentials({ authorization }),
  caller: authorization,
})

/** An operation of a client that can go away, or whose time may be up. */
export const within = (timeout?: number, signal?: AbortSignal): Partial<Session> => ({ deadline: new Deadline(timeout, signal) })

export const failure = (asked: Promise<unknown>): Promise<LmsError & { readonly retryAfter?: number }> =>
  asked.then(
    () => expect.fail('It was answered.'),
    (error) => error,
  )

export const until = (what: () => boolean): Promise<void> => expect.poll(what, { interval: 2, timeout: 10_000 }).toBe(true)
