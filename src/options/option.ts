import { z } from 'zod'
import { addressHint, isWebAddress } from './addresses.js'
import { Secret } from './secret.js'

export const COMMANDS = ['serve', 'lms', 'schema', 'supergraph', 'doctor', 'config', 'check', 'usage'] as const
export type Command = (typeof COMMANDS)[number]

/** How a text of a flag, a variable or a file of one secret becomes a value; see `parsedText`. */
type Kind = 'text' | 'textOrNull' | 'number' | 'boolean' | 'list' | 'numbers' | 'map' | 'seconds' | 'any' | 'file'

/** One option: an entry of the table from which all readers, the help and the reference are made. */
export interface Option {
  readonly kind: Kind
  /** Schema of the value as programs and settings files give it. */
  readonly schema: z.ZodType
  /** The default value. */
  readonly default?: unknown
  /** The default in words, where the value does not say it. */
  readonly otherwise?: string
  /** What it must be, in words. Lists and maps name their items only. */
  readonly allowed: string
  readonly description: string
  /** Name of the flag; by default the name of the option with hyphens. Secrets have none: lists of processes show command lines. */
  readonly flag?: string
  /** Name of the variable; by default that of the flag in capital letters. */
  readonly env?: string
  /** Placeholder of the value in the help. Flags of options without one are true when they stand alone. */
  readonly value?: string
  /** Commands that have the flag; by default `serve`, and `doctor` for the site. */
  readonly commands?: readonly Command[]
  /** TypeScript type of the value in programs. */
  readonly type: string
  /** Where it has an effect, if not everywhere: `server` means the commands and `startGateway`. */
  readonly only?: 'command' | 'server' | 'program'
  /** Whether a change needs a restart, because a process reads it only at its start. A reload names it. */
  readonly needsRestart?: true
  /** Whether the value is never shown, because it is a secret, close to one, or long. */
  readonly hidden?: true
  /** Whether it is a secret. */
  readonly secret?: true
  /** Whether its text may be in a file that another flag or variable names. The option has no flag itself. */
  readonly inFile?: true
  /** Whether its variable may be in lower case too, as other programs accept it. */
  readonly anyCase?: true
  /** Whether lists may be given by several flags. */
  readonly repeats?: true
  /** Whether the messages of its schema are complaints for operators. */
  readonly explains?: true
  /** Returns the value that was probably meant instead of a wrong one. */
  readonly hint?: (text: string) => string | undefined
}

/** Options of one area, by name. */
export type Section = Readonly<Record<string, Option>>

/** The values of a section. Options without a default are undefined when they are not given. */
export type Values<S extends Section> = {
  readonly [Name in keyof S]: z.output<S[Name]['schema']> | (S[Name] extends { readonly default: unknown } ? never : undefined)
}

/** The text for an empty list, and for something that a site does not have. */
export const NONE = 'none'

/** A whole number, of a unit such as milliseconds. */
export const wholeNumber = (least: number, most: number, unit?: string) =>
  ({
    kind: 'number',
    schema: z.number().int().min(least).max(most),
    allowed: `${unit === 'percent' ? 'a percentage' : `a whole number${unit === undefined ? '' : ` of ${unit}`}`} from ${least} to ${most}`,
    value: 'NUMBER',
    type: 'number',
  }) as const

/** A whole number with a default. */
export const wholeNumberOr = (otherwise: number, least: number, most: number, unit?: string) => ({
  ...wholeNumber(least, most, unit),
  default: otherwise,
})

/** Milliseconds with a default. */
export const milliseconds = (otherwise: number, least: number, most: number) => ({
  ...wholeNumberOr(otherwise, least, most, 'milliseconds'),
  value: 'MS',
})

/** True or false. A flag alone is true. */
export const trueOrFalse = { kind: 'boolean', schema: z.boolean(), allowed: 'true or false', type: 'boolean' } as const

/** False, unless it is given. */
export const offByDefault = { ...trueOrFalse, default: false } as const

/** A text. */
export const text = (pattern: RegExp, allowed: string) =>
  ({ kind: 'text', schema: z.string().regex(pattern), allowed, value: 'TEXT', type: 'string' }) as const

/** One of several words. */
export const choice = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  ({
    kind: 'text',
    schema: z.enum(words as unknown as [Words[number], ...Words[number][]]),
    allowed: inWords(words, 'or'),
    value: 'WORD',
    type: words.map((word) => `'${word}'`).join(' | '),
  }) as const

