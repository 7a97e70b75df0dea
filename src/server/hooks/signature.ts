import { createHmac, timingSafeEqual } from 'node:crypto'

export const TIMESTAMP_HEADER = 'x-lms-timestamp'
export const SIGNATURE_HEADER = 'x-lms-signature'

/** Seconds by which the time stamp of a delivery may differ from the clock. */
export const TOLERANCE = 300

const SECONDS = /^[1-9]\d{0,10}$/

/** The value of `x-lms-signature`. `timestamp` is that of `x-lms-timestamp`: seconds since 1970. */
export const signatureOf = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

export const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** Whether a time stamp is near enough to the clock. */
export const isCurrent = (timestamp: string | null): timestamp is string =>
  timestamp !== null && SECONDS.test(timestamp) && Math.abs(secondsNow() - Number.parseInt(timestamp, 10)) <= TOLERANCE

/** Whether a signature is that of the time stamp and the body. Takes the same time for all signatures. */
export function isSigned(secret: string, timestamp: string, body: Uint8Array, signature: string | null): signature is string {
  const right = Buffer.from(signatureOf(secret, timestamp, body))
  const given = Buffer.from(signature ?? '')
  return given.length === right.length && timingSafeEqual(given, right)
}
