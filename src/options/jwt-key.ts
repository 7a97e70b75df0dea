import { createPublicKey, createSecretKey, type KeyObject, X509Certificate } from 'node:crypto'
import { works } from '../maps.js'

/** A key to verify tokens with, and the algorithms of its kind. */
export interface JwtKey {
  readonly key: KeyObject
  readonly algorithms: readonly string[]
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const EDWARDS = ['EdDSA', 'Ed25519']

/** Algorithms for public keys: never `none`, and never HMAC, which would use the public key as a shared secret. */
export const PUBLIC_ALGORITHMS: readonly string[] = [...RSA, ...Object.values(CURVES), ...EDWARDS]

const LEAST_SECRET = 32
const LEAST_RSA = 2048

/** Reads a public key in PEM, or a shared secret of at least 32 bytes. Errors do not quote the text. */
export function readJwtKey(text: string): JwtKey {
  const key = /-----BEGIN /.test(text) ? publicKey(text) : sharedSecret(text)
  const algorithms = key && algorithmsOf(key)
  if (!algorithms) throw new Error('The key for tokens must be a public key in PEM, or a shared secret of at least 32 bytes.')
  return { key, algorithms }
}

export const isJwtKey = (text: string): boolean => works(() => readJwtKey(text))

/** Environment variables have `\n` in place of line breaks. Private keys are rejected: a gateway must not have them. */
function publicKey(text: string): KeyObject | undefined {
  return text.includes('PRIVATE KEY') ? undefined : createPublicKey(text.replaceAll('\\n', '\n'))
}

function sharedSecret(text: string): KeyObject | undefined {
  return Buffer.byteLength(text) < LEAST_SECRET || isPublic(text) ? undefined : createSecretKey(text, 'utf8')
}

/** Whether a text is a public key in any format: used as a shared secret, it would allow everybody to sign tokens. */
function isPublic(text: string): boolean {
  const der = Buffer.from(text, 'base64')
  const forms = [
    () => createPublicKey({ key: der, format: 'der', type: 'spki' }),
    () => createPublicKey({ key: der, format: 'der', type: 'pkcs1' }),
    () => new X509Certificate(der),
  ]
  return /^\s*[{[]|^(ssh|ecdsa|sk)-\S+ /.test(text) || forms.some(works)
}

function algorithmsOf({ type, asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): readonly string[] | undefined {
  if (type === 'secret') return ['HS256']
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails.modulusLength ?? 0) >= LEAST_RSA ? RSA : undefined
  if (asymmetricKeyType === 'ed25519') return EDWARDS
  const curve = CURVES[asymmetricKeyDetails.namedCurve ?? '']
  return curve === undefined ? undefined : [curve]
}
