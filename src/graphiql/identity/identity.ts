import type { Config } from '../config.js'
import { headersIn, post } from '../headers.js'
import { Store } from '../store.js'

/** A kind of credentials. */
export type SignInMethod = Config['signIn'][number]

/** What somebody enters to sign in. */
export interface Credentials {
  /** What goes to the site, or a token for the gateway. None for an anonymous caller of the site. */
  account?: { by: 'password'; user: string; password: string } | { by: 'bearer'; token: string }
  /** The key for the gateway. */
  apiKey?: string
}

/** The caller of the operations on this page. */
export interface Caller {
  credentials: Credentials
  /** The user that the site has named, by name if it has one. Undefined until it has, or when it does not. */
  viewer?: { databaseId: number; name?: string | null | undefined } | undefined
  /** Whether the site is being asked. */
  isAsking: boolean
  /** Whether the gateway has answered with data, and so has accepted an API key. */
  isAccepted?: boolean | undefined
  /** Why the site has not named a user. */
  reason?: string | undefined
}

/** Input that cannot be sent, or credentials that are rejected. The message is for the person at the page. */
export class SignInError extends Error {}

export interface IdentityOptions {
  /** The endpoint. */
  url: string
  /** What the gateway accepts. */
  signIn: readonly SignInMethod[]
  /** Where credentials are kept if asked for. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/**
 * The credentials that this page sends with each operation to a real site. They are in memory only, and in the storage of the browser session
 * if the person asks for it.
 */
export class Identity {
  private readonly caller = new Store<Caller | undefined>(undefined)
  /** Counts what ends a pending `signIn`. */
  private attempts = 0
  private readonly key: string
  readonly subscribe = this.caller.subscribe
  /** The caller, or undefined when anonymous. */
  readonly current = this.caller.current

  constructor(private readonly options: IdentityOptions) {
    // Gateways at other paths of the same host are other sites.
    this.key = `lms-graphql:identity:${options.url}`
    const kept = this.readKept()
    if (!kept) return
    this.caller.set({ credentials: kept, isAsking: true })
    void this.confirm(kept)
  }

  /** The headers of operations. */
  readonly headers = (): Record<string, string> => headersFor(this.current()?.credentials)

  /**
   * Signs in after the gateway has accepted the credentials. Throws a `SignInError` if it does not. Returns false, and changes nothing, if
   * another `signIn`, `signOut` or `cancel` was called meanwhile.
   */
  async signIn(credentials: Credentials, isKept: boolean): Promise<boolean> {
    checkCredentials(credentials)
    const attempt = ++this.attempts
    const answer = await askViewer(this.options.url, credentials)
    if (attempt !== this.attempts) return false
    if (isKept) this.options.storage.setItem(this.key, JSON.stringify(credentials))
    else this.options.storage.removeItem(this.key)
    this.caller.set({ credentials, isAsking: false, ...answer })
    return true
  }

  /** Ends a pending `signIn`: its credentials are not used. */
  cancel(): void {
    this.attempts++
  }

  signOut(): void {
    this.cancel()
    this.options.storage.removeItem(this.key)
    this.caller.set(undefined)
  }

  /** Asks the site whose the kept credentials are. Removes them if they are rejected. Ignores the answer if the caller has changed. */
  private async confirm(credentials: Credentials): Promise<void> {
    let answer: Answer | undefined
    try {
      answer = await askViewer(this.options.url, credentials)
    } catch (error) {
      if (!(error instanceof Rejected)) answer = { reason: error instanceof Error ? error.message : String(error) }
    }
    if (this.current()?.credentials !== credentials) return
    if (!answer) this.options.storage.removeItem(this.key)
    this.caller.set(answer && { credentials, isAsking: false, ...answer })
  }

