import type { Access, AccessReason, AccessUnknown } from '../../rules/access.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { leaves, objectOf } from '../kit/expose.js'
import { Lesson } from '../lesson/type.js'
import { PriceType } from '../price-type/type.js'

/** An enum of the graph whose values have the given descriptions. */
export const enumOf = <Value extends string>(name: string, description: string, values: Readonly<Record<Value, string>>) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(Object.entries<string>(values).map(([value, description]) => [value, { description }])) as Readonly<
      Record<Value, { readonly description: string }>
    >,
  })

const AccessState = enumOf<Access['state']>('AccessState', 'Whether a user can open a course or a lesson.', {
  AVAILABLE: 'Every rule allows it.',
  LOCKED: 'At least one rule refuses it.',
  UNKNOWN: 'No rule is known to refuse it, but not every rule is known to allow it.',
})

const Enrolment = enumOf<Access['enrolment']>('Enrolment', 'Whether a user is enrolled in a course.', {
  ENROLLED: 'The user is enrolled.',
  NOT_ENROLLED: 'The course requires enrolment, and the user is not enrolled.',
  NOT_REQUIRED: 'The course requires no enrolment, or the user bypasses the rules.',
  UNKNOWN: 'It is not known: `unknowns` has the reason.',
})

const AccessRule = enumOf<AccessUnknown['rule']>('AccessRule', 'A rule by which an LMS grants access.', {
  STATUS: 'The course or lesson is published.',
  PASSWORD: 'The content has no password.',
  COURSE_DATES: 'The course has started, and has not ended.',
  ENROLMENT: 'The user is enrolled, if the course requires it.',
  PREREQUISITES: 'The user has completed the prerequisites.',
  POINTS: 'The user has the points that the course requires.',
  EXPIRY: 'The access of the user has not expired.',
  RELEASE: 'The lesson is released.',
  PROGRESSION: 'The user has completed the lessons before this one, if their order is enforced.',
})

const MISSING: Readonly<Record<AccessUnknown['missing'], string>> = {
  LEARNER: 'Who the user is: the gateway does not know the viewer. Set the argument `user`.',
  COURSE_OF_LESSON: 'The course of the lesson, which belongs to no course or to several. Set the argument `course`.',
  COURSE: 'The settings of the course, which the caller may not read.',
  PRICE_TYPE: 'The price type of the course: the site sends none, or one that the gateway does not know.',
  PROGRESS: 'The progress of the user, which the caller may not read.',
  PREREQUISITE: 'Whether a prerequisite still exists: the caller may not read it.',
  ENROLMENT_DATE: 'When the user was enrolled, which the site does not send.',
  POINTS_AWARDED_BY_HAND: 'Points that the user received from an administrator, which the interface does not show.',
  TIME_ZONE: 'The time zone of the site: its setting `timeZone` is not set.',
  LESSON_ORDER: 'The order of the lessons of the course: the caller may not read it, or it does not contain the lesson.',
  COMPLETED_STEPS: 'Which steps the user has completed: the site tells only the last one, which is not a lesson.',
  STATUS: 'The publication status, which the site does not send.',
  SITE_BEHAVIOR: 'How the site behaves in this case: it differs between versions. A setting of the gateway can tell it.',
}

const MissingFact = enumOf('MissingFact', 'What would decide a rule.', MISSING)

/** A reason as the graph shows it: its type, and the values of its fields. */
export type ShownReason = { readonly __typename: AccessReason['kind'] } & Readonly<Record<string, unknown>>

const Reason = builder.interfaceRef<ShownReason>('AccessReason').implement({
  description: 'A reason for which access is refused.',
  fields: leaves({ message: ['String', false, 'The reason as a sentence in English. For texts of your own, use `__typename`.'] }),
})

const reasonType = (kind: AccessReason['kind'], description: string, fields: Parameters<typeof leaves>[0] = {}) =>
  builder.objectRef<ShownReason>(kind).implement({
    description,
    interfaces: [Reason],
    fields: leaves(fields),
  })

