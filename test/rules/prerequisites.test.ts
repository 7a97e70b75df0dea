import type { Access } from '../../src/rules/access.js'
import { type Fact, type PrerequisiteFacts, type ProgressFacts, UNREADABLE } from '../../src/rules/facts.js'
import {
  available,
  COMPLETED,
  type CourseChanges,
  lack,
  locked,
  NOT_ENROLLED,
  NOT_STARTED,
  NotEnrolled,
  nobody,
  row,
  UNKNOWN,
  undecided,
  visitor,
} from './cases.js'
import { courseTable } from './tables.js'

const prerequisite = (databaseId: number, exists: Fact<boolean>, progress: Fact<ProgressFacts | null>): PrerequisiteFacts => ({
  databaseId,
  exists,
  progress,
})
const done = (id: number): PrerequisiteFacts => prerequisite(id, true, COMPLETED)
const begun = (id: number): PrerequisiteFacts => prerequisite(id, true, row())
const secret = (id: number): PrerequisiteFacts => prerequisite(id, true, UNREADABLE)
const gone = (id: number): PrerequisiteFacts => prerequisite(id, false, null)
const closed = (id: number, progress: Fact<ProgressFacts | null>): PrerequisiteFacts => prerequisite(id, UNREADABLE, progress)

type Treatment = 'ignored' | 'required' | 'unknown'

function requiring(compare: 'ANY' | 'ALL' | null, facts: readonly PrerequisiteFacts[], treatment: Treatment = 'ignored'): CourseChanges {
  const course = { prerequisiteEnabled: true, prerequisiteIds: facts.map(({ databaseId }) => databaseId), prerequisiteCompare: compare }
  return { site: { missingPrerequisites: treatment }, course, prerequisites: facts }
}

const missing = (compare: 'ANY' | 'ALL', missingIds: readonly number[], completedIds: readonly number[] = []): Access =>
  locked({ kind: 'PrerequisitesMissing', compare, missingIds, completedIds })
const lacksPrerequisite = (fact: Parameters<typeof lack>[1]): Access => undecided(lack('PREREQUISITES', fact))

