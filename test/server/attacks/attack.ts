import type { Sent } from './client.js'

/** What NODE_ENV is. */
export type Environment = 'production' | 'development'

/** Something that differs between environments, or does not. */
type In<T> = T | Readonly<Record<Environment, T>>

/** A request, and what must come of it. */
export interface Attack {
  readonly name: string
  readonly send: Sent
  /** HTTP status for clients of `application/graphql-response+json`; 0 for a connection that is closed without a word, NaN for any. */
  readonly status: In<number>
  /** Codes of all errors; none where the answer is no JSON, or data alone. Not looked at where `says` or the status leaves it open. */
  readonly code?: In<string | undefined>
  /** What the data are, where that is to be told. */
  readonly data?: unknown
  /** Sent before, for what is known of it afterwards. */
  readonly before?: Sent
  /** What must stand in the text of the answer, and what must not. */
  readonly says?: In<RegExp | undefined>
  readonly hides?: In<RegExp | undefined>
  /** A header the answer must not have. */
  readonly lacks?: string
  /** REST calls that are made; none unless said otherwise, NaN for any number. */
  readonly calls?: number
  /** Most bytes of the answer: 10,000 unless said otherwise. */
  readonly most?: number
}

/** The value for an environment. */
export const valueIn = <T>(value: In<T>, environment: Environment): T =>
  typeof value === 'object' && value !== null && 'production' in value ? value[environment] : (value as T)

/** Something many times over, with its number. */
export const times = (count: number, make: (index: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)

/** An attack that is refused by its document alone. */
export type Row = readonly [name: string, what: string | object, status: In<number>, code?: In<string | undefined>, more?: Partial<Attack>]
