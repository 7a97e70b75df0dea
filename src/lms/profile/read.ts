import { PROFILE_NAMES, type Profile, SWITCH_NAMES, SWITCHES, type Switches, type SwitchName } from './switches.js'

/** What was read, and everything that is wrong with what was given. */
export interface Read<T> {
  readonly value: T
  readonly complaints: readonly string[]
}

const inWords = (given: unknown): string =>
  `\`${(typeof given === 'string' ? given : (JSON.stringify(given) ?? 'undefined')).slice(0, 60)}\``

/** The known name most like another one. */
function similar(name: string): string {
  const lower = name.toLowerCase()
  const same = SWITCH_NAMES.filter((known) => known.toLowerCase() === lower)
  const near = same.length || lower.length < 4 ? same : SWITCH_NAMES.filter((known) => known.toLowerCase().startsWith(lower.slice(0, 4)))
  return near.length ? ` Did you mean ${near.join(' or ')}?` : ''
}

/** Values of switches by name, as JSON or texts give them. */
export function readSwitches(given: Readonly<Record<string, unknown>>): Read<Partial<Switches>> {
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

/** Switches as a command line gives them: `name=value`, or a name alone to switch it on; several in a text, separated by commas. */
export function readSwitchTexts(texts: readonly string[]): Read<Partial<Switches>> {
  const pairs = texts.flatMap((each) => each.split(',')).map((pair) => pair.trim())
  return readSwitches(
    Object.fromEntries(pairs.map((pair) => [/^[^=]*/.exec(pair)![0], pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : true])),
  )
}

/** The name of a profile. */
export function readProfile(given: unknown): Read<Profile> {
  const known = PROFILE_NAMES.find((name) => name === given)
  if (known !== undefined) return { value: known, complaints: [] }
  return { value: 'lms', complaints: [`The profile is ${inWords(given)}; it must be one of ${PROFILE_NAMES.join(', ')}.`] }
}