courseTable('prerequisites', [
  ['all completed: allowed', requiring('ALL', [done(2), done(3)]), available()],
  ['one of all missing: refused', requiring('ALL', [done(2), begun(3)]), missing('ALL', [3], [2])],
  [
    'ids are in the order of the course',
    { ...requiring('ALL', [begun(4), done(9), begun(2), done(3)]), prerequisites: [done(3), begun(2), done(9), begun(4)] },
    missing('ALL', [4, 2], [9, 3]),
  ],
  ['no row of progress: missing', requiring('ALL', [prerequisite(2, true, null)]), missing('ALL', [2])],
  ['a row that is not started: missing', requiring('ALL', [prerequisite(2, true, NOT_STARTED)]), missing('ALL', [2])],
  ['a row of unknown status: missing', requiring('ALL', [prerequisite(2, true, row({ status: null }))]), missing('ALL', [2])],
  ['unreadable progress: undecided', requiring('ALL', [done(2), secret(3)]), lacksPrerequisite('PROGRESS')],
  ['one missing of all refuses beside an undecided one', requiring('ALL', [secret(2), begun(3)]), missing('ALL', [3])],
  ['any: one completed allows', requiring('ANY', [begun(2), done(3)]), available()],
  ['any: one completed allows beside an undecided one', requiring('ANY', [secret(2), done(3)]), available()],
  ['any: none completed refuses', requiring('ANY', [begun(2), begun(3)]), missing('ANY', [2, 3])],
  ['any: an undecided one is undecided', requiring('ANY', [begun(2), secret(3)]), lacksPrerequisite('PROGRESS')],
  ['any: one begun refuses beside one that does not exist', requiring('ANY', [begun(2), gone(3)], 'unknown'), missing('ANY', [2])],
  ['any: one without a row refuses beside it', requiring(null, [gone(3), prerequisite(2, true, null)], 'unknown'), missing('ANY', [2])],
  ['any: one begun refuses beside one that is perhaps no course', requiring('ANY', [begun(2), closed(3, null)]), missing('ANY', [2])],
  [
    'any: one begun is undecided beside one that is perhaps no course, and perhaps completed',
    requiring('ANY', [begun(2), closed(3, UNREADABLE)], 'unknown'),
    lacksPrerequisite('PREREQUISITE'),
  ],
  ['any: one completed allows beside one that does not exist', requiring('ANY', [gone(2), done(3)], 'unknown'), available()],
  [
    'any: only courses that do not exist are undecided on an unknown site',
    requiring('ANY', [gone(2), gone(3)], 'unknown'),
    lacksPrerequisite('SITE_BEHAVIOR'),
  ],
  [
    'all: one begun refuses beside one that does not exist, on an unknown site',
    requiring('ALL', [begun(2), gone(3)], 'unknown'),
    missing('ALL', [2]),
  ],
  ['no comparison means any', requiring(null, [begun(2), done(3)]), available()],
  ['no comparison is told as any', requiring(null, [begun(2)]), missing('ANY', [2])],
  ['a course that does not exist is ignored', requiring('ALL', [gone(2), done(3)]), available()],
  ['a course that does not exist is left out of the reason', requiring('ALL', [gone(2), begun(3)]), missing('ALL', [3])],
  ['only courses that do not exist: all allow', requiring('ALL', [gone(2)]), available()],
  ['only courses that do not exist: any allows', requiring('ANY', [gone(2), gone(3)]), available()],
  ['any: an ignored course does not complete', requiring('ANY', [gone(2), begun(3)]), missing('ANY', [3])],
  ['a course that does not exist is required', requiring('ALL', [gone(2), done(3)], 'required'), missing('ALL', [2], [3])],
  [
    'a course that does not exist is required whatever its progress',
    requiring('ALL', [prerequisite(2, false, COMPLETED)], 'required'),
    missing('ALL', [2]),
  ],
  ['any: a required course that does not exist is outweighed', requiring('ANY', [gone(2), done(3)], 'required'), available()],
  [
    'a course that does not exist, on an unknown site: undecided',
    requiring('ALL', [gone(2), done(3)], 'unknown'),
    lacksPrerequisite('SITE_BEHAVIOR'),
  ],
  ['the first undecided one is told', requiring('ALL', [secret(3), gone(2)], 'unknown'), lacksPrerequisite('PROGRESS')],
  ['perhaps no course, completed: completed', requiring('ALL', [closed(2, COMPLETED)]), available()],
  ['perhaps no course, begun: undecided', requiring('ALL', [closed(2, row())]), lacksPrerequisite('PREREQUISITE')],
  [
    'perhaps no course, no row: undecided on an unknown site',
    requiring('ALL', [closed(2, null)], 'unknown'),
    lacksPrerequisite('PREREQUISITE'),
  ],
  ['perhaps no course, unreadable: undecided', requiring('ALL', [closed(2, UNREADABLE)]), lacksPrerequisite('PREREQUISITE')],
  ['perhaps no course, begun, required: missing', requiring('ALL', [closed(2, row())], 'required'), missing('ALL', [2])],
  [
    'perhaps no course, unreadable, required: undecided',
    requiring('ALL', [closed(2, UNREADABLE)], 'required'),
    lacksPrerequisite('PROGRESS'),
  ],
  ['an id without facts: undecided', { ...requiring('ALL', [done(2)]), prerequisites: [] }, lacksPrerequisite('PREREQUISITE')],
  ['a course that requires itself: judged as others', requiring('ALL', [begun(1)]), missing('ALL', [1])],
  ['not enabled: no rule', { ...requiring('ALL', [begun(2)]), course: { prerequisiteIds: [2], prerequisiteEnabled: null } }, available()],
  ['without ids: no rule', requiring('ALL', []), available()],
  ['not for visitors', { ...requiring('ALL', [begun(2)]), ...visitor }, locked(NotEnrolled, NOT_ENROLLED)],
  [
    'of somebody unknown: undecided',
    { ...requiring('ALL', [secret(2)]), ...nobody },
    undecided([lack('ENROLMENT', 'LEARNER'), lack('PREREQUISITES', 'LEARNER')], UNKNOWN),
  ],
  [
    'refuse those who are not enrolled too',
    { ...requiring('ALL', [begun(2)]), progress: null },
    { ...missing('ALL', [2]), ...NOT_ENROLLED, reasons: [NotEnrolled, ...missing('ALL', [2]).reasons] },
  ],
])
