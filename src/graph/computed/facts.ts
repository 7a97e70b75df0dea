import type { ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import {
  type CourseFacts,
  type CourseQuestion,
  type Fact,
  type Learner,
  type LessonFacts,
  type ProgressFacts,
  UNREADABLE,
} from '../../rules/facts.js'
import { BadInputError, isRefusal, LmsError, NotAvailableError, NotFoundError } from '../../upstream/errors.js'
import type { courseColumns } from '../course/columns.js'
import type { courseProgressColumns } from '../course-progress/columns.js'
import { readId } from '../kit/ids.js'
import { MAX_ROWS } from '../kit/needed-edges.js'
import type { RecordOf } from '../kit/refs.js'
import type { lessonColumns } from '../lesson/columns.js'

/** Returns the user of the argument `user`, or by default the viewer. */
export function learnerOf(user: unknown, { isAnonymous, role, viewer }: Pick<ArgumentContext, 'isAnonymous' | 'role' | 'viewer'>): Learner {
  if (user !== null && user !== undefined) return readId('user', 'User', user)
  return isAnonymous || role === 'visitor' ? 'visitor' : viewer
}

/** Names of the columns of a course from which its rules are read. */
export const COURSE_COLUMNS = [
  'databaseId',
  'statusValue',
  'contentProtected',
  'priceTypeSlug',
  'price',
  'prerequisiteEnabled',
  'prerequisiteIds',
  'prerequisiteCompare',
  'pointsEnabled',
  'pointsAccess',
  'disableLessonProgression',
  'expireAccess',
  'expireAccessDays',
  'startDate',
  'endDate',
] as const

/** Names of the columns of a lesson from which its rules are read. */
export const LESSON_COLUMNS = [
  'databaseId',
  'statusValue',
  'contentProtected',
  'isSample',
  'visibleAfter',
  'visibleAfterSpecificDate',
  'visibleAfterSpecificTime',
] as const

/** Names of the columns of a progress from which rules are read. */
export const PROGRESS_COLUMNS = ['status', 'lastStepId', 'stepsCompleted', 'stepsTotal', 'dateStarted', 'enrolledAt'] as const

export type CourseRecord = Pick<RecordOf<typeof courseColumns>, (typeof COURSE_COLUMNS)[number]>
type LessonRecord = Pick<RecordOf<typeof lessonColumns>, (typeof LESSON_COLUMNS)[number]>
export type ProgressRecord = Pick<RecordOf<typeof courseProgressColumns>, (typeof PROGRESS_COLUMNS)[number]>

/** Returns the record as it is. Throws the first error of its columns. */
export function readable<R extends LmsRecord>(record: LmsRecord, columns: readonly string[]): R {
  for (const name of columns) if (record[name] instanceof LmsError) throw record[name]
  return record as R
}

export function courseFacts({ statusValue, prerequisiteIds, prerequisiteCompare, ...course }: CourseRecord): CourseFacts {
  return {
    ...course,
    databaseId: course.databaseId as number,
    status: statusValue,
    prerequisiteIds: prerequisiteIds ?? [],
    prerequisiteCompare: prerequisiteCompare === 'ALL' || prerequisiteCompare === 'ANY' ? prerequisiteCompare : null,
  }
}

export const lessonFacts = ({ statusValue, ...lesson }: LessonRecord): LessonFacts => ({
  ...lesson,
  databaseId: lesson.databaseId as number,
  status: statusValue,
})

const STATUSES: ReadonlySet<string | null> = new Set(['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED'])

export const progressStatus = (status: string | null): ProgressFacts['status'] =>
  STATUSES.has(status) ? (status as ProgressFacts['status']) : null

export const progressFacts = ({ status, ...progress }: ProgressRecord): ProgressFacts => ({ ...progress, status: progressStatus(status) })

type Found = Related[string]

/** Returns a needed record, or that the caller may not read it. Throws the error of one that could not be read for another reason. */
export function recordOf(found: Fact<NeededRecord | LmsError | undefined>): Fact<LmsRecord | null> {
  if (found === UNREADABLE) return UNREADABLE
  const record = found instanceof LmsError ? found : (found?.record ?? null)
  if (!(record instanceof LmsError)) return record
  if (isRefusal(record)) return UNREADABLE
  throw record
}

/** The same for several records: those of an edge, or the rows of a list, which a site may also call missing. */
export function recordsOf(found: Found): Fact<readonly NeededRecord[]> {
  if (found instanceof NotFoundError) return UNREADABLE
  if (Array.isArray(found)) return found
  return recordOf(found as NeededRecord | LmsError | undefined) === UNREADABLE ? UNREADABLE : []
}

/** The rows of a whole list. Throws the error of one that could not be read, or that is too long. */
export function rowsOf(found: Found): readonly LmsRecord[] {
  if (found instanceof LmsError) throw found
  const rows = (found ?? []) as readonly NeededRecord[]
  if (rows.length >= MAX_ROWS)
    throw new BadInputError(`The course has ${MAX_ROWS} or more steps of one type, which are too many to be shown.`)
  return rows.map(({ record }) => record as LmsRecord)
}

/** Maps the readable records of a list or an edge by id. */
export function recordsById(found: Found): ReadonlyMap<number, LmsRecord> {
  const records = recordsOf(found)
  const byId = new Map<number, LmsRecord>()
  if (records !== UNREADABLE)
    for (const { record } of records) if (record && !(record instanceof LmsError)) byId.set(record.databaseId as number, record)
  return byId
}

/** The ids of a list of lessons, or of steps. Unreadable also when the list was not read. */
export function idsOf(found: Found): Fact<readonly number[]> {
  const records = found === undefined ? UNREADABLE : recordsOf(found)
  if (records === UNREADABLE) return UNREADABLE
  return records.map(({ record }) => ((record as LmsRecord).stepId ?? (record as LmsRecord).databaseId) as number)
}

/** The ids of the completed steps in a list of steps. Null when the list was not read. */
export function completedIn(steps: Found): Fact<readonly number[]> | null {
  if (steps === undefined) return null
  const records = recordsOf(steps)
  if (records === UNREADABLE) return UNREADABLE
  return records.flatMap(({ record }) => {
    const { stepId, status } = record as LmsRecord
    return typeof stepId === 'number' && status === 'COMPLETED' ? [stepId] : []
  })
}

/** The records that edges lead to from a needed record. */
export const relatedOf = (found: Found): Related => (found !== undefined && 'related' in found ? found.related : {})

/** Returns the enrolment of the learner in a needed record. Unreadable also when the site turned out not to list enrolments. */
export function enrolmentOf(found: Found): CourseQuestion['enrolment'] {
  const given = found as NeededRecord | undefined
  const record = given?.record instanceof NotAvailableError ? UNREADABLE : recordOf(given)
  return record === null || record === UNREADABLE ? record : readable<Pick<ProgressFacts, 'enrolledAt'> & LmsRecord>(record, ['enrolledAt'])
}

/** Returns the progress of the learner in a needed record. */
export function progressOf(found: Fact<Found>): Fact<ProgressFacts | null> {
  const record = recordOf(found as Fact<NeededRecord | LmsError | undefined>)
  return record === null || record === UNREADABLE ? record : progressFacts(readable<ProgressRecord & LmsRecord>(record, PROGRESS_COLUMNS))
}
