import { z } from 'zod'
import { readMaxAge } from '../federation/options.js'
import { isWebAddress } from '../upstream/site/site.js'
import { Secret } from './secret.js'

export const COMMANDS = ['serve', 'lms', 'schema', 'supergraph', 'doctor'] as const
export type Command = (typeof COMMANDS)[number]

/** The text for an empty list. */
export const NONE = 'none'

/** The sources, values and description of a setting: one entry of the reference of settings. */
export interface Setting {
  /** Settings for secrets have none: lists of processes show command lines. */
  readonly flag?: string
  readonly env: string
  /** The placeholder of the value in `--help`. Settings without it are true or false: their flag alone is true. */
  readonly value?: string
  /** The type of its value, other than text. Names of files are relative to the configuration file they are in. */
  readonly holds?: 'number' | 'boolean' | 'list' | 'file'
  /** Whether its flag may be repeated. */
  readonly repeats?: true
  readonly commands: readonly Command[]
  /** Of values, not of texts: see `parseValue`. */
  readonly schema: z.ZodType
  /** The default as text; the schema has the value. */
  readonly otherwise: string
  readonly allowed: string
  /** Returns the value that was probably meant instead of a wrong one. */
  readonly hint?: (text: string) => string | undefined
  /** Whether the errors of its schema are complaints for operators. */
  readonly explains?: true
  readonly description: string
  /** Whether its text is never shown, because it may be a secret or near one. */
  readonly hidden?: true
  /** The name of the setting whose text is in the file that this one names. */
  readonly fills?: string
}

/** The value that a text of a flag, a variable or a file stands for. Texts of another type stay as they are, which no schema takes. */
export function parseValue(given: unknown, { holds }: Pick<Setting, 'holds'>): unknown {
  if (holds === 'list' && Array.isArray(given)) return given.flatMap((text) => parseValue(text, { holds }))
  if (typeof given !== 'string' || given === '') return given
  if (holds === 'number') return /^\d{1,15}$/.test(given) ? Number(given) : given
  if (holds === 'boolean') return given === 'true' || (given === 'false' ? false : given)
  if (holds === 'list') return given === NONE ? [] : given.split(',').map((each) => each.trim())
  return given
}

/** The values of settings. */
export type ConfigOf<Settings extends Readonly<Record<string, Setting>>> = {
  readonly [Name in keyof Settings]: z.infer<Settings[Name]['schema']>
}

/** A whole number. */
export const digits = (low: number, high: number) => ({
  holds: 'number' as const,
  schema: z.number().int().min(low).max(high),
  allowed: `a whole number from ${low} to ${high}`,
})

/** A whole number with a default. */
export function wholeNumber(low: number, high: number, otherwise: number) {
  const { schema, ...rest } = digits(low, high)
  return { ...rest, schema: schema.default(otherwise), otherwise: String(otherwise) }
}

/** A text that is never printed. */
export const secret = (allows: (text: string) => boolean) =>
  z
    .string()
    .refine(allows)
    .transform((text) => new Secret(text))
    .nullable()
    .default(null)

/** Secrets with which calls are signed or fingerprints are made: one, or two while one is replaced. In a file they are one per line. */
export const secrets = {
  value: 'TEXT',
  holds: 'list',
  schema: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(/\r?\n/)))
    .transform((texts) => texts.map((text) => text.trim()).filter((text) => text !== ''))
    .refine((texts) => (texts.length === 1 || texts.length === 2) && texts.every((text) => /^[^\p{Cc},]{32,}$/u.test(text)))
    .transform((texts): readonly Secret[] => texts.map((text) => new Secret(text)))
    .nullable()
    .default(null),
  otherwise: 'none',
  allowed: 'a secret of at least 32 characters without commas, or two while one is replaced, the new one first',
  hidden: true,
} as const

/** True or false. A flag alone is true. */
export const trueOrFalse = {
  holds: 'boolean',
  schema: z.boolean(),
  allowed: 'true or false',
} as const

/** Off, unless its flag is given or its variable is `true`. */
export const onOff = { ...trueOrFalse, schema: trueOrFalse.schema.default(false), otherwise: 'false' } as const

/** On, unless it is `false`. */
export const onByDefault = { ...trueOrFalse, schema: trueOrFalse.schema.default(true), otherwise: 'true' } as const

/** A flag with the placeholder of its value, for descriptions. The value of a flag without one is optional: true or false. */
export const flagText = (flag: string, value: string | undefined): string => `--${flag} ${value ?? '[BOOLEAN]'}`

/** What a relative name of a file is relative to, for descriptions. */
export const RELATIVE = 'A relative name starts at the working directory, or in a file of settings at the folder of that file.'

/** The name of a file. */
export const fileName = {
  value: 'FILE',
  holds: 'file',
  schema: z.string().min(1).nullable().default(null),
  otherwise: 'none',
  allowed: 'a file name',
} as const

/** Seconds for which something may be kept, for all types or by type. */
export const maxAgeText = {
  schema: z
    .string()
    .refine((text) => readMaxAge(text) !== undefined)
    .nullable()
    .default(null),
  otherwise: 'none',
  allowed: 'seconds, for all types or by type: `60` or `Course=300,PriceType=3600`',
} as const

/** The address that was probably meant by a host name without a protocol. */
export function addressHint(text: string): string | undefined {
  const address = `${/^(localhost|127\.)/.test(text) ? 'http' : 'https'}://${text}`
  return /^[\w-]+(\.[\w-]+)*(:\d+)?(\/[^@?#]*)?$/.test(text) && isWebAddress(address) ? address : undefined
}

/** A value for messages: without credentials, and without the query of an address. */
const shown = (value: string): string => value.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '?…')

/** The complaints about a value: those of its schema, or one sentence. */
export function complaintsOf(named: string, raw: unknown, setting: Setting, { issues }: z.ZodError): string[] {
  const blank = [raw].flat().find((text) => text === true || text === '')
  if (setting.explains && blank === undefined) return issues.map(({ message }) => `${named}: ${message}`)
  return [`${named} ${complaintOf(blank ?? raw, setting)}`]
}

/** The complaint about a value, without how it was given. Values of hidden settings are not shown. */
export function complaintOf(raw: unknown, { hidden, allowed, hint }: Pick<Setting, 'hidden' | 'allowed' | 'hint'>): string {
  const found = raw === true ? 'is without a value' : hidden ? 'is wrong' : `is \`${shown(String(raw))}\``
  const meant = hidden || raw === true ? undefined : hint?.(String(raw))
  return `${found}; it must be ${allowed}.${meant === undefined ? '' : ` Did you mean \`${meant}\`?`}`
}
