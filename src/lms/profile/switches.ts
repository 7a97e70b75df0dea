import { LOAD_AND_FAULTS } from './faults.js'
import { QUIRKS } from './quirks.js'
import type { Switch } from './switch.js'

/** Everything in which the embedded LMS can be another site than the specification describes. */
export const SWITCHES = { ...QUIRKS, ...LOAD_AND_FAULTS } as const

type ValueOf<S> = S extends Switch<infer T> ? T : never

/** A value of every switch. */
export type Switches = { readonly [Name in keyof typeof SWITCHES]: ValueOf<(typeof SWITCHES)[Name]> }

export type SwitchName = keyof Switches

/** Switches as programs set them: their values, or the texts command lines give. */
export type GivenSwitches = { readonly [Name in SwitchName]?: Switches[Name] | string | boolean }

export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[]

/** What the specification says. */
const SPECIFICATION = Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].default])) as Switches

/** WordPress with the LMS plugin, version 4.21.5 with the settings of a new site, as measured. */
const learndash = {
  namespace: 'ldlms',
  termPrefix: 'ld_',
  codePrefix: 'learndash',
  routing: 'both',
  siteRoutes: true,
  envelope: true,
  fieldsOnly: true,
  lessonsPerPage: 20,
  quizIncludeFallback: true,
  groupCoursesIgnoreIds: true,
  groupCoursesPublished: true,
  unknownGroupEmpty: true,
  unknownCourseDropped: true,
  leaderIncludeFallback: true,
  exactByWord: true,
  openCourses: 'unknown',
  progressTotalsOmitted: true,
  coreLinks: true,
  courseLinksAlways: true,
  priceTypesBySlug: true,
  closedLabel: true,
  progressAsArray: true,
  hyphenStatuses: true,
  blankDates: true,
  utcDates: true,
  progressViewOnly: true,
  groupCoursesPlain: true,
  buyNow: true,
  engineQuizIds: true,
  looseCourses: true,
  looseLessons: true,
  looseQuestions: true,
  emptyAsArray: true,
  withoutCategories: true,
  withoutMeta: true,
  withoutDiscussion: true,
  withoutHierarchy: true,
  extraFields: true,
  blankQuestions: true,
  adminOnly: true,
  wrongPasswordAnonymous: true,
  sharedSteps: true,
  releaseDatesIgnored: true,
} as const satisfies Partial<Switches>

/** Kinds of site by name: what differs from the specification. */
const PROFILES = {
  lms: {},
  learndash,
  /** Version 5.0 and later: progress has another shape. */
  'learndash-5': { ...learndash, progressAsArray: false, hyphenStatuses: false, utcDates: false, gmtDates: true },
} as const satisfies Record<string, Partial<Switches>>

export type Profile = keyof typeof PROFILES

export const PROFILE_NAMES = Object.keys(PROFILES) as Profile[]

/** All switches as a profile sets them, with some set otherwise. */
export const switchesOf = (profile: Profile, others: Partial<Switches> = {}): Switches =>
  Object.freeze({ ...SPECIFICATION, ...PROFILES[profile], ...others })
