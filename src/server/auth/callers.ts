import { createHmac, randomBytes } from 'node:crypto'
import type { Options } from '../../options/table.js'
import type { Role } from '../../upstream/roles.js'
import type { Principal } from './authenticator.js'
import type { Peer } from './client-address.js'

/** The kind of a caller, which is the role if there is one; `unknown` before the request is authenticated, and when it is rejected. */
export const kindOf = (principal: Principal | undefined): string =>
  principal ? (principal.role ?? principal.as ?? principal.own ?? 'anonymous') : 'unknown'

const MAX_NAME = 100
/** Control and format characters, lone surrogates, and separators of lines. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Who calls, as text: `key:<name>`, `token:<subject>`, `login:<user name>`, `bearer`, `cookie` or `anonymous`. Own credentials beside an API key
 * follow it: `key:shop login:ada`. `shown` may replace the names.
 */
function callerText(principal: Principal, shown: (name: string) => string): string {
  const { as, name, own, credentials } = principal
  const text = (kind: string, given = ''): string => {
    const printable = given.slice(0, MAX_NAME).replace(UNPRINTABLE, '')
    return printable === '' ? kind : `${kind}:${shown(printable)}`
  }
  const ofOwn = own && text(own, credentials.userName)
  if (as === undefined) return ofOwn ?? 'anonymous'
  const ofGateway = text(as, name)
  return ofOwn === undefined ? ofGateway : `${ofGateway} ${ofOwn}`
}

/** Who sent a request, as the log and events show it. Unknown properties are absent; with `observe.logCallers: none`, all of them. */
export interface ShownCaller {
  /** The address of the client. */
  readonly client?: string
  /** Who calls; see `callerText`. Absent when the request was not authenticated. */
  readonly caller?: string
  /** What the caller of a service account is. */
  readonly role?: Role
  /** The caller's user id in the LMS; a text when it is hashed. */
  readonly viewer?: number | string
}

/** The sender of a request, as far as it is known. */
interface Sender {
  readonly peer: Pick<Peer, 'client'>
  readonly principal?: Principal | undefined
  readonly viewer?: number | undefined
}

const PROCESS_SECRET = randomBytes(32)

/** Decides what the log and events show of requests: variables by `observe.logVariables`, and clients and callers by `observe.logCallers`. */
export class EventView {
  private mode: Options['observe']['logCallers'] = 'none'
  private secret: string | Buffer = PROCESS_SECRET

  constructor(readonly variables: boolean) {}

  /** Follows a change of the options. */
  use({ observe, cache }: Pick<Options, 'observe' | 'cache'>): void {
    this.mode = observe.logCallers
    this.secret = cache.secret?.[0]?.reveal() ?? PROCESS_SECRET
  }

  /** Shows who sent a request. */
  caller(sender: Sender): ShownCaller {
    return this.addCaller({}, sender)
  }

  /** Adds to an event who sent its request. */
  addCaller<Event extends ShownCaller>(event: Event, { peer: { client }, principal, viewer }: Sender): Event {
    if (this.mode === 'none') return event
    const shown: { -readonly [Name in keyof ShownCaller]: ShownCaller[Name] } = event
    if (client !== '') shown.client = this.shown(client)
    if (principal) shown.caller = callerText(principal, this.shown)
    if (principal?.role) shown.role = principal.role
    if (viewer !== undefined) shown.viewer = this.mode === 'plain' ? viewer : this.shown(String(viewer))
    return event
  }

  private readonly shown = (text: string): string =>
    this.mode === 'plain' ? text : createHmac('sha256', this.secret).update(`caller ${text}`).digest('hex').slice(0, 16)
}
