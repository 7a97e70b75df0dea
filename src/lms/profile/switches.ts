import { nearestName } from '../../nearest-name.js'
import { LOAD_AND_FAULTS } from './faults.js'
import { QUIRKS } from './quirks.js'
import type { Switch } from './switch-kinds.js'

/** Every switch: how the embedded LMS can differ from the specification. */
export const SWITCHES = { ...QUIRKS, ...LOAD_AND_FAULTS } as const

type ValueOf<S> = S extends Switch<infer T> ? T : never

/** A value of every switch. */
export type Switches = { readonly [Name in keyof typeof SWITCHES]: ValueOf<(typeof SWITCHES)[Name]> }

export type SwitchName = keyof Switches

/** Switches as a program sets them: values, or texts as on the command line. */
export type GivenSwitches = { readonly [Name in SwitchName]?: Switches[Name] | string | boolean }

const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[]

/** Every switch as in the specification. */
const SPECIFICATION = Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].default])) as Switches

/** WordPress with LearnDash 4.21.5 and the settings of a new site, as measured. */
const learndash: Partial<Switches> = Object.fromEntries(
  Object.entries<Switch>(SWITCHES).flatMap(([name, { learndash }]) => (learndash === undefined ? [] : [[name, learndash]])),
)

/** Kinds of site: their differences from the specification. */
const PROFILES = {
  lms: {},
  learndash,
  /** LearnDash 5.0 and later: progress has other fields, and there are further routes. */
  'learndash-5': {
    ...learndash,
    progressAsArray: false,
    hyphenStatuses: false,
    utcDates: false,
    gmtDates: true,
    courseDates: true,
    enrolments: true,
    courseSteps: true,
    topics: true,
    questionList: true,
  },
} as const satisfies Record<string, Partial<Switches>>

export type Profile = keyof typeof PROFILES

export const PROFILE_NAMES = Object.keys(PROFILES) as Profile[]

/** All switches of a profile, with overrides. */
export const switchesOf = (profile: Profile, overrides: Partial<Switches> = {}): Switches =>
  Object.freeze({ ...SPECIFICATION, ...PROFILES[profile], ...overrides })

/** A parsed value, and messages about everything that is invalid. */
export interface Parsed<T> {
  readonly value: T
  readonly complaints: readonly string[]
}

const inWords = (given: unknown): string =>
  `\`${(typeof given === 'string' ? given : (JSON.stringify(given) ?? 'undefined')).slice(0, 60)}\``

/** A hint with the name that is most similar to an unknown one, or with all names. */
function similar(name: string): string {
  const nearest = nearestName(name, SWITCH_NAMES)
  return nearest === undefined ? ` Switches are ${SWITCH_NAMES.join(', ')}.` : ` Did you mean ${nearest}?`
}

/** Reads switches by name, from JSON values or texts. */
export function readSwitches(given: Readonly<Record<string, unknown>>): Parsed<Partial<Switches>> {
  const complaints: string[] = []
  const value: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(given)) {
    if (!Object.hasOwn(SWITCHES, name)) {
      complaints.push(`There is no switch ${inWords(name)}.${similar(name)}`)
      continue
    }
    const { read, allowed } = SWITCHES[name as SwitchName]
    const known = read(raw)
    if (known === undefined) complaints.push(`The switch \`${name}\` is ${inWords(raw)}; it must be ${allowed}.`)
    else value[name] = known
  }
  return { value: value as Partial<Switches>, complaints }
}

/** Reads switches of the command line: `name=value`, or a name alone for `true`. A text may have several, separated by commas. */
export function readSwitchTexts(texts: readonly string[]): Parsed<Partial<Switches>> {
  const pairs = texts.flatMap((each) => each.split(',')).map((pair) => pair.trim())
  return readSwitches(
    Object.fromEntries(pairs.map((pair) => [/^[^=]*/.exec(pair)![0], pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : true])),
  )
}

/** Reads the name of a profile. */
export function readProfile(given: unknown): Parsed<Profile> {
  const known = PROFILE_NAMES.find((name) => name === given)
  if (known !== undefined) return { value: known, complaints: [] }
  return { value: 'lms', complaints: [`The profile is ${inWords(given)}; it must be one of ${PROFILE_NAMES.join(', ')}.`] }
}
