import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect } from 'vitest'
import { Credentials } from '../../../src/upstream/credentials.js'
import type { LmsError } from '../../../src/upstream/errors.js'
import { Deadline } from '../../../src/upstream/transport/deadline.js'
import { PROTECTION, type Protection } from '../../../src/upstream/transport/protection.js'
import { type Call, Transport, type TransportEvents, type TransportOptions } from '../../../src/upstream/transport/transport.js'
import { type CallOptions, callScope } from '../../support/call-scope.js'
import { FakeSite, json } from '../../support/site.js'

const OPTIONS = { maxInFlight: 4, timeout: 5_000, connectTimeout: 1_000, maxBytes: 10_000, share: true }

/** A transport with the default protection, to a site of the test's own. */
export class ProtectedSetup {
  readonly calls: Call[] = []
  readonly events = new EventEmitter<TransportEvents>().on('call', (call) => this.calls.push(call))
  readonly transport: Transport

  private constructor(
    readonly site: FakeSite,
    options: Partial<TransportOptions>,
    protection: Partial<Protection>,
  ) {
    this.transport = new Transport({
      origin: site.url,
      ...OPTIONS,
      protection: { ...PROTECTION, ...protection },
      events: this.events,
      ...options,
    })
  }

  static async start(protection: Partial<Protection> = {}, options: Partial<TransportOptions> = {}): Promise<ProtectedSetup> {
    return new ProtectedSetup(await FakeSite.start(), options, protection)
  }

  get(path = '/x', more: CallOptions = {}) {
    return this.transport.get('v1/list', path, callScope({ since: 0, ...more }))
  }

  post(path = '/x', more: CallOptions = {}) {
    return this.transport.write('POST', 'v1/list', path, '{"a":1}', callScope(more))
  }

  /** The body of the response, or the code of the error. */
  async outcome(asked: Promise<{ body: unknown }> = this.get()): Promise<unknown> {
    return asked.then(
      ({ body }) => body,
      (error: LmsError) => error.code,
    )
  }

  /** Makes the site answer with `send` from now on. */
  answers(send: (response: ServerResponse, count: number) => void): void {
    this.site.handler = (_, response) => send(response, this.site.requests.length)
  }

  async close(): Promise<void> {
    await this.site.close()
    await this.transport.close()
  }
}

/** A caller with credentials. */
export const as = (authorization: string): CallOptions => ({
  credentials: new Credentials({ authorization }),
  id: authorization,
})

/** An operation of a client that may disconnect, or whose deadline may pass. */
export const within = (timeout?: number, signal?: AbortSignal): CallOptions => ({ deadline: new Deadline(timeout, signal) })

export const failure = (asked: Promise<unknown>): Promise<LmsError & { readonly retryAfter?: number }> =>
  asked.then(
    () => expect.fail('It was answered.'),
    (error) => error,
  )

export const until = (what: () => boolean): Promise<void> => expect.poll(what, { interval: 2, timeout: 10_000 }).toBe(true)

/** A site for each test of a file, and transports to it, which are closed after the test. */
export class TransportSetup {
  site!: FakeSite
  readonly calls: Call[] = []
  readonly events = new EventEmitter<TransportEvents>().on('call', (call) => this.calls.push(call))
  readonly transports: Transport[] = []

  readonly transportTo = (options: Partial<TransportOptions> = {}): Transport => {
    const transport = new Transport({
      origin: this.site.url,
      ...OPTIONS,
      events: this.events,
      ...options,
    })
    this.transports.push(transport)
    return transport
  }

  readonly get = (transport = this.transportTo(), path = '/list?a=1', more: CallOptions = {}) =>
    transport.get('v1/list', path, callScope({ since: 0, ...more }))

  readonly answerWith = (send: (response: ServerResponse) => void): void => {
    this.site.handler = (_, response) => send(response)
  }

  readonly raw = (body: string | Buffer, type = 'application/json', status = 200): void =>
    this.answerWith((response) => response.writeHead(status, { 'content-type': type }).end(body))

  /** Holds every request until `answer` is called. */
  readonly hold = (body: unknown = ['held']): { answer: () => void } => {
    const held: ServerResponse[] = []
    this.answerWith((response) => held.push(response))
    return { answer: () => held.splice(0).map((response) => json(response, body)) }
  }
}

/** Registers the hooks of a `TransportSetup` for the file that calls it. */
export function transportSetup(): TransportSetup {
  const setup = new TransportSetup()
  beforeEach(async () => {
    setup.site = await FakeSite.start()
    setup.calls.length = 0
  })
  afterEach(async () => {
    await setup.site.close()
    await Promise.all(setup.transports.splice(0).map((transport) => transport.close()))
  })
  return setup
}
