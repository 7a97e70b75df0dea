import { createHmac, timingSafeEqual } from 'node:crypto'

export const TIMESTAMP_HEADER = 'x-lms-timestamp'
export const SIGNATURE_HEADER = 'x-lms-signature'

/** Seconds by which the time stamp of a delivery may differ from the clock. */
export const TOLERANCE = 300

const SECONDS = /^[1-9]\d{0,10}$/

/** The signature of a body with one secret. `timestamp` is the value of `x-lms-timestamp`: seconds since 1970. */
const signatureOf = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/** The value of `x-lms-signature`: the signature with each of the secrets, separated by spaces. */
export const signaturesOf = (secrets: readonly string[], timestamp: string, body: string): string =>
  secrets.map((secret) => signatureOf(secret, timestamp, body)).join(' ')

export const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** Whether a time stamp is near enough to the clock. */
export const isCurrent = (timestamp: string | null): timestamp is string =>
  timestamp !== null && SECONDS.test(timestamp) && Math.abs(secondsNow() - Number.parseInt(timestamp, 10)) <= TOLERANCE

/** Whether a signature is that of the time stamp and the body with one of the secrets. Takes the same time for all signatures of one length. */
export function isSigned(secrets: readonly string[], timestamp: string, body: Uint8Array, signature: string | null): signature is string {
  const given = Buffer.from(signature ?? '')
  const isRight = (secret: string): boolean => {
    const right = Buffer.from(signatureOf(secret, timestamp, body))
    return given.length === right.length && timingSafeEqual(given, right)
  }
  // Each secret is tried, so that the time does not tell which one is right.
  return secrets.filter(isRight).length > 0
}
