/** First ids of each kind of record, far enough apart that an id shows its kind. */
export const FIRST_ID = {
  user: 1,
  pupil: 600_001,
  group: 1_001,
  course: 10_001,
  lesson: 100_001,
  quiz: 300_001,
  topic: 400_001,
  question: 500_001,
  term: 700_001,
  media: 800_001,
  certificate: 850_001,
  internalQuestion: 900_001,
} as const

/** An id that no record has: a prerequisite of `SAMPLES.dangling`. */
export const MISSING_COURSE = 99_999

/** Pictures at every scale. */
export const PICTURES = 401

/** Courses of each copy of the school. The last six are not published. */
export const COURSES_PER_SCHOOL = 126
const PUBLISHED = 120

/** One record of this many has a password. */
const PROTECTED_EVERY = 12

const protectedAt = { group: 1, course: 6, lesson: 7, quiz: 2 } as const

const course = (place: number): number => FIRST_ID.course + place

/** Ids of records for special cases. They are the same at every scale. */
export const SAMPLES = {
  /** Two courses that are prerequisites of each other. */
  cycle: [course(1), course(2)],
  /** A course whose prerequisite does not exist. */
  dangling: course(3),
  missingCourse: MISSING_COURSE,
  /** The first record of each kind with a password. All passwords are the same. */
  protectedGroup: FIRST_ID.group + protectedAt.group,
  protectedCourse: FIRST_ID.course + protectedAt.course,
  protectedLesson: FIRST_ID.lesson + protectedAt.lesson,
  protectedQuiz: FIRST_ID.quiz + protectedAt.quiz,
  password: 'open sesame',
  /** A course with over 100 lessons. */
  longCourse: course(8),
  /** A lesson of two courses. Its `course` is 0. */
  sharedLesson: FIRST_ID.lesson + 9,
  sharedCourses: [course(1), course(9)],
  draftCourse: course(PUBLISHED),
  privateCourse: course(PUBLISHED + 1),
  futureCourse: course(PUBLISHED + 2),
  pendingCourse: course(PUBLISHED + 3),
  trashedCourse: course(PUBLISHED + 4),
  /** A draft that never had a date. */
  undatedCourse: course(PUBLISHED + 5),
  draftLesson: FIRST_ID.lesson + 12,
  draftQuiz: FIRST_ID.quiz + 5,
  draftGroup: FIRST_ID.group + 15,
  /** A group with over 100 courses, and one without courses. */
  largeGroup: FIRST_ID.group,
  emptyGroup: FIRST_ID.group + 14,
  /** Groups of the demo leader. The demo learner is in the first. */
  ledGroups: [FIRST_ID.group + 8, FIRST_ID.group + 9],
  /** Pupils with one and with over 100 rows of progress. */
  oneRowUser: FIRST_ID.pupil,
  manyRowsUser: FIRST_ID.pupil + 1,
  /** A pupil who was removed from a course after beginning it. */
  former: { user: FIRST_ID.pupil + 2, course: course(89) },
} as const

/** The password of a record, by its index among its kind. Most records have none. */
export const passwordAt = (kind: keyof typeof protectedAt, place: number): string =>
  place % PROTECTED_EVERY === protectedAt[kind] ? SAMPLES.password : ''
