import type { Config } from '../../settings/config.js'
import { Secret } from '../../settings/secret.js'
import type { Raise } from '../../upstream/cache/tag-versions.js'
import type { Snapshot } from '../metrics/exposition.js'
import type { Job } from './serving.js'

// Messages between the primary and its workers. They go through a pipe, which unlike the environment no other process can read.

/** A message from the primary to a worker. */
export type Order =
  | { readonly kind: 'start'; readonly job: PackedJob }
  /** Stop accepting connections. */
  | { readonly kind: 'refuse' }
  /** Answer running requests, then end. */
  | { readonly kind: 'end' }
  /** Report the metrics. */
  | { readonly kind: 'measure' }
  /** A write of another worker. It answers with `applied`. */
  | { readonly kind: 'apply'; readonly id: number; readonly raise: Raise }
  /** All other workers know of the write that it has told. */
  | { readonly kind: 'told'; readonly id: number }
  /** The metrics of all processes. */
  | { readonly kind: 'gathered'; readonly id: number; readonly all: readonly Snapshot[] }

/** A message from a worker to the primary. */
export type Report =
  /** It receives messages from now on. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** It has stopped accepting connections. It waits for `end`: clients must not open new connections before all workers have stopped. */
  | { readonly kind: 'refusing' }
  | { readonly kind: 'ended'; readonly metrics: Snapshot }
  | { readonly kind: 'measured'; readonly metrics: Snapshot }
  /** Tells the other workers of a write. */
  | { readonly kind: 'tell'; readonly id: number; readonly raise: Raise }
  | { readonly kind: 'applied'; readonly id: number }
  /** Requests the metrics of all processes. */
  | { readonly kind: 'gather'; readonly id: number }

/** A job as JSON: secrets are texts, and a map is a list of its entries. */
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
