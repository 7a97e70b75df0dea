import { z } from 'zod'
import { PROFILE_NAMES, type Profile, readSwitchTexts } from '../lms/profile/switches.js'
import type { Preset } from '../upstream/site/presets.js'
import { textList } from './names.js'
import { type ConfigOf, digits, fileName, onOff, RELATIVE, type Setting } from './setting.js'

/** The preset that fits each profile of the embedded LMS. */
export const PRESET_OF = { lms: 'lms', learndash: 'learndash', 'learndash-5': 'learndash' } as const satisfies Record<Profile, Preset>

const commands = ['serve', 'lms'] as const

/** Texts of switches, checked. */
const switchTexts = textList.superRefine((texts, context) => {
  for (const message of readSwitchTexts(texts).complaints) context.addIssue({ code: 'custom', message })
})

/** The data of the embedded LMS, and the kind of site that it imitates. */
export const EMBEDDED = {
  data: {
    flag: 'data',
    env: 'LMS_DATA',
    commands,
    ...fileName,
    otherwise: 'memory',
    description: `SQLite file for the data of the embedded LMS. ${RELATIVE}`,
  },
  scale: {
    flag: 'scale',
    env: 'LMS_SCALE',
    value: 'NUMBER',
    commands,
    ...digits(1, 100),
    schema: digits(1, 100).schema.nullable().default(null),
    otherwise: '1',
    description: 'Factor of the size of the sample school in the embedded LMS; a data file keeps its scale.',
  },
  embedded: {
    flag: 'embedded',
    env: 'LMS_EMBEDDED',
    commands: ['serve'],
    ...onOff,
    description: 'Starts the embedded LMS without a site also when `NODE_ENV` is production. Its sample school has public passwords.',
  },
  profile: {
    flag: 'profile',
    env: 'LMS_PROFILE',
    value: 'NAME',
    commands,
    schema: z.enum(PROFILE_NAMES as [Profile, ...Profile[]]).default('lms'),
    otherwise: 'lms',
    allowed: `one of ${PROFILE_NAMES.join(', ')}`,
    description: 'Kind of site that the embedded LMS imitates.',
  },
  switch: {
    flag: 'switch',
    env: 'LMS_SWITCHES',
    value: 'NAME=VALUE',
    holds: 'list',
    repeats: true,
    commands,
    schema: switchTexts.default([]),
    otherwise: 'none',
    allowed: 'a list of switches like `workers=2`, separated by commas',
    explains: true,
    description: 'Difference of the embedded LMS from its profile; can be repeated, or a list with commas.',
  },
  control: {
    flag: 'control',
    env: 'LMS_CONTROL',
    commands,
    ...onOff,
    description: 'Lets callers on this machine read and set the switches of the embedded LMS at `/-/switches`, and reset it at `/-/reset`.',
  },
  backup: {
    flag: 'backup',
    env: 'LMS_BACKUP',
    commands: ['lms'],
    ...fileName,
    description: `Copies the data file to this new file and exits; an LMS may be using it meanwhile. ${RELATIVE}`,
  },
} as const satisfies Record<string, Setting>

/** The options of the embedded LMS. */
export const embeddedOf = ({ data, scale, profile, switch: switches, control }: ConfigOf<typeof EMBEDDED>) => ({
  profile,
  switches: readSwitchTexts(switches).value,
  control,
  ...(data === null ? {} : { data }),
  ...(scale === null ? {} : { scale }),
})
