import { type CourseSeed, makeCourses } from './seed/courses.js'
import { PRICES } from './seed/curriculum.js'
import { makeGroups } from './seed/groups.js'
import { makeLessons } from './seed/lessons.js'
import { type Illustrated, makeMedia } from './seed/media.js'
import { makePeople, scaleOfPeople, type UserRow } from './seed/people.js'
import { Terms } from './seed/posts.js'
import { makeProgress } from './seed/progress.js'
import { QuestionMaker } from './seed/questions.js'
import { QuizMaker } from './seed/quizzes.js'
import { Random } from './seed/random.js'
import { StepMaker } from './seed/steps.js'
import type { Store } from './store.js'
import { inWords } from './text.js'

export { SAMPLES } from './seed/ids.js'
export { DEMO_USERS, type DemoUser } from './seed/people.js'

const START = 20_240_601

/** Fills an empty store with the sample school. The same scale always gives the same records. */
export function seedSchool(store: Store, scale: number): void {
  const random = new Random(START)
  const people = makePeople(scale)
  const terms = new Terms(random)
  const courses = makeCourses(random, scale, people.teachers, terms)
  const lessons = makeLessons(random, courses, terms)
  const questions = new QuestionMaker(random)
  const steps = new StepMaker(new QuizMaker(random, courses.length), questions)
  for (const [course, own] of lessons) steps.addCourse(course, own)
  const groups = makeGroups(random, scale, courses, people, terms)
  const published = courses.filter((course) => course.published).map(({ id }) => id)

  describeAuthors(people.users, courses)
  store.insert('users', people.users)
  store.insert(
    'price_types',
    PRICES.map(([slug, name, description], position) => ({ slug, name, description, position })),
  )
  store.insert(
    'courses',
    courses.map(({ row }) => row),
  )
  store.insert('lessons', [...lessons.values()].flat())
  store.insert('quizzes', steps.quizzes)
  store.insert('questions', questions.rows)
  store.insert('course_steps', steps.rows)
  store.insert('groups', groups.groups)
  store.insert('group_courses', groups.courses)
  store.insert('group_users', groups.users)
  store.insert('group_leaders', uniqueBy(groups.leaders))
  store.insert('progress', makeProgress(random, people.pupils, published, steps.ofCourse))
  const records: Illustrated[] = [
    ...courses.map((course) => [course.row, course.subject] as const),
    ...groups.groups.map((group) => [group, undefined] as const),
    ...[...lessons].flatMap(([{ subject }, own]) => own.map((lesson) => [lesson, subject] as const)),
    ...steps.quizzes.map((quiz) => [quiz, undefined] as const),
  ]
  store.insert('media', makeMedia(records))
  terms.save(store)
}

/** Teachers say what they teach. */
function describeAuthors(users: readonly UserRow[], courses: readonly CourseSeed[]): void {
  for (const user of users) {
    const subjects = [...new Set(courses.filter(({ author }) => author === user.id).map(({ subject }) => subject.name))]
    if (subjects.length) user.description = `${user.name} teaches ${inWords(subjects.slice(0, 3))} at Riverside School.`
  }
}

/** The scale of existing data, from its number of users, which the interface cannot change; undefined when no scale fits. */
export const scaleOf = (store: Store): number | undefined => scaleOfPeople(Number(store.row('SELECT count(*) FROM users')![0]))

const uniqueBy = <T extends object>(rows: readonly T[]): T[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
