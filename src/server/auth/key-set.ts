import type { JWTVerifyGetKey } from 'jose'
import { isObject } from '../../maps.js'
import { USER_AGENT } from '../../upstream/call-scope.js'
import type { Emitter } from '../../upstream/events.js'
import { callOnce, type Network } from '../../upstream/transport/network.js'
import { Warning } from '../log/levels.js'

/** Milliseconds after the start at which the key set is loaded, if no token needs it before. */
const START = 500
/** Milliseconds after which the key set is loaded again, in the background. */
const FRESH = 600_000
/** Milliseconds for which the last key set is used while that fails. An outage may take a day, and a key that was withdrawn is accepted for so long. */
const USABLE = 86_400_000
/** Milliseconds between an attempt that failed and the next one. Each is reported. */
const PAUSE = 10_000
/** Largest key set, in bytes. */
const MOST = 1_000_000
/** Timeout of loading it, in milliseconds. */
const TIMEOUT = 5_000

/** The key set cannot be loaded. */
export class KeySetError extends Warning {}

export interface KeySetEvents {
  readonly keySetFailed: [error: KeySetError]
}

/** Clocks may be set back. */
const isWithin = (since: number, milliseconds: number): boolean => Math.abs(Date.now() - since) < milliseconds

/** The key set (JWKS) of an identity provider. */
export class KeySet {
  /** Why it could not be loaded the last time, and since when. */
  failure: { readonly error: KeySetError; readonly since: Date } | undefined
  private loadedAt = 0
  private triedAt = 0
  private readonly remote = import('jose').then(({ createRemoteJWKSet, customFetch }) =>
    createRemoteJWKSet(this.url, { cacheMaxAge: USABLE, [customFetch]: () => this.load() }),
  )

  constructor(
    private readonly url: URL,
    private readonly network: Network,
    private readonly events: Emitter<KeySetEvents>,
  ) {
    // Soon: the first line of the log is the address of the gateway, for programs that start it.
    setTimeout(() => this.triedAt === 0 && this.refresh(), START).unref()
  }

  /** Whether tokens can be verified. */
  get isUsable(): boolean {
    return isWithin(this.loadedAt, USABLE)
  }

  /** Returns the key of a token. Rejects with `KeySetError` when it is not known, and the key set cannot be loaded. */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    if (this.failure || !isWithin(this.triedAt, FRESH)) this.refresh()
    return (await this.remote)(header, token)
  }

  private refresh(): void {
    this.remote.then((remote) => remote.reload()).catch(() => {})
  }

  /** Loads the key set for `jose`, which makes one attempt at a time, and none for an unknown key within 30 seconds of a good one. */
  private async load(): Promise<Response> {
    if (this.failure && isWithin(this.triedAt, PAUSE)) throw this.failure.error
    this.triedAt = Date.now()
    try {
      const headers = { accept: 'application/json', 'user-agent': USER_AGENT }
      const outcome = await callOnce(this.network, this.url, { method: 'GET', headers }, { maxBytes: MOST, timeout: TIMEOUT })
      if ('error' in outcome) throw outcome.isTooLarge ? new Error('too large') : outcome.error
      const keySet: { keys?: unknown } = outcome.status === 200 ? JSON.parse(String(outcome.body)) : {}
      if (!Array.isArray(keySet.keys) || !keySet.keys.some(isObject)) throw new Error(`not a key set, with status ${outcome.status}`)
      this.loadedAt = this.triedAt
      this.failure = undefined
      return Response.json(keySet)
    } catch (fault) {
      const { message, code = message } = fault as NodeJS.ErrnoException
      // The path and the query of the address may contain a secret.
      const fields = { address: this.url.origin, reason: code, isUsable: this.isUsable }
      const error = new KeySetError('The key set for tokens could not be loaded.', fields)
      this.failure = { error, since: this.failure?.since ?? new Date() }
      this.events.emit('keySetFailed', error)
      throw error
    }
  }
}
