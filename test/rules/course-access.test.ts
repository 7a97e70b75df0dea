import type { Access, AccessReason } from '../../src/rules/access.js'
import { UNREADABLE } from '../../src/rules/facts.js'
import {
  available,
  COMPLETED,
  LEARNER,
  lack,
  locked,
  NOT_ENROLLED,
  NOT_REQUIRED,
  NOT_STARTED,
  NOW,
  NotEnrolled,
  nobody,
  openTo,
  row,
  UNKNOWN,
  undecided,
  visitor,
} from './cases.js'
import { courseTable } from './tables.js'

const draft: AccessReason = { kind: 'NotPublished', status: 'draft' }
const password: AccessReason = { kind: 'PasswordRequired' }

courseTable('the status and the password of a course', [
  ['a published course allows an enrolled learner', {}, available()],
  ['a draft refuses', { course: { status: 'draft' } }, locked(draft)],
  ['a private course refuses', { course: { status: 'private' } }, locked({ kind: 'NotPublished', status: 'private' })],
  ['an unknown status is undecided', { course: { status: null } }, undecided(lack('STATUS', 'STATUS'))],
  ['a password refuses', { course: { contentProtected: true } }, locked(password)],
  ['without a known protection there is no password', { course: { contentProtected: null } }, available()],
  ['both refuse, in the order of the rules', { course: { status: 'draft', contentProtected: true } }, locked([draft, password])],
  [
    'a password refuses beside an unknown status',
    { course: { status: null, contentProtected: true } },
    locked(password, { unknowns: [lack('STATUS', 'STATUS')] }),
  ],
  ['a draft refuses users who bypass rules', { site: openTo(LEARNER), course: { status: 'draft' } }, locked(draft, NOT_REQUIRED)],
  [
    'a password refuses users who bypass rules',
    { site: openTo(LEARNER), course: { contentProtected: true } },
    locked(password, NOT_REQUIRED),
  ],
  ['a draft refuses visitors', { ...visitor, course: { status: 'draft', priceTypeSlug: 'open' } }, locked(draft, NOT_REQUIRED)],
  [
    'a draft refuses somebody who perhaps bypasses rules',
    { ...nobody, site: openTo(1), course: { status: 'draft', priceTypeSlug: 'open' } },
    locked(draft, NOT_REQUIRED),
  ],
])

const [past, future] = ['2026-11-19T12:00:00Z', '2026-11-21T12:00:00Z']
const notStarted = (availableAt: string): AccessReason => ({ kind: 'CourseNotStarted', availableAt })
const ended = (since: string): AccessReason => ({ kind: 'CourseEnded', since })
const strict = { startDate: future, endDate: past, expireAccess: true, expireAccessDays: 1, pointsEnabled: true, pointsAccess: 5 }