  /** The kept credentials. They are removed when the gateway does not accept their kind any more. */
  private readKept(): Credentials | undefined {
    const { storage, signIn } = this.options
    try {
      const kept: Credentials | null = JSON.parse(storage.getItem(this.key) ?? 'null')
      if (kept === null) return undefined
      checkCredentials(kept)
      const kinds = [...(kept.account ? [kept.account.by] : []), ...(kept.apiKey === undefined ? [] : ['apiKey' as const])]
      if (kinds.length > 0 && kinds.every((kind) => signIn.includes(kind))) return kept
    } catch {
      // Removed below.
    }
    storage.removeItem(this.key)
    return undefined
  }
}

function headersFor({ account, apiKey }: Credentials = {}): Record<string, string> {
  return {
    ...(account && {
      Authorization: account.by === 'bearer' ? `Bearer ${account.token}` : `Basic ${toBase64(`${account.user}:${account.password}`)}`,
    }),
    ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
  }
}

const toBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Throws a `SignInError` for values that headers cannot carry. */
export function checkCredentials({ account, apiKey }: Credentials): void {
  if (account?.by === 'password') {
    requireText('the user name', account.user)
    requireText('the application password', account.password)
    if (account.user.includes(':'))
      throw new SignInError('The user name must not contain a colon: an application password cannot be sent with it.')
    refuseControls('The user name', account.user)
    refuseControls('The application password', account.password)
  }
  if (account?.by === 'bearer') {
    requireText('the token', account.token)
    if (/^bearer\s/i.test(account.token)) throw new SignInError('Enter the token without the word Bearer.')
    refuseUnsendable('The token', account.token)
  }
  if (apiKey !== undefined) refuseUnsendable('The API key', apiKey)
}

function requireText(name: string, value: string): void {
  if (value === '') throw new SignInError(`Enter ${name}.`)
}

function refuseControls(name: string, value: string): void {
  if (/\p{Cc}/u.test(value)) throw new SignInError(`${name} contains a line break or another control character.`)
}

/** Refuses what is not visible ASCII. The message does not show the value. */
function refuseUnsendable(name: string, value: string): void {
  const index = [...value].findIndex((character) => !/^[!-~]$/.test(character))
  if (index < 0) return
  const character = [...value][index] ?? ''
  const shown = /\s/.test(character) ? 'a space or line break' : /\p{Cc}/u.test(character) ? 'a control character' : `“${character}”`
  throw new SignInError(
    `${name} contains ${shown} (character ${index + 1}). An HTTP header can carry only ASCII characters without spaces here.`,
  )
}

/** The gateway or the site does not accept the credentials. */
class Rejected extends SignInError {}

/** What the gateway answers when it is asked who the caller is. */
type Answer = Pick<Caller, 'viewer' | 'isAccepted' | 'reason'>

/** Asks the gateway who the caller is. Throws when the credentials are rejected or the answer cannot be read. */
async function askViewer(url: string, credentials: Credentials): Promise<Answer> {
  let response: Response
  let answer: { data?: { viewer?: Caller['viewer'] | null } | null; errors?: { message: string; extensions?: { code?: string } }[] }
  try {
    response = await post(url, headersFor(credentials), { query: 'query Viewer { viewer { databaseId name } }' })
  } catch {
    throw new SignInError('The gateway cannot be reached. Try again.')
  }
  try {
    answer = await response.json()
  } catch {
    throw new SignInError(`The gateway answered ${response.status} without JSON. Try again.`)
  }
  const viewer = answer.data?.viewer
  if (viewer) return { viewer, isAccepted: true }
  const [error] = answer.errors ?? []
  const isRejected = response.status === 401 || answer.errors?.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
  if (isRejected) throw new Rejected(error?.message ?? `The credentials were rejected with status ${response.status}.`)
  return { isAccepted: answer.data != null, reason: error?.message ?? 'The site does not say who this is.' }
}

/** The headers with credentials in the text of the headers editor of a tab. They replace those of the page. */
export function credentialsIn(tab: string | null | undefined): string[] {
  const headers = headersIn(tab) ?? {}
  return ['Authorization', 'X-API-Key'].filter((name) => headers[name.toLowerCase()] !== undefined)
}

/** A short name of the caller, and a sentence about them. `own` are the headers with credentials of the tab. */
export function describeCaller(
  caller: Caller | undefined,
  own: readonly string[] = [],
): { name: string; sentence: string; isConfirmed: boolean } {
  if (own.length > 0) {
    const sentence = `This tab sends the ${own.join(' and ')} of its headers, in place of what the page would send.`
    return { name: 'from the headers', sentence, isConfirmed: true }
  }
  if (!caller) return { name: 'visitor, not signed in', sentence: 'Operations are sent without credentials.', isConfirmed: true }
  const { credentials, viewer, isAsking, isAccepted, reason } = caller
  const { account, apiKey } = credentials
  const ways = [
    ...(account ? [account.by === 'bearer' ? 'a bearer token' : `an application password as ${account.user}`] : []),
    ...(apiKey === undefined ? [] : ['an API key']),
  ].join(' and ')
  if (viewer) {
    const name = viewer.name || `user ${viewer.databaseId}`
    return {
      name,
      sentence: `The site says that this is ${viewer.name ? `${name} (user ${viewer.databaseId})` : name}. Signed in with ${ways}.`,
      isConfirmed: true,
    }
  }
  // The gateway checks the key itself.
  if (!account && isAccepted) return { name: 'API key', sentence: 'The gateway accepted the API key.', isConfirmed: true }
  const name = account?.by === 'password' ? account.user : account ? 'bearer token' : 'API key'
  return {
    name,
    sentence: `Signed in with ${ways}. ${isAsking ? 'The site is being asked who this is.' : `Not confirmed: ${reason}`}`,
    isConfirmed: false,
  }
}
