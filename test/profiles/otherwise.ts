/** One thing that tests find otherwise in front of sites of the plugin. */
export interface Otherwise {
  /** What is otherwise: the REST calls, or the answer. */
  readonly kind: 'calls' | 'answer' | 'rights'
  /** Why it can't be as specified. */
  readonly because: string
  /** What is expected in place of what the specification says, or how it is made of that. */
  readonly is: any
}


const TRAP_9 = 'trap 9: the list of price types breaks when fields are chosen'
const TRAP_12 = "trap 12: a group's courses carry base columns only, so the rest is one batch of courses more"
const TRAP_14 = "trap 14: the id of a question's quiz is the quiz engine's, which no route takes"
const TRAP_15 = 'trap 15: where steps are shared a lesson says no course, and takes none'
const RELEASE_DATES = 'release dates in bodies are ignored (section 1.4)'
const BY_WORD = 'an exact search compares each word with the whole field (section 3.2)'
const RIGHTS = 'only administrators read courses and the courses of groups (section 4)'

const without = (...calls: string[]) => (all: readonly string[]) => all.filter((call) => !calls.includes(call))

export const OTHERWISE: Readonly<Record<string, Readonly<Record<string, Otherwise>>>> = {
  'graph/mutations': {
    'the course of a new lesson': { kind: 'answer', because: TRAP_15, is: null },
    'lessons more in the course': { kind: 'answer', because: TRAP_15, is: 0 },
    'calls of all of them': { kind: 'calls', because: TRAP_15, is: without('GET v1/sfwd-courses/10010') },
  },
  'contract/bodies': {
    'whether a release date is taken': { kind: 'answer', because: RELEASE_DATES, is: false },
  },
  'contract/parameters': {
    'parameters of groups': { kind: 'answer', because: BY_WORD, is: { search_semantics: 'finds nothing' } },
    'parameters of sfwd-courses': { kind: 'answer', because: BY_WORD, is: { search_semantics: 'finds nothing' } },
    'parameters of sfwd-quiz': { kind: 'answer', because: `${BY_WORD}; trap 1: `, is: { search_semantics: 'finds nothing', include: 'refused' } },
    'parameters of groups/<id>/courses': { kind: 'calls', because: `${BY_WORD}; trap 3`, is: { include: 'filtered here', exclude: 'filtered here', status: 'refused' } },
    'context of users/<id>/course-progress without a field filter': { kind: 'calls', because: 'progress takes no context but view (section 1.1)', is: ['view'] },
  },
  'graph/access': {
    'whether others read courses': { kind: 'rights', because: RIGHTS, is: false },
    'who reads the lessons of a course': { kind: 'rights', because: 'only learners of a course read its lessons (section 4)', is: 'learner' },
  },
  'graph/bad-mutations': {
    'a release date': { kind: 'answer', because: RELEASE_DATES, is: { visibleAfterSpecificDate: null, visibleType: null } },
  },
  'graph/counting': {
    "whether a group's courses are complete": { kind: 'calls', because: TRAP_12, is: false },
    'the call for all price types': { kind: 'calls', because: TRAP_9, is: ['/lms/v2/price-types?context=view'] },
  },
  'graph/roles': {
    'what nobody gets': { kind: 'answer', because: 'traps 12, 14 and 15; groups have no parents unless the site is set so', is: ['Group.parent', 'GroupCourse.prerequisites', 'GroupCourse.priceType', 'Lesson.course', 'Question.quiz'] },
    'what is forbidden to administrators': { kind: 'rights', because: 'an unknown question is forbidden to everybody (section 3.3)', is: ['Query.question, unknown, as admin: FORBIDDEN'] },
    'what is other than administrators get': { kind: 'rights', because: 'leaders see their own groups, and progress in them (section 4)', is: ['Query.groups, how many, as leader: other data', 'User.courseProgress, of the learner, as leader: other data', 'User.courseProgress, of the pupil of a led group, as leader: other data'] },
    'who learns that there is no such record': { kind: 'rights', because: 'rights come before records: who may not read courses is not told of them (section 4)', is: { Group: ['leader', 'admin'], Course: ['admin'], Lesson: ['admin'], Quiz: ['admin'], Question: [] } },
  },
  'graph/operations': {
    'calls for groups and their courses': { kind: 'calls', because: TRAP_12, is: (calls: object) => ({ ...calls, '/v1/sfwd-courses': 2 }) },
    'who asks for the dashboard': { kind: 'rights', because: RIGHTS, is: 'admin' },
    'calls for the dashboard, once': { kind: 'calls', because: 'an administrator is not refused what is not published', is: (calls: object) => ({ ...calls, '/v1/sfwd-courses': 1 }) },
    "who asks for the leader's overview": { kind: 'rights', because: RIGHTS, is: 'admin' },
    "calls for the leader's overview": { kind: 'calls', because: 'groups have no parents unless the site is set so', is: (calls: object) => ({ ...calls, '/v1/groups/#': 1 }) },
    'the quiz of a question': { kind: 'answer', because: TRAP_14, is: null },
    'calls for questions': { kind: 'calls', because: TRAP_14, is: { '/v1/sfwd-questions/#': 3 } },
  },
}
