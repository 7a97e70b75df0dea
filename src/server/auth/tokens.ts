import type { JWTVerifyOptions } from 'jose'
import { type JwtKey, PUBLIC_ALGORITHMS, readJwtKey } from '../../options/jwt-key.js'
import type { Secret } from '../../options/secret.js'
import type { Options } from '../../options/table.js'
import type { Emitter } from '../../upstream/events.js'
import type { Network } from '../../upstream/transport/network.js'
import { KeySet, KeySetError, type KeySetEvents } from './key-set.js'

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

const LARGEST_ID = 2 ** 31 - 1

/** The value of a claim, by its name, or by names joined with dots for nested claims. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

/** The user id in a claim, as a number or in digits. Null when there is none. */
function userIdIn(claims: Claims, name: string): number | null {
  const value = claimAt(claims, name)
  const id = typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value) ? Number.parseInt(value, 10) : value
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= LARGEST_ID ? id : null
}

/** Whether a claim is `wanted`, a list with it, or true. */
export function hasClaim(claims: Claims, name: string, wanted: unknown): boolean {
  const value = claimAt(claims, name)
  return value === true || value === wanted || (Array.isArray(value) && value.includes(wanted))
}

/** How tokens (JWT) are verified and read. */
type TokenOptions = Omit<Options['access'], 'roles'>

/** The owner of a valid token. */
export interface TokenOwner {
  /** Unique per owner. Undefined when the token has none. */
  readonly subject: string | undefined
  /** User id in the LMS; null when the token has none. */
  readonly viewer: number | null
  readonly claims: Claims
}

/** Tolerated seconds between clocks. */
const CLOCK_TOLERANCE = 5

type Verify = (token: string) => Promise<Claims | undefined>

/** Reads tokens with a valid signature, issuer, audience and time. */
export class Tokens {
  /** Undefined when tokens are verified with a key. */
  readonly keySet: KeySet | undefined
  private readonly verify: Promise<Verify>

  constructor(
    private readonly options: TokenOptions,
    network: Network,
    events: Emitter<KeySetEvents>,
  ) {
    const { jwtJwksUrl, jwtKey } = options
    this.keySet = jwtKey === undefined ? new KeySet(new URL(jwtJwksUrl as string), network, events) : undefined
    this.verify = verifier(options, this.keySet ?? readJwtKey((jwtKey as Secret).reveal()))
  }

  /** Undefined when the token is not valid. Rejects with `KeySetError` when the key set cannot be loaded. */
  async read(token: string): Promise<TokenOwner | undefined> {
    const claims = await (await this.verify)(token)
    if (!claims) return undefined
    return {
      subject: typeof claims.sub === 'string' ? claims.sub : undefined,
      viewer: userIdIn(claims, this.options.jwtUserClaim),
      claims,
    }
  }
}

/** Loads `jose` when it is needed: it takes long to load. */
async function verifier({ jwtIssuer: issuer, jwtAudience: audience }: TokenOptions, source: JwtKey | KeySet): Promise<Verify> {
  const { jwtVerify } = await import('jose')
  const { keyOf, algorithms } =
    source instanceof KeySet
      ? { keyOf: source.keyOf, algorithms: PUBLIC_ALGORITHMS }
      : { keyOf: () => source.key, algorithms: source.algorithms }
  const options: JWTVerifyOptions = {
    issuer: issuer as string,
    audience: audience as string,
    // A token without it would be valid for ever.
    requiredClaims: ['exp'],
    algorithms: [...algorithms],
    clockTolerance: CLOCK_TOLERANCE,
  }
  return async (token) => {
    try {
      return (await jwtVerify(token, keyOf, options)).payload
    } catch (error) {
      if (error instanceof KeySetError) throw error
      return undefined
    }
  }
}
