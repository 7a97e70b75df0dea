import { ACCESS } from './access.js'
import { ARGUMENTS } from './arguments.js'
import { CACHE } from './cache.js'
import { HOOKS } from './hooks.js'
import { HTTP } from './http.js'
import { LIMITS } from './limits.js'
import { LMS } from './lms.js'
import { NETWORK } from './network.js'
import { OBSERVE } from './observe.js'
import { type Command, fileName, type Option, type Section, type Values } from './option.js'
import { PROTECTION } from './protection.js'
import { REDIS } from './redis.js'
import { SITE } from './site.js'
import { SUBGRAPH } from './subgraph.js'

/** Every option of the gateway, by area and name. */
export const OPTIONS = {
  site: SITE,
  network: NETWORK,
  access: ACCESS,
  protection: PROTECTION,
  limits: LIMITS,
  cache: CACHE,
  redis: REDIS,
  hooks: HOOKS,
  http: HTTP,
  observe: OBSERVE,
  subgraph: SUBGRAPH,
  lms: LMS,
} as const

/** The value of every option. */
export type Options = { readonly [Area in keyof typeof OPTIONS]: Values<(typeof OPTIONS)[Area]> }

export type Area = keyof typeof OPTIONS

/** An option with its place in the table and its names. */
export interface Entry extends Option {
  readonly area: Area | undefined
  readonly name: string
  /** `area.name`, or the name alone of an option that only the command line has. */
  readonly path: string
  /** Undefined for texts that may be in files, and for options of programs. */
  readonly flag?: string
  /** Undefined for arguments of one command, and for options of programs. */
  readonly env?: string
  readonly commands: readonly Command[]
  /** The path of the option whose text is in the file which this option names. */
  readonly fills?: string
}

const hyphened = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const asVariable = (flag: string): string => flag.toUpperCase().replaceAll('-', '_')

/** What a relative name of a file is relative to. */
const RELATIVE = 'A relative name starts at the working directory, or in a settings file at the folder of that file.'

function entriesOf(area: Area, name: string, option: Option): Entry[] {
  const { flag = hyphened(name), inFile, kind, description, only, ...rest } = option
  // The doctor compares the options of the site with what it finds.
  const { env = asVariable(flag), commands = area === 'site' ? ['serve', 'doctor'] : ['serve'] } = rest
  const path = `${area}.${name}`
  const text = kind === 'file' ? `${description} ${RELATIVE}` : description
  const common = { ...rest, ...(only && { only }), area, name, path, kind, commands, description: text }
  if (only === 'program') return [common]
  if (!inFile) return [{ ...common, flag, env }]
  const file: Entry = {
    ...fileName,
    ...(only && { only }),
    area,
    name: `${name}File`,
    path: `${path}File`,
    flag: `${flag}-file`,
    env: `${env}_FILE`,
    commands,
    ...(rest.secret && { hidden: true }),
    fills: path,
    description: `File with the text of \`${env}\`${kind === 'list' ? ', one item per line' : ''}. ${RELATIVE}`,
  }
  return [{ ...common, env, inFile }, file]
}

/** The entries of the table, in order. A text that may be in a file is followed by the name of that file. */
export const ENTRIES: readonly Entry[] = (Object.entries(OPTIONS) as [Area, Section][]).flatMap(([area, section]) =>
  Object.entries(section).flatMap(([name, option]) => entriesOf(area, name, option)),
)

/** The variables of an option; the first one that is set decides. */
export const variablesOf = ({ env, anyCase }: Entry): string[] => (env === undefined ? [] : anyCase ? [env.toLowerCase(), env] : [env])

/** The entry at `area.name`. Throws when there is none. */
export function entryAt(path: string): Entry {
  const entry = BY_PATH.get(path)
  if (!entry) throw new Error(`There is no option \`${path}\`.`)
  return entry
}

/** Options that no settings file has: the file itself, and the arguments of single commands. */
const ofCommandLine = (name: string, { flag = hyphened(name), commands = ['serve'], ...option }: Option): Entry => ({
  ...option,
  area: undefined,
  name,
  path: name,
  flag,
  commands,
})

/** The settings file itself. */
export const SETTINGS_FILE: Entry = ofCommandLine('config', {
  ...fileName,
  env: 'CONFIG_FILE',
  commands: ['serve', 'lms', 'doctor'],
  description: 'File with settings, in JSON or YAML. A relative name starts at the working directory.',
})

/** The arguments of single commands. */
export const ARGUMENT_ENTRIES: readonly Entry[] = Object.entries<Option>(ARGUMENTS).map(([name, option]) => ofCommandLine(name, option))

const BY_PATH: ReadonlyMap<string, Entry> = new Map([...ENTRIES, ...ARGUMENT_ENTRIES].map((entry) => [entry.path, entry]))
