import type { Config } from '../../settings/config.js'
import { Secret } from '../../settings/secret.js'
import type { Counts } from '../metrics/metrics.js'
import type { Job } from './serving.js'

// What the primary and its workers say to each other. It goes through a pipe of their own: unlike an environment, nobody else can read it.

/** What a worker is told. */
export type Order =
  | { readonly kind: 'start'; readonly job: PackedJob }
  /** Accept no more connections. */
  | { readonly kind: 'refuse' }
  /** End, once all has been answered. */
  | { readonly kind: 'end' }
  /** Tell what has been counted. */
  | { readonly kind: 'count' }
  /** What all have counted. */
  | { readonly kind: 'gathered'; readonly id: number; readonly all: readonly Counts[] }

/** What a worker tells. */
export type Report =
  /** It hears what it is told, from now on. */
  | { readonly kind: 'hearing' }
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** It accepts no more connections, and waits to be told to end: until all do so, clients must not be sent looking for new ones. */
  | { readonly kind: 'refusing' }
  | { readonly kind: 'ended'; readonly counts: Counts }
  | { readonly kind: 'counted'; readonly counts: Counts }
  /** Wants to know what all have counted. */
  | { readonly kind: 'gather'; readonly id: number }

/** A job as JSON: secrets are texts, and a map is the list of its entries. */
export interface PackedJob extends Omit<Job, 'config' | 'trustedDocuments'> {
  readonly config: Readonly<Record<string, unknown>>
  readonly trustedDocuments?: readonly (readonly [string, string])[] | undefined
}

interface PackedSecret {
  readonly secret: string
}

const isPackedSecret = (value: unknown): value is PackedSecret => typeof value === 'object' && value !== null && 'secret' in value

function packedValue(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() } satisfies PackedSecret
  return Array.isArray(value) ? value.map(packedValue) : value
}

function unpackedValue(value: unknown): unknown {
  if (isPackedSecret(value)) return new Secret(value.secret)
  return Array.isArray(value) ? value.map(unpackedValue) : value
}

const mapped = (values: object, map: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

export const pack = ({ config, trustedDocuments, ...job }: Job): PackedJob => ({
  ...job,
  config: mapped(config, packedValue),
  ...(trustedDocuments && { trustedDocuments: [...trustedDocuments] }),
})

export const unpack = ({ config, trustedDocuments, ...job }: PackedJob): Job => ({
  ...job,
  config: mapped(config, unpackedValue) as Config,
  ...(trustedDocuments && { trustedDocuments: new Map(trustedDocuments) }),
})