reasonType('NotPublished', 'The course or lesson is not published.', {
  status: ['String', false, 'Its status, such as `draft`.'],
})
reasonType('PasswordRequired', 'A password protects the content.')
reasonType('CourseNotStarted', 'The course has not started.', {
  availableAt: ['DateTime', false, 'When it starts.'],
})
reasonType('CourseEnded', 'The course has ended.', {
  since: ['DateTime', false, 'When it ended.'],
})
reasonType('NotEnrolled', 'The user is not enrolled in the course.', {
  priceType: [PriceType, true, 'How the course is sold or given away. At most one REST call, only when selected.'],
  price: ['String', true, 'Price as stored by the site, with or without currency; empty for none.'],
  buttonUrl: ['String', true, 'URL of the button of a closed course; empty for none.'],
  seatsLimit: ['Int', true, 'Most learners who can be enrolled. The interface does not show how many are.'],
})
reasonType('PrerequisitesMissing', 'The user has not completed the prerequisites of the course.', {
  compare: ['PrerequisiteCompare', false, 'Whether one of the prerequisites is enough.'],
  missing: [[Course], { list: false, items: true }, 'The prerequisites that are not completed. One that does not exist is a null item.'],
  completed: [[Course], { list: false, items: true }, 'The prerequisites that are completed.'],
})
reasonType('Expired', 'The access of the user has expired.', {
  since: ['DateTime', false, 'When it expired.'],
})
reasonType('NotYetReleased', 'The lesson is not released yet.', {
  availableAt: [
    'DateTime',
    true,
    'When it is released. Null when the gateway does not know the time zone of the site: `unknowns` has an estimate.',
  ],
})
reasonType('PreviousLessonIncomplete', 'The user has to complete another lesson before.', {
  lesson: [Lesson, true, 'The first lesson that is not completed.'],
})

const Unknown = objectOf<AccessUnknown & { readonly message: string }>(builder, 'AccessUnknown', 'A rule that could not be decided.', {
  rule: [AccessRule, false, 'The rule.'],
  missing: [MissingFact, false, 'What would decide it.'],
  message: ['String', false, 'The same as a sentence in English.'],
  availableAt: ['DateTime', true, 'Estimate of when the rule allows access. Null when there is none.'],
  expiresAt: ['DateTime', true, 'Estimate of when access ends or ended. Null when there is none.'],
  points: ['Float', true, 'Points that the user has at least. Null for other rules, or when not known.'],
  pointsNeeded: ['Float', true, 'Points that the course requires. Null for other rules.'],
})

/** The access of a user as the graph shows it. */
export interface ShownAccess extends Pick<Access, 'state' | 'enrolment' | 'availableAt' | 'expiresAt'> {
  readonly reasons: readonly ShownReason[]
  readonly unknowns: readonly (AccessUnknown & { readonly message: string })[]
}

export const AccessRef = builder.objectRef<ShownAccess>('Access').implement({
  description:
    'Whether a user can open a course or a lesson, and why not. The gateway applies the rules of the LMS to what the caller may read.',
  fields: leaves({
    state: [AccessState, false, 'Whether the user can open it.'],
    enrolment: [Enrolment, false, 'Whether the user is enrolled in the course.'],
    reasons: [[Reason], false, 'Why the user cannot open it. Empty unless the state is LOCKED.'],
    availableAt: ['DateTime', true, 'The user cannot open it before this time. Null when no reason has a known end.'],
    expiresAt: ['DateTime', true, 'When access ends or ended. Null when it does not end, or when that is not known.'],
    unknowns: [[Unknown], false, 'The rules that could not be decided, and what is missing. Not empty when the state is UNKNOWN.'],
  }),
})

const REASONS: Readonly<Record<AccessReason['kind'], string>> = {
  NotPublished: 'It is not published.',
  PasswordRequired: 'A password protects the content.',
  CourseNotStarted: 'The course has not started.',
  CourseEnded: 'The course has ended.',
  NotEnrolled: 'The user is not enrolled in the course.',
  PrerequisitesMissing: 'The user has not completed the prerequisites of the course.',
  Expired: 'The access of the user to the course has expired.',
  NotYetReleased: 'The lesson is not released yet.',
  PreviousLessonIncomplete: 'The user has not completed a previous lesson.',
}

export const shownReason = (kind: AccessReason['kind'], fields: Readonly<Record<string, unknown>>): ShownReason => ({
  ...fields,
  __typename: kind,
  message: REASONS[kind],
})

export const shownUnknown = (unknown: AccessUnknown): ShownAccess['unknowns'][number] => ({ ...unknown, message: MISSING[unknown.missing] })
