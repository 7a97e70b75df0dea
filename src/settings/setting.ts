import { z } from 'zod'

export const COMMANDS = ['serve', 'lms', 'schema', 'doctor'] as const
export type Command = (typeof COMMANDS)[number]

/** Where a setting comes from, what it may be, and what it does: one row of the README's table. */
export interface Setting {
  /** Settings that hold a secret have none: command lines show in lists of processes. */
  readonly flag?: string
  readonly env: string
  /** Stands for the value in `--help`; a setting without it is a switch. */
  readonly value?: string
  /** What its text means, where that is more than a text; names of files are relative to the configuration file that gives them. */
  readonly holds?: 'number' | 'boolean' | 'list' | 'file'
  /** Whether its flag may be given several times; its schema then takes the texts of all. */
  readonly repeats?: true
  readonly commands: readonly Command[]
  readonly schema: z.ZodType
  /** Default as people read it; the value itself is the schema's. */
  readonly otherwise: string
  readonly allowed: string
  /** Whether its schema says itself what is wrong with a value. */
  readonly explains?: true
  readonly description: string
  /** Whether its text may be a secret, or next to one, and is never shown. */
  readonly hidden?: true
  /** Name of the setting whose text is in the file that this one names. */
  readonly fills?: string
}

/** A whole number in digits, and what is allowed in words. */
export const digits = (low: number, high: number) => ({
  holds: 'number' as const,
  schema: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(low).max(high)),
  allowed: `a whole number from ${low} to ${high}`,
})

/** The same with a default. */
export function wholeNumber(low: number, high: number, otherwise: number) {
  const { schema, ...rest } = digits(low, high)
  return { ...rest, schema: schema.default(otherwise), otherwise: String(otherwise) }
}

/** Off unless its flag is there, or its variable says `true`. */
export const onOff = {
  holds: 'boolean',
  schema: z.union([z.literal(true), z.enum(['true', 'false']).transform((text) => text === 'true')]).default(false),
  otherwise: 'false',
  allowed: 'true or false',
} as const

/** On unless it is said to be `false`. */
export const trueUnlessSaid = {
  value: 'BOOLEAN',
  holds: 'boolean',
  schema: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(true),
  otherwise: 'true',
  allowed: 'true or false',
} as const

/** A file's name. */
export const fileName = {
  value: 'FILE',
  holds: 'file',
  schema: z.string().min(1).nullable().default(null),
  otherwise: 'none',
  allowed: 'a file name',
} as const

/** Whether a text is the address of a web server, without user and password. */
export const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '' && new URL(text).password === ''

/** A value as it may be shown: without credentials, and without the query of an address. */
const shown = (value: string): string => value.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '?…')

/** Everything that is wrong with a value, as its schema says or in one sentence. */
export function complaintsOf(named: string, raw: unknown, setting: Setting, { issues }: z.ZodError): string[] {
  const blank = [raw].flat().find((text) => text === true || text === '')
  if (setting.explains && blank === undefined) return issues.map(({ message }) => `${named}: ${message}`)
  return [complaintOf(named, blank ?? raw, setting)]
}

/** What is wrong with a value; `named` is how it was given, in backquotes. Secrets are not shown, nor what stands where they should. */
function complaintOf(named: string, raw: unknown, { hidden, allowed }: Setting): string {
  const found = raw === true ? 'is without a value' : hidden ? 'is wrong' : `is \`${shown(String(raw))}\``
  return `${named} ${found}; it must be ${allowed}.`
}
