import type { Access, AccessReason } from '../../src/rules/access.js'
import { UNREADABLE } from '../../src/rules/facts.js'
import {
  available,
  COMPLETED,
  LEARNER,
  LESSON,
  lack,
  locked,
  NOT_ENROLLED,
  NOT_REQUIRED,
  NOT_STARTED,
  NotEnrolled,
  nobody,
  openTo,
  row,
  UNKNOWN,
  undecided,
  visitor,
} from './cases.js'
import { lessonTable } from './tables.js'

const draft: AccessReason = { kind: 'NotPublished', status: 'draft' }
const password: AccessReason = { kind: 'PasswordRequired' }
const [past, future] = ['2026-11-19T12:00:00Z', '2026-11-21T12:00:00Z']

lessonTable('the status and the password of a lesson', [
  ['a published lesson of a published course allows', {}, available()],
  ['a draft refuses', { lesson: { status: 'draft' } }, locked(draft)],
  ['an unknown status is undecided', { lesson: { status: null } }, undecided(lack('STATUS', 'STATUS'))],
  ['a course that is a draft is undecided', { course: { status: 'draft' } }, undecided(lack('STATUS', 'SITE_BEHAVIOR'))],
  ['a course of unknown status is undecided', { course: { status: null } }, undecided(lack('STATUS', 'STATUS'))],
  ['a draft refuses in a course that is one', { lesson: { status: 'draft' }, course: { status: 'draft' } }, locked(draft)],
  [
    'an unknown status outweighs the course',
    { lesson: { status: null }, course: { status: 'draft' } },
    undecided(lack('STATUS', 'STATUS')),
  ],
  ['the password of the lesson refuses', { lesson: { contentProtected: true } }, locked(password)],
  ['the password of the course does not', { course: { contentProtected: true } }, available()],
  ['a draft refuses users who bypass rules', { site: openTo(LEARNER), lesson: { status: 'draft' } }, locked(draft, NOT_REQUIRED)],
  [
    'a course that is a draft is undecided for them too',
    { site: openTo(LEARNER), course: { status: 'draft' } },
    undecided(lack('STATUS', 'SITE_BEHAVIOR'), NOT_REQUIRED),
  ],
  ['users who bypass rules need no course', { site: openTo(LEARNER), course: null, lesson: { visibleAfter: 5 } }, available(NOT_REQUIRED)],
  [
    'users who bypass rules need no readable course',
    { site: openTo(LEARNER), course: UNREADABLE, lessonIds: UNREADABLE },
    available(NOT_REQUIRED),
  ],
])

const own = { isOwnRead: true, lessonIds: [LESSON] }

