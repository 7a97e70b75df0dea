import { PROFILE_NAMES, type Profile, SWITCHES, type SwitchName, switchesOf } from '../../../src/lms/profile/switches.js'
import { DEMO_USERS } from '../../../src/lms/seed/people.js'
import { code, codes, GENERATED, page } from './text.js'

const PROFILES: Readonly<Record<Profile, string>> = {
  lms: 'The LMS as specified, with additions that two switches take away.',
  learndash: 'WordPress with the LMS plugin, version 4.21.5, with the settings of a new site, as measured.',
  'learndash-5': 'WordPress with the LMS plugin, version 5.0 and later.',
}

const ROLES: Readonly<Record<string, string>> = {
  admin: 'Administrator.',
  leader: 'Leads two groups.',
  learner: 'Has progress in twelve courses.',
  newcomer: 'Has not started a course.',
}

/** A value as text: `on` and `off` for switches without a value. */
const shown = (value: unknown): string =>
  value === true ? 'on' : value === false || value === null || value === '' ? 'off' : code(String(value))

/** The value of a switch in each profile. Profiles with the same value are listed together. */
function values(name: SwitchName): string {
  const groups = new Map<string, string[]>()
  for (const profile of PROFILE_NAMES) {
    const text = shown(switchesOf(profile)[name])
    groups.set(text, [...(groups.get(text) ?? []), profile])
  }
  return groups.size === 1
    ? `${[...groups.keys()][0]} in every profile`
    : [...groups].map(([text, profiles]) => `${text} in ${codes(profiles)}`).join('; ')
}

const entry = (name: SwitchName): string =>
  page(`### ${name}`, SWITCHES[name].purpose, `- Allowed: ${SWITCHES[name].allowed}\n- Value: ${values(name)}`).trim()

/** The page of the embedded LMS: profiles, switches and demo users. */
export const switchesPage = (): string =>
  page(
    GENERATED,
    '# Profiles, switches and demo users',
    'How the embedded LMS can differ from the specification, and who can sign in. [The embedded LMS](../embedded-lms.md) describes how to use it.',
    '## Demo users',
    'Sign in by HTTP Basic with the login and the application password.',
    page(
      [
        '| login | application password | id | role |',
        '| --- | --- | ---: | --- |',
        ...DEMO_USERS.map(({ id, login, password }) => `| ${code(login)} | ${code(password)} | ${id} | ${ROLES[login] ?? ''} |`),
      ].join('\n'),
    ).trim(),
    '## Profiles',
    'The flag `--profile` selects a kind of site. The data are the same in every profile.',
    PROFILE_NAMES.map((name) => `- ${code(name)}: ${PROFILES[name]}`).join('\n'),
    '## Switches',
    'The flag `--switch NAME=VALUE` changes one difference of the profile. A switch without a value is on.',
    (Object.keys(SWITCHES) as SwitchName[]).map(entry),
  )