courseTable('users who bypass rules', [
  ['are subject to no further rule', { site: openTo(LEARNER), progress: null, course: strict }, available(NOT_REQUIRED)],
  ['do not include other learners', { site: openTo(8), progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  ['do not include visitors', { ...visitor, site: openTo(8) }, locked(NotEnrolled, NOT_ENROLLED)],
  ['have no end of access', { site: openTo(LEARNER), course: { endDate: future } }, available(NOT_REQUIRED)],
  [
    'perhaps include somebody unknown: the start does not refuse',
    { ...nobody, site: openTo(1), course: { priceTypeSlug: 'open', startDate: future } },
    undecided(lack('COURSE_DATES', 'LEARNER', { availableAt: future }), NOT_REQUIRED),
  ],
  [
    'perhaps include somebody unknown: the end does not refuse',
    { ...nobody, site: openTo(1), course: { priceTypeSlug: 'open', endDate: past } },
    undecided(lack('COURSE_DATES', 'LEARNER', { expiresAt: past }), { ...NOT_REQUIRED, expiresAt: past }),
  ],
])

courseTable('the dates of a course', [
  ['a start in the future refuses', { course: { startDate: future } }, locked(notStarted(future), { availableAt: future })],
  ['a start in the past allows', { course: { startDate: past } }, available()],
  ['a start is reached in its second', { course: { startDate: NOW } }, available()],
  [
    'a start is not reached a second before',
    { course: { startDate: NOW }, now: '2026-11-20T11:59:59Z' },
    locked(notStarted(NOW), { availableAt: NOW }),
  ],
  ['an end in the future is told', { course: { endDate: future } }, available({ expiresAt: future })],
  ['an end in the past refuses', { course: { endDate: past } }, locked(ended(past), { expiresAt: past })],
  ['an end is reached in its second', { course: { endDate: NOW } }, locked(ended(NOW), { expiresAt: NOW })],
  [
    'a course that ends before it starts refuses twice',
    { course: { startDate: future, endDate: past } },
    locked([notStarted(future), ended(past)], { availableAt: future, expiresAt: past }),
  ],
  [
    'dates apply to visitors',
    { ...visitor, course: { priceTypeSlug: 'open', startDate: future } },
    locked(notStarted(future), { ...NOT_REQUIRED, availableAt: future }),
  ],
  [
    'dates apply to somebody unknown when nobody bypasses rules',
    { ...nobody, course: { priceTypeSlug: 'open', endDate: past } },
    locked(ended(past), { ...NOT_REQUIRED, expiresAt: past }),
  ],
  [
    'dates apply to learners who are not enrolled',
    { progress: null, course: { startDate: future } },
    locked([notStarted(future), NotEnrolled], { ...NOT_ENROLLED, availableAt: future }),
  ],
  [
    'moments are written in UTC without milliseconds',
    { course: { startDate: '2026-11-21T13:00:00.250+01:00' } },
    locked(notStarted(future), { availableAt: future }),
  ],
  ['texts that are no moments are no dates', { course: { startDate: '0000-00-00 00:00:00', endDate: 'never' } }, available()],
])

const noRow = { progress: null }
const hidden = { progress: UNREADABLE } as const
const unknownStatus = { progress: row({ status: null }) }
const enrolmentLacks = (missing: Parameters<typeof lack>[1]): Access => undecided(lack('ENROLMENT', missing), UNKNOWN)
const odd = { course: { priceTypeSlug: 'rental' } }

courseTable('enrolment', [
  ['open courses need none', { ...noRow, course: { priceTypeSlug: 'open' } }, available(NOT_REQUIRED)],
  ['open courses need none of visitors', { ...visitor, course: { priceTypeSlug: 'open' } }, available(NOT_REQUIRED)],
  ['open courses need none of somebody unknown', { ...nobody, course: { priceTypeSlug: 'open' } }, available(NOT_REQUIRED)],
  ['paynow with an empty price needs none', { ...noRow, course: { priceTypeSlug: 'paynow', price: '' } }, available(NOT_REQUIRED)],
  [
    'paynow is undecided when the site sends no price',
    { ...visitor, course: { priceTypeSlug: 'paynow', price: null } },
    enrolmentLacks('PRICE_TYPE'),
  ],
  ['paynow for 0 needs none', { ...visitor, course: { priceTypeSlug: 'paynow', price: ' 0 ' } }, available(NOT_REQUIRED)],
  ['paynow with a price needs it', { ...noRow, course: { priceTypeSlug: 'paynow', price: '10' } }, locked(NotEnrolled, NOT_ENROLLED)],
  ['paynow for 0.00 needs it', { ...noRow, course: { priceTypeSlug: 'paynow', price: '0.00' } }, locked(NotEnrolled, NOT_ENROLLED)],
  ['paynow with a price allows enrolled learners', { course: { priceTypeSlug: 'paynow', price: '10' } }, available()],
  ['free courses need it', { ...noRow, course: { priceTypeSlug: 'free' } }, locked(NotEnrolled, NOT_ENROLLED)],
  ['subscriptions need it', { ...noRow, course: { priceTypeSlug: 'subscribe' } }, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'subscriptions without a price need it',
    { ...noRow, course: { priceTypeSlug: 'subscribe', price: '0' } },
    locked(NotEnrolled, NOT_ENROLLED),
  ],
  ['closed courses need it', noRow, locked(NotEnrolled, NOT_ENROLLED)],
  ['visitors are not enrolled', visitor, locked(NotEnrolled, NOT_ENROLLED)],
  ['of somebody unknown it is undecided', nobody, enrolmentLacks('LEARNER')],
  ['without readable progress it is undecided', hidden, enrolmentLacks('PROGRESS')],
  ['with a row of unknown status it is undecided', unknownStatus, enrolmentLacks('PROGRESS')],
  ['a row that is not started proves it', { progress: NOT_STARTED }, available()],
  ['a completed row proves it', { progress: COMPLETED }, available()],
  ['an unknown price type is undecided for visitors', { ...visitor, ...odd }, enrolmentLacks('PRICE_TYPE')],
  ['an unknown price type is undecided for somebody unknown', { ...nobody, ...odd }, enrolmentLacks('PRICE_TYPE')],
  ['an unknown price type is undecided without a row', { ...noRow, ...odd }, enrolmentLacks('PRICE_TYPE')],
  ['an unknown price type is undecided without readable progress', { ...hidden, ...odd }, enrolmentLacks('PROGRESS')],
  ['an unknown price type is undecided for a row without activity', { progress: NOT_STARTED, ...odd }, enrolmentLacks('PRICE_TYPE')],
  ['activity is a status', { progress: row({ stepsCompleted: null, dateStarted: null }), ...odd }, available()],
  ['activity is a completed course', { progress: { ...NOT_STARTED, status: 'COMPLETED' }, ...odd }, available()],
  ['activity is a completed step', { progress: { ...NOT_STARTED, stepsCompleted: 1 }, ...odd }, available()],
  ['activity is a start', { progress: { ...NOT_STARTED, status: null, dateStarted: '2026-11-01T10:00:00' }, ...odd }, available()],
  ['no price type is an unknown one', { ...noRow, course: { priceTypeSlug: null } }, enrolmentLacks('PRICE_TYPE')],
])

const costs = { course: { pointsEnabled: true, pointsAccess: 5 } }

courseTable('points', [
  ['enough points allow', { ...costs, earnedPoints: 5 }, available()],
  [
    'fewer points are undecided',
    { ...costs, earnedPoints: 4.5 },
    undecided(lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 4.5, pointsNeeded: 5 })),
  ],
  ['unreadable points are undecided', { ...costs, earnedPoints: UNREADABLE }, undecided(lack('POINTS', 'PROGRESS', { pointsNeeded: 5 }))],
  ['no points are needed when they are not enabled', { course: { pointsEnabled: false, pointsAccess: 5 } }, available()],
  ['no points are needed for 0', { course: { pointsEnabled: true, pointsAccess: 0 } }, available()],
  [
    'no points are needed for 0, by somebody unknown',
    { ...nobody, course: { priceTypeSlug: 'open', pointsEnabled: true, pointsAccess: 0 } },
    available(NOT_REQUIRED),
  ],
  ['no points are needed without a number', { course: { pointsEnabled: true, pointsAccess: null } }, available()],
  ['visitors need none', { ...visitor, course: { ...costs.course, priceTypeSlug: 'open' } }, available(NOT_REQUIRED)],
  [
    'of somebody unknown they are undecided',
    { ...nobody, course: { ...costs.course, priceTypeSlug: 'open' } },
    undecided(lack('POINTS', 'LEARNER', { pointsNeeded: 5 }), NOT_REQUIRED),
  ],
  [
    'they are undecided beside a refusal',
    { ...costs, progress: null },
    locked(NotEnrolled, { ...NOT_ENROLLED, unknowns: [lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 0, pointsNeeded: 5 })] }),
  ],
])

