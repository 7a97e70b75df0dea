/** A difference of LearnDash sites that tests find. */
export interface Otherwise {
  /** What differs: REST calls, responses, or rights. */
  readonly what: 'calls' | 'answers' | 'rights'
  /** Why it differs. Traps are those of `test/operations/traps.test.ts`. */
  readonly because: string
  /** The expectation for LearnDash sites, or a function from the expectation by the specification. */
  readonly is: any
}

const otherwise =
  (what: Otherwise['what']) =>
  (because: string, is: unknown): Otherwise => ({ what, because, is })
const calls = otherwise('calls')
const answers = otherwise('answers')
const rights = otherwise('rights')

/** Numbers of calls by route, with some changed. */
const also = (others: object) => (counts: object) => ({ ...counts, ...others })
const without = (left: string) => (all: readonly string[]) => all.filter((call) => call !== left)

const TRAP_9 = 'trap 9: the list of price types breaks when fields are chosen'
const TRAP_12 = "trap 12: a group's courses carry base columns only, so the rest is read in batches of courses"
const TRAP_14 = "trap 14: the id of a question's quiz is the quiz engine's, which no route takes"
const TRAP_15 = 'trap 15: where steps are shared a lesson says no course, and takes none'
const RELEASE_DATES = 'release dates in bodies are ignored'
const BY_WORD = 'an exact search compares each word with the whole field'
const ADMIN_ONLY = 'only administrators read courses, quizzes and the courses of groups'
const BY_GROUP = 'progress lists courses of groups too'
const NO_PARENTS = 'groups have no parents unless the site is set so'

/**
 * Expectations of tests for LearnDash sites, by file below `test` and by the name in the test. A row without effect fails its test, and
 * an unused row fails `suites.test.ts`.
 */
export const OTHERWISE: Readonly<Record<string, Readonly<Record<string, Otherwise>>>> = {
  'contract/bodies': {
    'whether a release date is taken': answers(RELEASE_DATES, false),
  },
  'contract/parameters': {
    'parameters of groups': answers(BY_WORD, { search_semantics: 'finds nothing' }),
    'parameters of sfwd-courses': answers(BY_WORD, { search_semantics: 'finds nothing' }),
    'parameters of sfwd-quiz': answers(`${BY_WORD}; trap 1: ids without a course are dropped`, {
      search_semantics: 'finds nothing',
      include: 'refused',
    }),
    'parameters of groups/<id>/courses': calls('trap 3: ids are ignored; drafts are never listed', {
      include: 'filtered here',
      exclude: 'filtered here',
      status: 'refused',
    }),
    'context of users/<id>/course-progress without a field filter': calls('progress takes no context but view', ['view']),
  },
  'operations/access': {
    'whether others read courses': rights(ADMIN_ONLY, false),
    'courses in the progress of the learner': answers(BY_GROUP, 33),
    'who reads the lessons of a course': rights('only its learners read the lessons of a course', 'learner'),
  },
  'operations/bad-mutations': {
    'a release date': answers(RELEASE_DATES, { visibleAfterSpecificDate: null, visibleType: null }),
  },
  'operations/counting': {
    "whether a group's courses are complete": calls(TRAP_12, false),
    'the call for all price types': calls(TRAP_9, ['/lms/v2/price-types?context=view']),
  },
  'operations/mutations': {
    'the course of a new lesson': answers(TRAP_15, null),
    'lessons more in the course': answers(TRAP_15, 0),
    'calls of all of them': calls(TRAP_15, without('GET v1/sfwd-courses/10010')),
  },
  'operations/operations': {
    'calls for groups and their courses': calls(TRAP_12, also({ '/v1/sfwd-courses': 2 })),
    'whether learners read courses': rights(ADMIN_ONLY, true),
    'courses in the progress of the learner': answers(BY_GROUP, 33),
    'calls for the dashboard, first': calls(`${ADMIN_ONLY}; ${BY_GROUP}`, also({ '/v1/sfwd-courses/#': 20, '/v2/sfwd-lessons': 20 })),
    'calls for the dashboard, then': calls(`${ADMIN_ONLY}; ${BY_GROUP}`, {
      '/v2/users/#/course-progress': 1,
      '/v1/sfwd-courses/#': 20,
      '/v2/sfwd-lessons': 20,
    }),
    "who asks for the leader's overview": rights(ADMIN_ONLY, 'admin'),
    "calls for the leader's overview": calls(NO_PARENTS, also({ '/v1/groups/#': 1 })),
    'the quiz of a question': answers(TRAP_14, null),
    'calls for questions': calls(TRAP_14, { '/v1/sfwd-questions/#': 3 }),
  },
  'operations/roles': {
    'what nobody gets': answers(`traps 14 and 15; ${NO_PARENTS}; courses and lessons have no categories and tags of WordPress`, [
      ...['Course.categories', 'Course.tags', 'Group.parent', 'GroupCourse.categories', 'GroupCourse.tags'],
      ...['Lesson.categories', 'Lesson.course', 'Lesson.tags', 'Question.quiz', 'Topic.course', 'Topic.lesson'],
    ]),
    'what is forbidden to administrators': rights('an unknown question is forbidden to everybody', [
      'Query.question, unknown, as admin: FORBIDDEN',
    ]),
    'what is other than administrators get': rights('everybody is the viewer, and leaders see their own groups and the progress in them', [
      'Query.groups, how many, as leader: other data',
      'Query.viewer, with own credentials, as subscriber: other data',
      'Query.viewer, with own credentials, as enrolled: other data',
      'Query.viewer, with own credentials, as leader: other data',
      'User.courseProgress, of the pupil of a led group, as leader: other data',
    ]),
    'who learns that there is no such record': rights('who may not read a kind of record is not told of its records', {
      Group: ['leader', 'admin'],
      Course: ['admin'],
      Lesson: ['admin'],
      Quiz: ['admin'],
      Question: [],
    }),
  },
}
