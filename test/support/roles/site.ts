import { SAMPLES } from '../../../src/lms/index.js'
import type { World } from '../world.js'

/** Records the cases are about; all of them are in the sample school. */
export const PUBLIC = { Group: SAMPLES.ledGroups[0], Course: 10_001, Lesson: 100_002, Quiz: 300_001 } as const
export type PostName = keyof typeof PUBLIC

export const TYPES = Object.keys(PUBLIC) as PostName[]

/** Root fields of one record and of a list, and paths of the interface. */
export const ONE = { Group: 'group', Course: 'course', Lesson: 'lesson', Quiz: 'quiz' } as const
export const MANY = { Group: 'groups', Course: 'courses', Lesson: 'lessons', Quiz: 'quizzes' } as const
export const PATHS = { Group: 'v1/groups', Course: 'v1/sfwd-courses', Lesson: 'v2/sfwd-lessons', Quiz: 'v1/sfwd-quiz' } as const

/** An id without a record. */
export const UNKNOWN = 999_999

/** Unpublished records; `hideRecords` hides those that are published in the school. */
export const HIDDEN = {
  Group: { draft: SAMPLES.draftGroup, private: 1_011, pending: 1_012, future: 1_013, trashed: 1_008 },
  Course: {
    draft: SAMPLES.draftCourse,
    private: SAMPLES.privateCourse,
    pending: SAMPLES.pendingCourse,
    future: SAMPLES.futureCourse,
    trashed: SAMPLES.trashedCourse,
  },
  Lesson: { draft: SAMPLES.draftLesson, private: 100_014, pending: 100_015, future: 100_016, trashed: 100_017 },
  Quiz: { draft: SAMPLES.draftQuiz, private: 300_007, pending: 300_008, future: 300_009, trashed: 300_010 },
} as const

/** Published records with references to unpublished ones. */
export const LEADING = {
  groupBelowDraft: 1_007,
  courseAfterNone: 10_021,
  /** Its prerequisites are a published course, a draft and one that does not exist. The group has it, the draft and a protected course. */
  courseAfterDraft: 10_020,
  /** Its own course is a draft. */
  lessonOfDraft: 100_021,
} as const

/** Users whose progress is read, by kind. */
export const PEOPLE = { learner: 3, newcomer: 4, leader: 2, 'pupil of a led group': 600_009, 'other pupil': SAMPLES.manyRowsUser } as const
export type Person = keyof typeof PEOPLE

/** Courses of users: an unchanged one, and one of the demo learner that became a draft. */
export interface Taken {
  readonly by: Readonly<Record<Person, number>>
  readonly draft: number
}

/** Hides the records that must be hidden, and adds references to them. */
export async function hideRecords(world: World): Promise<void> {
  for (const [type, { private: secret, pending, future, trashed }] of Object.entries(HIDDEN)) {
    if (type === 'Course') continue
    const path = PATHS[type as PostName]
    await world.ask(`${path}/${secret}`, 'POST', { status: 'private' })
    await world.ask(`${path}/${pending}`, 'POST', { status: 'pending' })
    await world.ask(`${path}/${future}`, 'POST', { status: 'future', date: '2099-09-01T08:00:00' })
    await world.ask(`${path}/${trashed}`, 'DELETE')
  }
  const { groupBelowDraft, courseAfterNone, courseAfterDraft, lessonOfDraft } = LEADING
  await world.ask(`${PATHS.Group}/${groupBelowDraft}`, 'POST', { parent: HIDDEN.Group.draft })
  await world.ask(`${PATHS.Lesson}/${lessonOfDraft}`, 'POST', { course: HIDDEN.Course.draft })
  await world.ask(`${PATHS.Course}/${courseAfterNone}`, 'POST', { course_prerequisite: [] })
  await world.ask(`${PATHS.Course}/${courseAfterDraft}`, 'POST', {
    course_prerequisite: [PUBLIC.Course, HIDDEN.Course.draft, SAMPLES.missingCourse],
  })
  await world.ask(`v2/groups/${PUBLIC.Group}/courses`, 'POST', {
    course_ids: [courseAfterDraft, HIDDEN.Course.draft, SAMPLES.protectedCourse],
  })
}

/** Finds courses of users, and makes one of them a draft. */
export async function coursesTaken(world: World): Promise<Taken> {
  const by: Partial<Record<Person, number>> = { newcomer: PUBLIC.Course }
  let draft = 0
  for (const [person, user] of Object.entries(PEOPLE)) {
    const rows = JSON.parse((await world.ask(`v2/users/${user}/course-progress`)).text) as { course: number }[]
    if (rows[0]) by[person as Person] = rows[0].course
    if (person === 'learner') draft = rows[1]?.course ?? 0
  }
  await world.ask(`${PATHS.Course}/${draft}`, 'POST', { status: 'draft' })
  return { by: by as Taken['by'], draft }
}