const days = (expireAccessDays: number | null) => ({ expireAccess: true, expireAccessDays })
const enrolled = (enrolledAt: string) => ({ progress: row({ enrolledAt }) })
const startedAt = (dateStarted: string | null) => ({ progress: row({ dateStarted }) })
const estimate = (expiresAt: string | null): Access => undecided(lack('EXPIRY', 'ENROLMENT_DATE', { expiresAt }))

courseTable('expiry', [
  [
    'before the last day is over: allowed',
    { course: days(10), ...enrolled('2026-11-10T12:00:01Z') },
    available({ expiresAt: '2026-11-20T12:00:01Z' }),
  ],
  [
    'after the last day: refused',
    { course: days(10), ...enrolled('2026-11-10T12:00:00Z') },
    locked({ kind: 'Expired', since: NOW }, { expiresAt: NOW }),
  ],
  [
    'days have 24 hours when clocks change',
    { course: days(1), ...enrolled('2026-10-24T22:30:00Z') },
    locked({ kind: 'Expired', since: '2026-10-25T22:30:00Z' }, { expiresAt: '2026-10-25T22:30:00Z' }),
  ],
  [
    'the earlier of two ends is told',
    { course: { ...days(10), endDate: future }, ...enrolled('2026-11-19T12:00:00Z') },
    available({ expiresAt: future }),
  ],
  [
    'the expiry is told when it is earlier',
    { course: { ...days(1), endDate: '2027-01-01T00:00:00Z' }, ...enrolled('2026-11-20T00:00:00Z') },
    available({ expiresAt: '2026-11-21T00:00:00Z' }),
  ],
  ['without an enrolment date there is an estimate', { course: days(10) }, estimate('2026-11-11T09:00:00Z')],
  ['the estimate without a time zone takes UTC', { site: { timeZone: null }, course: days(10) }, estimate('2026-11-11T10:00:00Z')],
  ['the estimate takes the offset of the site', { site: { timeZone: '-05:30' }, course: days(10) }, estimate('2026-11-11T15:30:00Z')],
  ['the estimate takes summer time', { course: days(1), ...startedAt('2026-07-01T00:30:00') }, estimate('2026-07-01T22:30:00Z')],
  ['the estimate leaves out milliseconds', { course: days(10), ...startedAt('2026-11-01T10:00:00.500') }, estimate('2026-11-11T09:00:00Z')],
  ['a text that is no moment is no enrolment date', { course: days(10), ...enrolled('never') }, estimate('2026-11-11T09:00:00Z')],
  ['a text that is no time gives no estimate', { course: days(10), ...startedAt('never') }, estimate(null)],
  ['without a start there is no estimate', { course: days(10), ...startedAt(null) }, estimate(null)],
  ['an estimate is never a refusal', { course: days(1), ...startedAt('2020-01-01T00:00:00') }, estimate('2020-01-01T23:00:00Z')],
  ['not enabled: no rule', { course: { ...days(1), expireAccess: false }, ...enrolled(past) }, available()],
  ['0 days: no rule', { course: days(0), ...enrolled(past) }, available()],
  ['no days: no rule', { course: days(null), ...enrolled(past) }, available()],
  ['not for visitors', { ...visitor, course: { ...days(1), priceTypeSlug: 'rental' } }, enrolmentLacks('PRICE_TYPE')],
  [
    'not in courses without enrolment',
    { course: { ...days(1), priceTypeSlug: 'open' }, ...enrolled('2020-01-01T00:00:00Z') },
    available(NOT_REQUIRED),
  ],
  ['not for those who are not enrolled', { course: days(1), progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'of somebody unknown: undecided',
    { ...nobody, course: days(1) },
    undecided([lack('ENROLMENT', 'LEARNER'), lack('EXPIRY', 'ENROLMENT_DATE')], UNKNOWN),
  ],
  [
    'unreadable progress: undecided',
    { ...hidden, course: days(1) },
    undecided([lack('ENROLMENT', 'PROGRESS'), lack('EXPIRY', 'ENROLMENT_DATE')], UNKNOWN),
  ],
  [
    'an enrolment date counts on a row of unknown status',
    { course: days(10), progress: row({ status: null, enrolledAt: '2026-11-01T00:00:00Z' }) },
    locked(
      { kind: 'Expired', since: '2026-11-11T00:00:00Z' },
      { ...UNKNOWN, expiresAt: '2026-11-11T00:00:00Z', unknowns: [lack('ENROLMENT', 'PROGRESS')] },
    ),
  ],
  [
    'any number of days can be written',
    { course: days(2_000_000_000), ...enrolled(past) },
    available({ expiresAt: '9999-12-31T23:59:59Z' }),
  ],
])

courseTable('several rules', [
  [
    'all refuse and lack in their order',
    {
      prerequisites: [{ databaseId: 2, exists: true, progress: null }],
      ...enrolled('2026-11-01T00:00:00Z'),
      course: {
        ...strict,
        status: 'draft',
        contentProtected: true,
        prerequisiteEnabled: true,
        prerequisiteIds: [2],
        prerequisiteCompare: 'ALL',
      },
    },
    locked(
      [
        draft,
        password,
        notStarted(future),
        ended(past),
        { kind: 'PrerequisitesMissing', compare: 'ALL', missingIds: [2], completedIds: [] },
        { kind: 'Expired', since: '2026-11-02T00:00:00Z' },
      ],
      {
        availableAt: future,
        expiresAt: '2026-11-02T00:00:00Z',
        unknowns: [lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 0, pointsNeeded: 5 })],
      },
    ),
  ],
  [
    'all that lack are listed in their order',
    {
      course: {
        ...days(10),
        status: null,
        priceTypeSlug: null,
        pointsEnabled: true,
        pointsAccess: 5,
        prerequisiteEnabled: true,
        prerequisiteIds: [2],
      },
      ...hidden,
    },
    undecided(
      [
        lack('STATUS', 'STATUS'),
        lack('ENROLMENT', 'PROGRESS'),
        lack('PREREQUISITES', 'PREREQUISITE'),
        lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 0, pointsNeeded: 5 }),
        lack('EXPIRY', 'ENROLMENT_DATE'),
      ],
      UNKNOWN,
    ),
  ],
])

