import { z } from 'zod'
import { PROFILE_NAMES, type Profile, readSwitchTexts, type Switches, type SwitchName, switchesOf } from '../lms/profile/switches.js'
import { choice, fileName, offByDefault, type Section, type Values, wholeNumber } from './option.js'
import type { Quirks } from './site.js'

const commands = ['serve', 'lms'] as const
/** The embedded LMS is started once, and by the command only. */
const ofCommand = { only: 'command', needsRestart: true } as const

/** The embedded LMS, and the kind of site that it imitates. */
export const LMS = {
  data: {
    ...fileName,
    env: 'LMS_DATA',
    commands,
    ...ofCommand,
    otherwise: 'memory',
    description: 'SQLite file for the data of the embedded LMS.',
  },
  scale: {
    ...wholeNumber(1, 100),
    env: 'LMS_SCALE',
    commands,
    ...ofCommand,
    otherwise: '1',
    description: 'Factor of the size of the sample school in the embedded LMS; a data file keeps its scale.',
  },
  inProduction: {
    ...offByDefault,
    flag: 'embedded',
    env: 'LMS_EMBEDDED',
    ...ofCommand,
    description: 'Starts the embedded LMS without a site also when `NODE_ENV` is production. Its sample school has public passwords.',
  },
  profile: {
    ...choice(PROFILE_NAMES as [Profile, ...Profile[]]),
    default: 'lms',
    value: 'NAME',
    env: 'LMS_PROFILE',
    commands,
    ...ofCommand,
    description: 'Kind of site that the embedded LMS imitates.',
  },
  switches: {
    kind: 'list',
    schema: z
      .array(z.string())
      .readonly()
      .superRefine((texts, context) => {
        for (const message of readSwitchTexts(texts).complaints) context.addIssue({ code: 'custom', message })
      }),
    default: [],
    allowed: 'a list of switches like `workers=2`',
    value: 'NAME=VALUE',
    type: 'readonly string[]',
    flag: 'switch',
    env: 'LMS_SWITCHES',
    repeats: true,
    explains: true,
    commands,
    ...ofCommand,
    description: 'Differences of the embedded LMS from its profile.',
  },
  control: {
    ...offByDefault,
    env: 'LMS_CONTROL',
    commands,
    ...ofCommand,
    description: 'Lets callers on this machine read and set the switches of the embedded LMS at `/-/switches`, and reset it at `/-/reset`.',
  },
} as const satisfies Section

/** What `startLms` takes. */
export const lmsOptionsOf = ({ data, scale, profile, switches, control }: Values<typeof LMS>) => ({
  profile,
  switches: readSwitchTexts(switches).value,
  control,
  ...(data === undefined ? {} : { data }),
  ...(scale === undefined ? {} : { scale }),
})

/** The switches of the LMS that these options start. */
export const switchesIn = ({ profile, switches }: Values<typeof LMS>): Switches => switchesOf(profile, readSwitchTexts(switches).value)

/** The routes beyond the specification, by the switch that serves them. */
const ROUTES = {
  siteRoutes: ['users/me', 'users', 'media', 'terms'],
  progressSteps: ['users/course-progress/steps'],
  enrolments: ['users/courses', 'sfwd-courses/users', 'sfwd-courses/groups'],
  courseSteps: ['sfwd-courses/steps'],
  topics: ['sfwd-topic'],
  questionList: ['sfwd-question'],
} as const satisfies { readonly [Name in SwitchName]?: Quirks['routes'] }

/** The routes of that LMS beyond the specification. */
export function routesIn(lms: Values<typeof LMS>): Quirks['routes'] {
  const switches = switchesIn(lms)
  return (Object.keys(ROUTES) as (keyof typeof ROUTES)[]).flatMap((name) => (switches[name] ? ROUTES[name] : []))
}
