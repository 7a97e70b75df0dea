import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { type JwtKey, PUBLIC_ALGORITHMS, readJwtKey } from './jwt-key.js'

/** What a verified token says. */
export type Claims = Readonly<Record<string, unknown>>

const LARGEST_ID = 2 ** 31 - 1

/** The value of a claim, by its whole name, or by names joined with dots for one inside another. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

/** The user id a claim holds, as a number or in digits. Null when it holds none. */
function userIdIn(claims: Claims, name: string): number | null {
  const value = claimAt(claims, name)
  const id = typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value) ? Number.parseInt(value, 10) : value
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= LARGEST_ID ? id : null
}

/** Whether a claim is `wanted`, a list that holds it, or true. */
function claimGrants(claims: Claims, name: string, wanted: string): boolean {
  const value = claimAt(claims, name)
  return value === true || value === wanted || (Array.isArray(value) && value.includes(wanted))
}

/** How tokens (JWT) are checked and read. */
export interface TokenOptions {
  /** Address of the key set they are checked with; kept for ten minutes, and read again for a key that is not in it. */
  readonly jwksUrl?: string | undefined
  /** In place of a key set: a public key in PEM, or a shared secret of at least 32 bytes for HS256. */
  readonly key?: string | undefined
  /** What `iss` must be. */
  readonly issuer: string
  /** What `aud` must be or hold. */
  readonly audience: string
  /** Whether tokens without `exp`, which are good for ever, are taken. False by default. */
  readonly withoutExpiry?: boolean | undefined
  /** Claim with the holder's user id in the LMS: a whole number from 1, or its digits; a name with dots leads inside. `sub` by default. */
  readonly userClaim?: string | undefined
  /** Claim that makes administrators, when it is `adminValue`, a list that holds it, or true. `roles` and `admin` by default. */
  readonly adminClaim?: string | undefined
  readonly adminValue?: string | undefined
}

/** Who holds a good token. */
export interface TokenOwner {
  /** Different for different holders. */
  readonly subject: string
  /** User id in the LMS; null when the token has none. */
  readonly viewer: number | null
  readonly admin: boolean
}

/** The key set can't be had: no fault of the token's. */
class KeySetError extends Error {}

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE = 5

type Verify = (token: string) => Promise<Claims | undefined>

/** Reads tokens that are signed with the right key, for this gateway, and not out of their time. */
export class Tokens {
  private readonly verify: Promise<Verify>

  constructor(private readonly options: TokenOptions) {
    // Checked at once, so that what is wrong is known before anybody comes.
    const { jwksUrl, key, issuer, audience } = options
    if (!issuer || !audience) throw new Error('`jwt` needs `issuer` and `audience`.')
    if ((jwksUrl === undefined) === (key === undefined)) throw new Error('`jwt` needs `jwksUrl` or `key`, and only one of them.')
    this.verify = verifier(options, key === undefined ? new URL(jwksUrl as string) : readJwtKey(key))
  }

  /** Nothing when the token is not good. Rejects with a `KeySetError` when the key set can't be had. */
  async read(token: string): Promise<TokenOwner | undefined> {
    const claims = await (await this.verify)(token)
    if (!claims) return undefined
    const { userClaim = 'sub', adminClaim = 'roles', adminValue = 'admin' } = this.options
    return {
      subject: typeof claims.sub === 'string' ? claims.sub : token,
      viewer: userIdIn(claims, userClaim),
      admin: claimGrants(claims, adminClaim, adminValue),
    }
  }
}

/** `jose` takes long to load, and only gateways with tokens need it. */
async function verifier({ issuer, audience, withoutExpiry = false }: TokenOptions, source: JwtKey | URL): Promise<Verify> {
  const { createRemoteJWKSet, errors, jwtVerify } = await import('jose')
  const faults = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]
  const remote = (url: URL): JWTVerifyGetKey => {
    const keySet = createRemoteJWKSet(url)
    return (header, jws) =>
      keySet(header, jws).catch((error) => {
        throw faults.some((Fault) => error instanceof Fault) ? error : new KeySetError(whyNoKeySet(error))
      })
  }
  const { keyFor, algorithms } =
    source instanceof URL
      ? { keyFor: remote(source), algorithms: PUBLIC_ALGORITHMS }
      : { keyFor: () => source.key, algorithms: source.algorithms }
  const requiredClaims = withoutExpiry ? [] : ['exp']
  const options: JWTVerifyOptions = { issuer, audience, requiredClaims, algorithms: [...algorithms], clockTolerance: CLOCK_TOLERANCE }
  return async (token) => {
    try {
      return (await jwtVerify(token, keyFor, options)).payload
    } catch (error) {
      if (error instanceof KeySetError) throw error
      return undefined
    }
  }
}

/** Without the address, whose query may hold a secret. */
function whyNoKeySet(error: Error): string {
  const { code } = (error.cause ?? error) as { code?: unknown }
  return `The key set of JWT tokens could not be loaded: ${error.message}${typeof code === 'string' ? ` (${code})` : ''}`
}
