import { readFileSync } from 'node:fs'
import { ADMIN } from './lms.mjs'

/** Published records of the sample school: the first id, and how many follow each other. */
const SCHOOL = {
  course: { first: 10_001, count: 120 },
  group: { first: 1_001, count: 15 },
  pupil: { first: 600_001, count: 180 },
  question: { first: 500_001, count: 900 },
}

/** An id for each operation; `stride` and the count have no common divisor, so that all come up. */
const idOf =
  ({ first, count }, stride) =>
  (i) =>
    first + ((i * stride) % count)

/** An offset for each operation, with `size` rows behind it. */
const offsetFor =
  ({ count }, size, stride) =>
  (i) => ({ offset: (i * stride) % (count - size + 1) })

const QUESTIONS = 25
const questionId = idOf(SCHOOL.question, 37)
const courseId = idOf(SCHOOL.course, 37)
const pupilId = idOf(SCHOOL.pupil, 77)

const ROWS = [
  { name: 'Q1', what: 'a course by id', variables: (i) => ({ id: courseId(i) }) },
  { name: 'Q2', what: '100 courses', variables: offsetFor(SCHOOL.course, 100, 5) },
  { name: 'Q3', what: '100 courses, prerequisites', variables: offsetFor(SCHOOL.course, 100, 5) },
  { name: 'Q4', what: '10 groups, courses, prerequisites and price types', variables: offsetFor(SCHOOL.group, 10, 1) },
  { name: 'Q5', what: 'progress of a user, courses, lessons', variables: (i) => ({ id: pupilId(i) }), authorization: () => ADMIN },
  { name: 'Q6', what: '50 courses, lessons and quizzes', variables: offsetFor(SCHOOL.course, 50, 7) },
  { name: 'Q7', what: `${QUESTIONS} questions by id, quizzes`, variables: questionIds, authorization: () => ADMIN },
]

function questionIds(i) {
  return Object.fromEntries(Array.from({ length: QUESTIONS }, (_, k) => [`i${k + 1}`, questionId(i * QUESTIONS + k)]))
}

/** The jobs by name: what they are, and `body(i)` and `authorization(i)`, the request of operation `i` and who asks for it. */
export const JOBS = Object.fromEntries(
  ROWS.map(({ variables, ...job }) => {
    const query = readFileSync(new URL(`queries/${job.name}.graphql`, import.meta.url), 'utf8')
    const body = (i) => JSON.stringify({ query, operationName: job.name, variables: variables(i) })
    return [job.name, { ...job, body }]
  }),
)
