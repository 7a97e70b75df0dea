// Receives the changes that a gateway forwards, and purges a cache.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'

/** Whether a body was signed with the secret in the last five minutes. */
function isSigned(secret: string, { headers }: IncomingMessage, body: Buffer): boolean {
  const { 'x-lms-timestamp': timestamp, 'x-lms-signature': signature } = headers
  // Also false for a time stamp that is no number.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`)
  // There are two signatures while the gateway has two secrets.
  const given = String(signature)
    .split(' ')
    .map((each) => Buffer.from(each))
  return given.some((each) => each.length === right.length && timingSafeEqual(each, right))
}

/** `purge` removes all responses with one of these tags from the cache. */
export const createReceiver = (secret: string, purge: (tags: readonly string[]) => Promise<void>): Server =>
  createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      if (!isSigned(secret, request, body)) return response.writeHead(401).end()
      const { tags } = JSON.parse(body.toString('utf8')) as { tags: string[] }
      await purge(tags)
      response.writeHead(204).end()
    } catch (error) {
      console.error(error)
      // The gateway sends the changes again.
      response.writeHead(500).end()
    }
  })