const listed = (enrolledAt: string | null = null) => ({ enrolment: { enrolledAt } })
const expiring = { expireAccess: true, expireAccessDays: 30 }

courseTable('the list of the courses of a learner', [
  ['decides that a learner is enrolled who has no progress', { ...listed(), progress: null }, available()],
  ['decides that a learner is enrolled whose progress is not readable', { ...listed(), progress: UNREADABLE }, available()],
  ['decides that a learner is not enrolled who had begun', { enrolment: null }, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'decides nothing where it is not readable',
    { enrolment: UNREADABLE, progress: UNREADABLE },
    undecided(lack('ENROLMENT', 'PROGRESS'), UNKNOWN),
  ],
  ['decides nothing for courses that it may leave out', { enrolment: null, course: { status: 'draft' } }, locked(draft)],
  ['decides nothing for a visitor', { ...visitor, enrolment: null }, locked(NotEnrolled, NOT_ENROLLED)],
  ['decides nothing for an open course', { enrolment: null, course: { priceTypeSlug: 'open' } }, available(NOT_REQUIRED)],
  [
    'shows only enrolled learners of a course with an unknown price type',
    { ...listed(), progress: NOT_STARTED, course: { priceTypeSlug: 'barter' } },
    available(),
  ],
  [
    'leaves a learner of such a course undecided who is not in it',
    { enrolment: null, progress: NOT_STARTED, course: { priceTypeSlug: 'barter' } },
    undecided(lack('ENROLMENT', 'PRICE_TYPE'), UNKNOWN),
  ],
  [
    'has the time from which access ends',
    { ...listed('2026-11-01T12:00:00Z'), course: expiring },
    available({ expiresAt: '2026-12-01T12:00:00Z' }),
  ],
  [
    'has the time at which access has ended, before that of the progress',
    { ...listed('2026-10-01T12:00:00Z'), progress: row({ enrolledAt: '2026-11-19T12:00:00Z' }), course: expiring },
    locked({ kind: 'Expired', since: '2026-10-31T12:00:00Z' }, { expiresAt: '2026-10-31T12:00:00Z' }),
  ],
  [
    'without a time leaves that of the progress',
    { ...listed(), progress: row({ enrolledAt: '2026-11-01T12:00:00Z' }), course: expiring },
    available({ expiresAt: '2026-12-01T12:00:00Z' }),
  ],
])