lessonTable('the rules of the course of a lesson', [
  [
    'the start of the course refuses',
    { course: { startDate: future } },
    locked({ kind: 'CourseNotStarted', availableAt: future }, { availableAt: future }),
  ],
  ['enrolment is needed', { progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  ['visitors are not enrolled', visitor, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'the expiry refuses',
    { course: { expireAccess: true, expireAccessDays: 1 }, progress: row({ enrolledAt: '2026-11-18T12:00:00Z' }) },
    locked({ kind: 'Expired', since: past }, { expiresAt: past }),
  ],
  [
    'points are undecided',
    { course: { pointsEnabled: true, pointsAccess: 3 }, earnedPoints: 1 },
    undecided(lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 1, pointsNeeded: 3 })),
  ],
  ['whoever reads the lesson is enrolled', { ...own, progress: UNREADABLE }, available()],
  [
    'whoever reads the lesson of an unknown price type is enrolled',
    { ...own, progress: null, course: { priceTypeSlug: null } },
    available(),
  ],
  ['a read does not outweigh a missing row', { ...own, progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  ['a read of somebody unknown proves nothing', { ...own, ...nobody }, undecided(lack('ENROLMENT', 'LEARNER'), UNKNOWN)],
  [
    'a read of a visitor proves nothing',
    { ...own, ...visitor, course: { priceTypeSlug: null } },
    undecided(lack('ENROLMENT', 'PRICE_TYPE'), UNKNOWN),
  ],
])

const release = (availableAt: string | null): Access => locked({ kind: 'NotYetReleased', availableAt }, { availableAt })
const after = (visibleAfter: number) => ({ lesson: { visibleAfter } })
const on = (visibleAfterSpecificDate: string) => ({ lesson: { visibleAfterSpecificDate } })
const at = (visibleAfterSpecificTime: string) => ({ lesson: { visibleAfterSpecificTime } })
const releaseLacks = (missing: Parameters<typeof lack>[1], availableAt: string | null = null): Access =>
  undecided(lack('RELEASE', missing, { availableAt }))
const enrolled = (enrolledAt: string) => ({ progress: row({ enrolledAt }) })
const nowhere = { site: { timeZone: null } }
const open = { priceTypeSlug: 'open', disableLessonProgression: true }
const orNoZone = (day: string): Access => releaseLacks('TIME_ZONE', `${day}T00:00:00Z`)

lessonTable('release some days after the enrolment', [
  ['before these days are over: refused', { ...after(10), ...enrolled('2026-11-11T12:00:00Z') }, release(future)],
  ['after these days: allowed', { ...after(10), ...enrolled('2026-11-10T12:00:00Z') }, available()],
  ['without an enrolment date: an estimate', after(30), releaseLacks('ENROLMENT_DATE', '2026-12-01T09:00:00Z')],
  ['an estimate in the past is no access', after(1), releaseLacks('ENROLMENT_DATE', '2026-11-02T09:00:00Z')],
  ['without a start: no estimate', { ...after(1), progress: row({ dateStarted: null }) }, releaseLacks('ENROLMENT_DATE')],
  ['unreadable progress: undecided', { ...after(1), ...own, progress: UNREADABLE }, releaseLacks('PROGRESS')],
  ['of somebody unknown: undecided', { ...after(1), ...nobody, course: open }, { ...releaseLacks('LEARNER'), ...NOT_REQUIRED }],
  [
    'in an open course without a row: undecided',
    { ...after(1), progress: null, course: open },
    { ...releaseLacks('ENROLMENT_DATE'), ...NOT_REQUIRED },
  ],
  ['of visitors: undecided', { ...after(1), ...visitor, course: open }, { ...releaseLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED }],
  ['0 days: no rule for visitors', { ...after(0), ...visitor, course: open }, available(NOT_REQUIRED)],
  ['not for those who are not enrolled', { ...after(1), progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'wins over the dates',
    {
      lesson: { visibleAfter: 1, visibleAfterSpecificTime: future, visibleAfterSpecificDate: '2030-01-01' },
      ...enrolled('2026-11-01T00:00:00Z'),
    },
    available(),
  ],
  [
    'wins over the dates for those who are not enrolled',
    { lesson: { visibleAfter: 1, visibleAfterSpecificTime: future }, progress: null },
    locked(NotEnrolled, NOT_ENROLLED),
  ],
  ['0 days: no rule', { ...after(0), ...enrolled(future) }, available()],
  ['any number of days can be written', { ...after(2_000_000_000), ...enrolled(past) }, release('9999-12-31T23:59:59Z')],
])

lessonTable('release at a time or on a day', [
  ['a time in the future refuses', at(future), release(future)],
  ['a time in the past allows', at(past), available()],
  ['a time wins over the day', { lesson: { visibleAfterSpecificTime: past, visibleAfterSpecificDate: '2030-01-01' } }, available()],
  ['0 days leave the time', { lesson: { visibleAfter: 0, visibleAfterSpecificTime: future } }, release(future)],
  [
    'a time applies to those who are not enrolled',
    { ...at(future), progress: null },
    locked([NotEnrolled, { kind: 'NotYetReleased', availableAt: future }], { ...NOT_ENROLLED, availableAt: future }),
  ],
  ['a time applies to somebody unknown', { ...at(future), ...nobody, course: open }, { ...release(future), ...NOT_REQUIRED }],
  [
    'a time to come leaves visitors undecided',
    { ...at(future), ...visitor, course: open },
    { ...releaseLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED },
  ],
  ['a time in the past, too', { ...at(past), ...visitor, course: open }, { ...releaseLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED }],
  [
    'a day, too',
    { lesson: { visibleAfterSpecificDate: '2020-01-01' }, ...visitor, course: open },
    { ...releaseLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED },
  ],
  [
    'somebody unknown perhaps bypasses it',
    { ...at(future), ...nobody, site: openTo(1), course: open },
    { ...releaseLacks('LEARNER', future), ...NOT_REQUIRED },
  ],
  [
    'the later of two times is told',
    { ...at('2026-11-23T00:00:00Z'), course: { startDate: future } },
    locked(
      [
        { kind: 'CourseNotStarted', availableAt: future },
        { kind: 'NotYetReleased', availableAt: '2026-11-23T00:00:00Z' },
      ],
      { availableAt: '2026-11-23T00:00:00Z' },
    ),
  ],
  ['a day begins at midnight of the site', on('2026-11-21'), release('2026-11-20T23:00:00Z')],
  ['a day is reached at midnight of the site', { ...on('2026-11-21'), now: '2026-11-20T23:00:00Z' }, available()],
  ['a day is not reached a second before', { ...on('2026-11-21'), now: '2026-11-20T22:59:59Z' }, release('2026-11-20T23:00:00Z')],
  [
    'without a time zone, two days before: refused, with an estimate',
    { ...on('2026-11-22'), ...nowhere },
    { ...release(null), unknowns: orNoZone('2026-11-22').unknowns },
  ],
  [
    'without a time zone, 14 hours before: undecided',
    { ...on('2026-11-21'), ...nowhere, now: '2026-11-20T10:00:00Z' },
    orNoZone('2026-11-21'),
  ],
  [
    'without a time zone, more than 14 hours before: refused',
    { ...on('2026-11-21'), ...nowhere, now: '2026-11-20T09:59:59Z' },
    { ...release(null), unknowns: orNoZone('2026-11-21').unknowns },
  ],
  ['without a time zone, before noon: undecided', { ...on('2026-11-20'), ...nowhere, now: '2026-11-20T11:59:59Z' }, orNoZone('2026-11-20')],
  ['without a time zone, at noon: allowed', { ...on('2026-11-20'), ...nowhere, now: '2026-11-20T12:00:00Z' }, available()],
  [
    'without a time zone, somebody unknown perhaps bypasses it',
    { ...on('2026-11-22'), ...nobody, site: { timeZone: null, ...openTo(1) }, course: open },
    { ...releaseLacks('LEARNER', '2026-11-22T00:00:00Z'), ...NOT_REQUIRED },
  ],
])

const day = (timeZone: string, date: string) => ({ ...on(date), site: { timeZone }, now: '1990-01-01T00:00:00Z' })

lessonTable('the first moment of a day', [
  ['in winter', day('Europe/Berlin', '2026-01-10'), release('2026-01-09T23:00:00Z')],
  ['in summer', day('Europe/Berlin', '2026-07-10'), release('2026-07-09T22:00:00Z')],
  ['on the day on which summer time begins', day('Europe/Berlin', '2026-03-29'), release('2026-03-28T23:00:00Z')],
  ['on the day after', day('Europe/Berlin', '2026-03-30'), release('2026-03-29T22:00:00Z')],
  ['on the day on which summer time ends', day('Europe/Berlin', '2026-10-25'), release('2026-10-24T22:00:00Z')],
  ['on the day after that', day('Europe/Berlin', '2026-10-26'), release('2026-10-25T23:00:00Z')],
  ['west of Greenwich', day('America/New_York', '2026-11-21'), release('2026-11-21T05:00:00Z')],
  ['with half hours', day('Asia/Kolkata', '2026-11-21'), release('2026-11-20T18:30:00Z')],
  ['farthest ahead', day('Pacific/Kiritimati', '2026-11-21'), release('2026-11-20T10:00:00Z')],
  ['in UTC', day('UTC', '2026-11-21'), release('2026-11-21T00:00:00Z')],
  ['at an offset', day('+02:00', '2026-11-21'), release('2026-11-20T22:00:00Z')],
  ['at a negative offset', day('-03:30', '2026-11-21'), release('2026-11-21T03:30:00Z')],
  ['when clocks skip midnight, in Cairo', day('Africa/Cairo', '2024-04-26'), release('2024-04-25T22:00:00Z')],
  ['when clocks skip midnight, in Sao Paulo', day('America/Sao_Paulo', '2018-11-04'), release('2018-11-04T03:00:00Z')],
  ['when midnight comes twice, in Havana', day('America/Havana', '2026-11-01'), release('2026-11-01T04:00:00Z')],
  ['when the clocks go back at midnight, in Cairo', day('Africa/Cairo', '2024-11-01'), release('2024-10-31T22:00:00Z')],
  ['when the day does not exist, in Samoa', day('Pacific/Apia', '2011-12-30'), release('2011-12-30T10:00:00Z')],
])

const previous = (lessonId: number): Access => locked({ kind: 'PreviousLessonIncomplete', lessonId })
const orderLacks = (missing: Parameters<typeof lack>[1]): Access => undecided(lack('PROGRESSION', missing))
const third = { lesson: { databaseId: 13 } }
const first = { lesson: { databaseId: 11 } }
const hidden = { isOwnRead: true, progress: UNREADABLE } as const
const anOpen = (openProgression: 'enforced' | 'ignored' | 'unknown') => ({ site: { openProgression }, course: { priceTypeSlug: 'open' } })

lessonTable('the order of lessons', [
  ['the lesson after the last completed one is open', {}, available()],
  ['the lesson behind it is not', third, previous(12)],
  ['the fourth lesson waits for the same one', { lesson: { databaseId: 14 } }, previous(12)],
  ['the last completed lesson is open', { ...third, progress: row({ lastStepId: 13 }) }, available()],
  ['lessons before it are open', { progress: row({ lastStepId: 14 }) }, available()],
  ['the first lesson is always open', { ...first, progress: NOT_STARTED }, available()],
  ['the first lesson needs no readable progress', { ...first, ...hidden }, available()],
  ['a course that is not started is open at its first lesson only', { progress: NOT_STARTED }, previous(11)],
  ['no number of steps counts as none', { progress: { ...NOT_STARTED, stepsCompleted: null } }, previous(11)],
  ['a completed course is open', { ...third, progress: { ...COMPLETED, lastStepId: 11 } }, available()],
  ['an open course without a row is not started', { ...anOpen('enforced'), progress: null }, { ...previous(11), ...NOT_REQUIRED }],
  ['a last step that is no lesson is undecided', { progress: row({ lastStepId: 99 }) }, orderLacks('COMPLETED_STEPS')],
  ['no last step is undecided', { progress: row({ lastStepId: null }) }, orderLacks('COMPLETED_STEPS')],
  [
    'completed steps of a course that is not started are undecided',
    { progress: { ...NOT_STARTED, stepsCompleted: 1 } },
    orderLacks('COMPLETED_STEPS'),
  ],
  ['unreadable completed steps leave the last step', { ...third, completedStepIds: UNREADABLE }, previous(12)],
  ['an unreadable order is undecided', { lessonIds: UNREADABLE }, orderLacks('LESSON_ORDER')],
  ['a lesson that is not in the order is undecided', { lessonIds: [11, 13] }, orderLacks('LESSON_ORDER')],
  ['unreadable progress is undecided', hidden, orderLacks('PROGRESS')],
  ['somebody unknown is undecided', { ...nobody, ...anOpen('enforced') }, { ...orderLacks('LEARNER'), ...NOT_REQUIRED }],
  ['it is not for visitors', { ...visitor, ...anOpen('enforced') }, available(NOT_REQUIRED)],
  ['it is not for those who are not enrolled', { ...third, progress: null }, locked(NotEnrolled, NOT_ENROLLED)],
  ['it can be disabled', { ...third, course: { disableLessonProgression: true } }, available()],
  ['it is enabled when that is not known', { ...third, course: { disableLessonProgression: null } }, previous(12)],
  ['it applies to paynow courses without a price', { ...third, course: { priceTypeSlug: 'paynow' } }, { ...previous(12), ...NOT_REQUIRED }],
  ['open courses: ignored', { ...third, ...anOpen('ignored') }, available(NOT_REQUIRED)],
  ['open courses: ignored whatever is missing', { lessonIds: UNREADABLE, ...anOpen('ignored') }, available(NOT_REQUIRED)],
  ['open courses: enforced', { ...third, ...anOpen('enforced') }, { ...previous(12), ...NOT_REQUIRED }],
  ['open courses, unknown: a lesson that is open either way', anOpen('unknown'), available(NOT_REQUIRED)],
  ['open courses, unknown: undecided', { ...third, ...anOpen('unknown') }, { ...orderLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED }],
  [
    'open courses, unknown and an unreadable order: undecided',
    { lessonIds: UNREADABLE, ...anOpen('unknown') },
    { ...orderLacks('SITE_BEHAVIOR'), ...NOT_REQUIRED },
  ],
  ['open courses, unknown, disabled: allowed', { ...third, site: { openProgression: 'unknown' }, course: open }, available(NOT_REQUIRED)],
])

lessonTable('the order of lessons with known steps', [
  ['the lessons before are completed', { ...third, completedStepIds: [12, 11] }, available()],
  ['the first that is missing refuses', { lesson: { databaseId: 14 }, completedStepIds: [11] }, previous(12)],
  ['none is completed', { completedStepIds: [] }, previous(11)],
  ['all are completed', { completedStepIds: [11, 12, 13, 14] }, available()],
  ['other steps do not count', { completedStepIds: [99, 100] }, previous(11)],
  ['they win over the last step', { ...third, progress: row({ lastStepId: 13 }), completedStepIds: [11] }, previous(12)],
  ['they need no readable progress', { ...third, ...hidden, completedStepIds: [11] }, previous(12)],
  ['a completed lesson behind one that is not: undecided', { ...third, completedStepIds: [11, 13] }, orderLacks('SITE_BEHAVIOR')],
  ['a completed lesson behind completed ones is open', { ...third, completedStepIds: [11, 12, 13] }, available()],
  ['a completed course wins over them', { ...third, progress: COMPLETED, completedStepIds: [] }, available()],
])

const noCourse = lack('ENROLMENT', 'COURSE_OF_LESSON')
const noneReadable = (...rules: ('COURSE_DATES' | 'ENROLMENT' | 'PREREQUISITES' | 'POINTS' | 'EXPIRY' | 'PROGRESSION')[]) =>
  rules.map((rule) => lack(rule, 'COURSE'))

lessonTable('a lesson of an unknown course', [
  ['without a course: one unknown', { course: null }, undecided(noCourse, UNKNOWN)],
  ['without a course: one unknown for visitors', { ...visitor, course: null }, undecided(noCourse, UNKNOWN)],
  ['without a course: the order does not refuse', { ...third, course: null }, undecided(noCourse, UNKNOWN)],
  [
    'without a course: the time of release refuses',
    { ...at(future), course: null },
    { ...release(future), ...UNKNOWN, unknowns: [noCourse] },
  ],
  [
    'without a course: days from the enrolment are judged',
    { ...after(10), ...enrolled('2026-11-11T12:00:00Z'), course: null },
    { ...release(future), ...UNKNOWN, unknowns: [noCourse] },
  ],
  [
    'without a course: days without progress are undecided',
    { ...after(10), progress: UNREADABLE, course: null },
    undecided([noCourse, lack('RELEASE', 'PROGRESS')], UNKNOWN),
  ],
  ['without a course: who reads the lesson is enrolled, but the rest is unknown', { ...own, course: null }, undecided(noCourse)],
  [
    'without a course: the draft refuses',
    { lesson: { status: 'draft' }, course: null },
    locked(draft, { ...UNKNOWN, unknowns: [noCourse] }),
  ],
  [
    'unreadable course: activity is an enrolment',
    { course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'PREREQUISITES', 'POINTS', 'EXPIRY')),
  ],
  [
    'unreadable course: no activity is undecided',
    { ...first, progress: NOT_STARTED, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'ENROLMENT', 'PREREQUISITES', 'POINTS', 'EXPIRY'), UNKNOWN),
  ],
  [
    'unreadable course: no row is undecided',
    { ...first, progress: null, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'ENROLMENT', 'PREREQUISITES', 'POINTS', 'EXPIRY'), UNKNOWN),
  ],
  [
    'unreadable course and progress: undecided',
    { ...first, progress: UNREADABLE, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'ENROLMENT', 'PREREQUISITES', 'POINTS', 'EXPIRY'), UNKNOWN),
  ],
  [
    'unreadable course: who reads the lesson is enrolled',
    { ...own, progress: null, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'PREREQUISITES', 'POINTS', 'EXPIRY')),
  ],
  [
    'unreadable course: two unknowns for visitors',
    { ...visitor, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'ENROLMENT'), UNKNOWN),
  ],
  [
    'unreadable course: somebody unknown',
    { ...nobody, course: UNREADABLE },
    undecided([...noneReadable('COURSE_DATES', 'ENROLMENT', 'PREREQUISITES', 'POINTS', 'EXPIRY'), lack('PROGRESSION', 'LEARNER')], UNKNOWN),
  ],
  [
    'unreadable course: the order does not refuse',
    { ...third, course: UNREADABLE },
    undecided(noneReadable('COURSE_DATES', 'PREREQUISITES', 'POINTS', 'EXPIRY', 'PROGRESSION')),
  ],
  [
    'unreadable course: an unreadable order stays',
    { lessonIds: UNREADABLE, course: UNREADABLE },
    undecided([...noneReadable('COURSE_DATES', 'PREREQUISITES', 'POINTS', 'EXPIRY'), lack('PROGRESSION', 'LESSON_ORDER')]),
  ],
])

lessonTable('the list of the courses of a learner', [
  [
    'has the time from which a lesson is released, although the progress is not readable',
    { lesson: { visibleAfter: 30 }, progress: UNREADABLE, completedStepIds: [11], enrolment: { enrolledAt: '2026-11-01T12:00:00Z' } },
    locked({ kind: 'NotYetReleased', availableAt: '2026-12-01T12:00:00Z' }, { availableAt: '2026-12-01T12:00:00Z' }),
  ],
  [
    'shows enrolled learners of a course that is not readable',
    { course: UNREADABLE, enrolment: { enrolledAt: null }, progress: NOT_STARTED, lessonIds: UNREADABLE },
    undecided([
      lack('COURSE_DATES', 'COURSE'),
      lack('PREREQUISITES', 'COURSE'),
      lack('POINTS', 'COURSE'),
      lack('EXPIRY', 'COURSE'),
      lack('PROGRESSION', 'LESSON_ORDER'),
    ]),
  ],
])
