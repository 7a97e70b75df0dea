import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { type JwtKey, PUBLIC_ALGORITHMS, readJwtKey } from './jwt-key.js'

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
function claimGrants(claims: Claims, name: string, wanted: string): boolean {
  const value = claimAt(claims, name)
  return value === true || value === wanted || (Array.isArray(value) && value.includes(wanted))
}

/** How tokens (JWT) are verified and read. */
export interface TokenOptions {
  /** Address of the key set (JWKS). It is cached for ten minutes, and loaded again for an unknown key. */
  readonly jwksUrl?: string | undefined
  /** Instead of a key set: a public key in PEM, or a shared secret of at least 32 bytes for HS256. */
  readonly key?: string | undefined
  /** The required `iss`. */
  readonly issuer: string
  /** The required `aud`, or a member of it. */
  readonly audience: string
  /** Whether tokens without `exp`, which never expire, are accepted. False by default. */
  readonly withoutExpiry?: boolean | undefined
  /** Claim with the user id in the LMS: a whole number from 1, or its digits. Dots in the name lead to nested claims. `sub` by default. */
  readonly userClaim?: string | undefined
  /** Claim of administrators: `adminValue`, a list with it, or true. `roles` and `admin` by default. */
  readonly adminClaim?: string | undefined
  readonly adminValue?: string | undefined
}

/** The owner of a valid token. */
export interface TokenOwner {
  /** Unique per owner. */
  readonly subject: string
  /** User id in the LMS; null when the token has none. */
  readonly viewer: number | null
  readonly admin: boolean
}

/** The key set cannot be loaded, so that tokens cannot be verified. */
class KeySetError extends Error {}

/** Tolerated seconds between clocks. */
const CLOCK_TOLERANCE = 5

type Verify = (token: string) => Promise<Claims | undefined>

/** Reads tokens with a valid signature, issuer, audience and time. */
export class Tokens {
  private readonly verify: Promise<Verify>

  constructor(private readonly options: TokenOptions) {
    const { jwksUrl, key } = options
    this.verify = verifier(options, key === undefined ? new URL(jwksUrl as string) : readJwtKey(key))
  }

  /** Undefined when the token is not valid. Rejects with `KeySetError` when the key set cannot be loaded. */
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

/** Loads `jose` when it is needed: it takes long to load. */
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

/** The reason, without the address of the key set, whose query may contain a secret. */
function whyNoKeySet(error: Error): string {
  const { code } = (error.cause ?? error) as { code?: unknown }
  return `The key set of JWT tokens could not be loaded: ${error.message}${typeof code === 'string' ? ` (${code})` : ''}`
}
