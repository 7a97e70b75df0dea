import type { SiteChange, Tag } from '../../upstream/cache/tags.js'
import { LmsError } from '../../upstream/errors.js'
import type { Emitter } from '../../upstream/events.js'
import type { MemoryBudget } from '../../upstream/transport/memory.js'
import { isLonger } from '../http/bodies.js'
import { isJsonType, isPlain } from '../http/media-types.js'
import { badRequest, bodyTooLarge, type PlainAnswer, refused, SERVER_BUSY, withHeaders } from '../http/responses.js'
import type { RequestState } from '../request-state.js'
import { changesIn } from './changes.js'
import type { Deliveries } from './deliveries.js'
import { isCurrent, isSigned, SIGNATURE_HEADER, TIMESTAMP_HEADER, TOLERANCE } from './signature.js'

/** How a delivery to the webhook ended, for metrics. */
export const RECEIVED = ['accepted', 'invalid', 'unauthenticated', 'replayed', 'failed'] as const

export interface SiteHook {
  /** A delivery is signed with one of them. */
  readonly secrets: readonly string[]
  readonly deliveries: Deliveries
  /** While it is short, no body is read. */
  readonly memory: Pick<MemoryBudget, 'isBusy'>
  /** Makes changes known to all that keep answers of the site. */
  readonly onChanges: (changes: readonly SiteChange[]) => Promise<void>
  readonly tagsOf: (change: SiteChange) => readonly Tag[]
  /** The types that changes can name. */
  readonly changeTypes: readonly string[]
  readonly events: Emitter<HookEvents>
}

export interface HookEvents {
  /** A delivery has ended. */
  readonly deliveryReceived: [outcome: (typeof RECEIVED)[number]]
  /** Changes were made known; they raise these tags. */
  readonly changesReceived: [changes: readonly SiteChange[], tags: readonly Tag[]]
  /** Changes could not be made known. */
  readonly changesFailed: [reason: unknown, requestId: string | undefined]
}

/** Reads the body of a delivery, or returns the answer to one whose body is given up. */
type ReadBody = (most: number) => Promise<Buffer | PlainAnswer>

/** The answer to a delivery; undefined when it was accepted. */
export async function receive(
  hook: SiteHook,
  request: Pick<Request, 'method' | 'headers'>,
  readBody: ReadBody,
  state: RequestState | undefined,
): Promise<PlainAnswer | undefined> {
  const [outcome, answer] = await outcomeOf(hook, request, readBody, state)
  hook.events.emit('deliveryReceived', outcome)
  return answer
}

type Received = readonly [outcome: (typeof RECEIVED)[number], answer?: PlainAnswer]

async function outcomeOf(
  hook: SiteHook,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  readBody: ReadBody,
  state: RequestState | undefined,
): Promise<Received> {
  if (method !== 'POST') return ['invalid', NOT_POST]
  if (!isJsonType(headers.get('content-type'))) return ['invalid', NOT_JSON]
  if (!isPlain(headers.get('content-encoding'))) return ['invalid', COMPRESSED]
  if (isLonger(headers.get('content-length') ?? '', MAX_BYTES)) return ['invalid', bodyTooLarge(MAX_BYTES)]
  const timestamp = headers.get(TIMESTAMP_HEADER)
  if (!isCurrent(timestamp)) return ['unauthenticated', UNSIGNED]
  if (hook.memory.isBusy) return ['failed', SERVER_BUSY]
  const body = await readBody(MAX_BYTES)
  if (!Buffer.isBuffer(body)) return [body.code === SERVER_BUSY.code ? 'failed' : 'invalid', body]
  const signature = headers.get(SIGNATURE_HEADER)
  if (!isSigned(hook.secrets, timestamp, body, signature)) return ['unauthenticated', UNSIGNED]
  const changes = changesIn(body, hook.changeTypes)
  if (typeof changes === 'string') return ['invalid', badRequest(400, changes)]
  if (!(await hook.deliveries.claim(signature, REMEMBERED))) return ['replayed', REPLAYED]
  try {
    await hook.onChanges(changes)
  } catch (error) {
    await hook.deliveries.release(signature)
    hook.events.emit('changesFailed', error, state?.requestId)
    return ['failed', failed(error)]
  }
  hook.events.emit('changesReceived', changes, [...new Set(changes.flatMap(hook.tagsOf))])
  return ['accepted']
}

const MAX_BYTES = 100_000

/** Seconds for which a delivery is remembered: as long as its time stamp is accepted, and a minute, because clocks of replicas differ. */
const REMEMBERED = 2 * TOLERANCE + 60

const NOT_POST = withHeaders(badRequest(405, 'The webhook accepts POST only.'), { allow: 'POST' })
const NOT_JSON = badRequest(415, 'The body must be JSON in UTF-8, with `Content-Type: application/json`.')
const COMPRESSED = withHeaders(badRequest(415, 'The body must not be compressed.'), { 'accept-encoding': 'identity' })
const REPLAYED = badRequest(409, 'This delivery was received before.')

/** The same for each reason, so that senders without the secret learn nothing. */
const UNSIGNED = refused(401, {
  message: `The signature is missing or wrong, or its time stamp differs from the clock by more than ${TOLERANCE} seconds.`,
  extensions: { code: 'UNAUTHENTICATED' },
})

const failed = (error: unknown): PlainAnswer =>
  refused(
    503,
    {
      message: 'The changes could not be made known. Send them again.',
      extensions: { code: error instanceof LmsError ? error.code : 'INTERNAL_SERVER_ERROR' },
    },
    { 'retry-after': '5' },
  )