/** A list of texts that a check accepts. */
export const listOf = (items: string, accepts: (item: string) => boolean) =>
  ({
    kind: 'list',
    schema: z.array(z.string().refine((item) => item !== NONE && accepts(item))).readonly(),
    allowed: `a list of ${items}`,
    value: 'LIST',
    type: 'readonly string[]',
  }) as const

/** A list of some of several words. */
export const listOfWords = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  ({
    kind: 'list',
    schema: z.array(z.enum(words as unknown as [Words[number], ...Words[number][]])).readonly(),
    allowed: `a list of ${inWords(words, 'and')}`,
    value: 'LIST',
    type: `readonly (${words.map((word) => `'${word}'`).join(' | ')})[]`,
  }) as const

/** An http or https address. */
export const webAddress = {
  kind: 'text',
  schema: z.string().refine(isWebAddress),
  allowed: 'an http or https address without user and password',
  value: 'URL',
  type: 'string',
  hint: addressHint,
} as const

const seconds = z.number().int().min(0).max(99_999_999)

/** Seconds for all types or by type. */
export const secondsByType = {
  kind: 'seconds',
  schema: z.union([seconds, z.record(z.string().regex(/^[A-Za-z_]\w*$/), seconds)]),
  allowed: 'seconds, for all types or by type: `60` or `Course=300,PriceType=3600`',
  value: 'SECONDS',
  type: 'number | Readonly<Record<string, number>>',
} as const

/** The name of a file. */
export const fileName = { kind: 'file', schema: z.string().min(1), allowed: 'the name of a file', value: 'FILE', type: 'string' } as const

/** A text that is never printed, and that can be in a file of its own. */
export const secret = (accepts: (text: string) => boolean, allowed: string) =>
  ({
    kind: 'text',
    schema: z
      .string()
      .refine(accepts)
      .transform((text) => new Secret(text)),
    allowed,
    value: 'TEXT',
    type: 'string',
    secret: true,
    inFile: true,
    hidden: true,
  }) as const

/** A list of texts that are never printed. A file has one per line. */
export const secrets = (accepts: (text: string) => boolean, allowed: string, most: number) =>
  ({
    kind: 'list',
    schema: z
      .union([z.string(), z.array(z.string()).readonly()])
      .transform((given): readonly string[] =>
        [given]
          .flat()
          .flatMap((each) => each.split(/\r?\n/))
          .map((each) => each.trim())
          .filter(Boolean),
      )
      .refine((list) => list.length > 0 && list.length <= most && list.every(accepts))
      .transform((list): readonly Secret[] => list.map((each) => new Secret(each))),
    allowed,
    value: 'LIST',
    type: 'string | readonly string[]',
    secret: true,
    inFile: true,
    hidden: true,
  }) as const

/** A secret, or two of them while one is replaced. */
export const replaceableSecret = {
  ...secrets(
    (given) => /^[^\p{Cc},]{32,}$/u.test(given),
    'a secret of at least 32 characters without commas, or two while one is replaced, the new one first',
    2,
  ),
  value: 'TEXT',
} as const

/** Words in a sentence: `a`, `b` or `c`. */
export const inWords = (words: readonly string[], last: 'or' | 'and'): string =>
  words
    .map((word) => `\`${word}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ` ${last} `)

/** The value that a text stands for. Texts of another kind stay as they are, and no schema accepts them. */
export function parsedText(given: string, { kind }: Pick<Option, 'kind'>): unknown {
  switch (kind) {
    case 'number':
      return numberIn(given)
    case 'boolean':
      return booleanIn(given)
    case 'any':
      return typeof booleanIn(given) === 'boolean' ? booleanIn(given) : numberIn(given)
    case 'textOrNull':
      return given === NONE ? null : given
    case 'list':
      return itemsOf(given)
    case 'numbers':
      return itemsOf(given).map(numberIn)
    case 'map':
      return mapIn(given)
    case 'seconds':
      return given.includes('=') ? mapIn(given, numberIn) : numberIn(given)
    default:
      return given
  }
}

const numberIn = (given: string): number | string => (/^\d{1,15}$/.test(given) ? Number(given) : given)

const booleanIn = (given: string): boolean | string => given === 'true' || (given === 'false' ? false : given)

const itemsOf = (given: string): string[] => (given === NONE ? [] : given.split(',').map((each) => each.trim()))

/** Pairs such as `a=b,c=d`. A text that has another form stays as it is. */
function mapIn(given: string, valueIn: (text: string) => unknown = (text) => text): unknown {
  const pairs = itemsOf(given).map((pair) => /^([^=]+)=(.*)$/.exec(pair))
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.trim(), valueIn(value.trim())]))
    : given
}
