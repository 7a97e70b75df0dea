import { makeCourses } from './seed/courses.js'
import { PRICES } from './seed/curriculum.js'
import { makeGroups } from './seed/groups.js'
import { makeLessons } from './seed/lessons.js'
import { makePeople, scaleOfPeople } from './seed/people.js'
import { Terms } from './seed/posts.js'
import { makeProgress } from './seed/progress.js'
import { QuestionMaker } from './seed/questions.js'
import { QuizMaker } from './seed/quizzes.js'
import { Random } from './seed/random.js'
import { StepMaker } from './seed/steps.js'
import type { Store } from './store.js'

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
  terms.save(store)
}

/** The scale of existing data, from its number of users, which the interface cannot change; undefined when no scale fits. */
export const scaleOf = (store: Store): number | undefined => scaleOfPeople(Number(store.row('SELECT count(*) FROM users')![0]))

const uniqueBy = <T extends object>(rows: readonly T[]): T[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
