import { z } from 'zod'

export const COMMANDS = ['serve', 'lms', 'schema'] as const
export type Command = (typeof COMMANDS)[number]

/** Where a setting comes from, what it may be, and what it does: one row of the README's table. */
export interface Setting {
  /** Settings that hold a secret have none: command lines show in lists of processes. */
  readonly flag?: string
  readonly env: string
  /** Stands for the value in `--help`; a setting without it is a switch. */
  readonly value?: string
  readonly commands: readonly Command[]
  readonly schema: z.ZodType
  /** Default as people read it; the value itself is the schema's. */
  readonly otherwise: string
  readonly allowed: string
  readonly description: string
  /** Whether its text may be a secret, or next to one, and is never shown. */
  readonly hidden?: true
  /** Name of the setting whose text is in the file that this one names. */
  readonly fills?: string
}

/** A whole number in digits. */
export const between = (low: number, high: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(low).max(high))
    .default(otherwise)

/** What `between` allows, in words. */
export const whole = (low: number, high: number) => `a whole number from ${low} to ${high}`

/** Whether a text is the address of a web server, without user and password. */
export const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '' && new URL(text).password === ''

export const url = z
  .string()
  .refine((text) => isWebAddress(text) && new URL(text).search === '')
  .nullable()
  .default(null)

/** Off unless its flag is there, or its variable says `true`. */
export const onOff = z.union([z.literal(true), z.enum(['true', 'false']).transform((text) => text === 'true')]).default(false)
