import { UNREADABLE } from '../../src/rules/facts.js'
import {
  available,
  COMPLETED,
  LEARNER,
  lack,
  locked,
  NOT_ENROLLED,
  NOT_REQUIRED,
  nobody,
  openTo,
  row,
  UNKNOWN,
  undecided,
  visitor,
} from './cases.js'
import { lessonTable } from './tables.js'

const [past, future] = ['2026-11-19T12:00:00Z', '2026-11-21T12:00:00Z']
const lesson = { isSample: true, databaseId: 13 }
const hidden = { progress: UNREADABLE, lessonIds: [13] } as const
const later = { ...lesson, visibleAfterSpecificTime: future }
const prerequisite = (progress: null | typeof COMPLETED | typeof UNREADABLE) => ({
  course: { prerequisiteEnabled: true, prerequisiteIds: [2] },
  prerequisites: [{ databaseId: 2, exists: true, progress }],
})

lessonTable('sample lessons', [
  ['are open to visitors', { lesson, ...visitor }, available(NOT_ENROLLED)],
  ['are open to learners who are not enrolled', { lesson, progress: null }, available(NOT_ENROLLED)],
  ['are open when the enrolment is not known', { lesson, ...hidden }, available({ ...UNKNOWN, unknowns: [lack('ENROLMENT', 'PROGRESS')] })],
  [
    'are open to somebody unknown',
    { lesson, ...nobody, lessonIds: [13] },
    available({ ...UNKNOWN, unknowns: [lack('ENROLMENT', 'LEARNER')] }),
  ],
  [
    'are open to visitors when the price type is not known',
    { lesson, ...visitor, course: { priceTypeSlug: null } },
    available({ ...UNKNOWN, unknowns: [lack('ENROLMENT', 'PRICE_TYPE')] }),
  ],
  [
    'are those whose flag is set: an unknown flag is none',
    { lesson: { isSample: null, databaseId: 13 }, ...hidden },
    undecided(lack('ENROLMENT', 'PROGRESS'), UNKNOWN),
  ],
  ['are perhaps open before the lessons in front of them', { lesson }, undecided(lack('PROGRESSION', 'SITE_BEHAVIOR'))],
  ['are open to visitors, whatever their release', { lesson: later, ...visitor }, available(NOT_ENROLLED)],
  [
    'have the rules of others for enrolled learners: release',
    { lesson: later, lessonIds: [13] },
    locked({ kind: 'NotYetReleased', availableAt: future }, { availableAt: future }),
  ],
  [
    'have the rules of others in open courses',
    { lesson, progress: null, course: { priceTypeSlug: 'open', startDate: future } },
    locked({ kind: 'CourseNotStarted', availableAt: future }, { ...NOT_REQUIRED, availableAt: future }),
  ],
  [
    'refuse as drafts',
    { lesson: { ...lesson, status: 'draft' }, ...visitor },
    locked({ kind: 'NotPublished', status: 'draft' }, NOT_ENROLLED),
  ],
  [
    'refuse without the password',
    { lesson: { ...lesson, contentProtected: true }, progress: null },
    locked({ kind: 'PasswordRequired' }, NOT_ENROLLED),
  ],
  [
    'before the start of the course: undecided',
    { lesson, ...visitor, course: { startDate: future } },
    undecided(lack('COURSE_DATES', 'SITE_BEHAVIOR', { availableAt: future }), NOT_ENROLLED),
  ],
  [
    'after the end of the course: undecided',
    { lesson, progress: null, course: { endDate: past } },
    undecided(lack('COURSE_DATES', 'SITE_BEHAVIOR', { expiresAt: past }), { ...NOT_ENROLLED, expiresAt: past }),
  ],
  [
    'with a missing prerequisite: undecided',
    { lesson, progress: null, ...prerequisite(null) },
    undecided(lack('PREREQUISITES', 'SITE_BEHAVIOR'), NOT_ENROLLED),
  ],
  ['with a completed prerequisite: open', { lesson, progress: null, ...prerequisite(COMPLETED) }, available(NOT_ENROLLED)],
  [
    'with an undecided prerequisite: undecided',
    { lesson, progress: null, ...prerequisite(UNREADABLE) },
    undecided(lack('PREREQUISITES', 'PROGRESS'), NOT_ENROLLED),
  ],
  [
    'with too few points: undecided',
    { lesson, progress: null, course: { pointsEnabled: true, pointsAccess: 5 } },
    undecided(lack('POINTS', 'POINTS_AWARDED_BY_HAND', { points: 0, pointsNeeded: 5 }), NOT_ENROLLED),
  ],
  [
    'after the expiry of an unknown enrolment: undecided',
    {
      lesson,
      lessonIds: [13],
      course: { expireAccess: true, expireAccessDays: 1 },
      progress: row({ status: null, enrolledAt: '2026-11-18T12:00:00Z' }),
    },
    undecided([lack('ENROLMENT', 'PROGRESS'), lack('EXPIRY', 'SITE_BEHAVIOR', { expiresAt: past })], { ...UNKNOWN, expiresAt: past }),
  ],
  [
    'before their release: undecided',
    { lesson: later, progress: null },
    undecided(lack('RELEASE', 'SITE_BEHAVIOR', { availableAt: future }), NOT_ENROLLED),
  ],
  [
    'before their day without a time zone: undecided',
    { lesson: { ...lesson, visibleAfterSpecificDate: '2026-11-30' }, progress: null, site: { timeZone: null } },
    undecided(lack('RELEASE', 'SITE_BEHAVIOR', { availableAt: '2026-11-30T00:00:00Z' }), NOT_ENROLLED),
  ],
  [
    'on their day without a time zone: undecided',
    { lesson: { ...lesson, visibleAfterSpecificDate: '2026-11-21' }, progress: null, site: { timeZone: null } },
    undecided(lack('RELEASE', 'TIME_ZONE', { availableAt: '2026-11-21T00:00:00Z' }), NOT_ENROLLED),
  ],
  [
    'behind an incomplete lesson, of an unknown enrolment: undecided',
    { lesson, progress: row({ status: null }) },
    undecided([lack('ENROLMENT', 'PROGRESS'), lack('PROGRESSION', 'SITE_BEHAVIOR')], UNKNOWN),
  ],
  [
    'with unreadable progress in the order: undecided',
    { lesson, progress: UNREADABLE },
    undecided([lack('ENROLMENT', 'PROGRESS'), lack('PROGRESSION', 'PROGRESS')], UNKNOWN),
  ],
  ['of an unknown course: undecided', { lesson, course: null }, undecided(lack('ENROLMENT', 'COURSE_OF_LESSON'), UNKNOWN)],
  [
    'of an unreadable course: undecided',
    { lesson, ...visitor, course: UNREADABLE },
    undecided([lack('COURSE_DATES', 'COURSE'), lack('ENROLMENT', 'COURSE')], UNKNOWN),
  ],
  [
    'somebody unknown perhaps bypasses the start of the course',
    { lesson, ...nobody, lessonIds: [13], site: openTo(1), course: { startDate: future } },
    undecided([lack('COURSE_DATES', 'LEARNER', { availableAt: future }), lack('ENROLMENT', 'LEARNER')], UNKNOWN),
  ],
  [
    'are open to users who bypass rules',
    { lesson, progress: null, site: openTo(LEARNER), course: { startDate: future } },
    available(NOT_REQUIRED),
  ],
])
