import type { Hono } from 'hono'
import { parameters } from '../params.js'
import { checkExists } from '../rights.js'
import { IN_ORDER, TYPE } from '../spec/progress-step.js'
import { type Lms, send, type Variables } from './answer.js'

/** A step with the id of the step directly above it; 0 is the course. */
type Step = readonly [id: number, type: string, above: number]

const STEPS = `SELECT t.step, ${TYPE}, coalesce(nullif(t.topic, 0), t.lesson) FROM (${IN_ORDER}) t ORDER BY t.place`

const TYPES = ['sfwd-lessons', 'sfwd-topic', 'sfwd-quiz']

/** The JSON text of an object whose members keep their order, which objects do not when keys are ids. PHP writes an empty one as `[]`. */
const ordered = (members: readonly (readonly [key: string | number, json: string])[]): string =>
  members.length ? `{${members.map(([key, json]) => `"${key}":${json}`).join()}}` : '[]'

const nameOf = ([id, type]: Step): string => `${type}:${id}`

const below = (steps: readonly Step[], id: number, type?: string): readonly Step[] =>
  steps.filter((step) => step[2] === id && (type === undefined || step[1] === type))

/** The types below a course are lessons and quizzes, those below a lesson topics and quizzes, and those below a topic quizzes. */
function tree(steps: readonly Step[], id = 0, types = [TYPES[0]!, TYPES[2]!]): string {
  const next = (type: string): string[] => (type === TYPES[2] ? [] : TYPES.slice(TYPES.indexOf(type) + 1))
  return ordered(types.map((type) => [type, ordered(below(steps, id, type).map(([step]) => [step, tree(steps, step, next(type))]))]))
}

/** Names of steps, each after those below it. */
const byCompletion = (steps: readonly Step[], id = 0): string[] =>
  below(steps, id).flatMap((step) => [...byCompletion(steps, step[0]), nameOf(step)])

/** The names of the steps above a step, from the nearest. */
const namesAbove = (steps: readonly Step[], above: number): string[] =>
  steps.filter(([id]) => id === above).flatMap((step) => [nameOf(step), ...namesAbove(steps, step[2])])

/** Every third course has these headings: before its second, fifth and eighth lesson. The first lesson is in no section, and a section can be empty. */
const HEADINGS = ['Getting Started', 'Practice & Review', 'What Comes Next']

/** The sections of a course. `order` counts lessons and headings from 0. */
const sectionsOf = (course: number, lessons: readonly number[]): object[] =>
  (course % 3 === 1 && lessons.length ? HEADINGS : []).map((post_title, index) => {
    const [first, end] = [1 + 3 * index, index === HEADINGS.length - 1 ? undefined : 4 + 3 * index]
    const order = Math.min(first, lessons.length) + index
    return { order, ID: 1_700_000_000 + course * 10 + index, post_title, type: 'section-heading', steps: lessons.slice(first, end) }
  })

/** The representations of the steps of a course, as JSON texts [5]. */
function representations(course: number, steps: readonly Step[]): Readonly<Record<string, string>> {
  const idsOf = (some: readonly Step[], type: string): number[] => some.filter((step) => step[1] === type).map(([id]) => id)
  const zeros = (ids: readonly number[]): string => ordered(ids.map((id) => [id, '0']))
  const lessons = idsOf(steps, TYPES[0]!)
  const topics = lessons.map((id) => [id, zeros(idsOf(below(steps, id), TYPES[1]!))] as const)
  return {
    h: tree(steps),
    t: ordered(TYPES.map((type) => [type, JSON.stringify(idsOf(steps, type))])),
    r: ordered(steps.map((step) => [nameOf(step), JSON.stringify(namesAbove(steps, step[2]))])),
    l: JSON.stringify(steps.map(nameOf)),
    co: JSON.stringify(byCompletion(steps)),
    legacy: lessons.length ? `{"lessons":${zeros(lessons)},"topics":${ordered(topics)},"total":${steps.length}}` : '[]',
    sections: JSON.stringify(sectionsOf(course, lessons)),
  }
}

/** Adds the route that reads the tree of the steps of a course. Version 5 refuses it to learners, even when they are enrolled. */
export function addCourseStepRoutes(app: Hono<{ Variables: Variables }>, { store, rights, resources }: Lms): void {
  const { course, stepTree } = resources
  const read = parameters(stepTree.listParameters)
  app.get(stepTree.route.replace('<id>', ':id{[0-9]+}'), (call) => {
    const { type = 'all' } = read(call.get('query'))
    const id = Number(call.req.param('id'))
    rights.checkAdministrator(call.get('viewer'))
    checkExists(store, course, id)
    // The cast: the columns of the query.
    const all = representations(id, store.rows(STEPS, null, id) as unknown as Step[])
    return send(call, type === 'all' ? ordered(Object.entries(all)) : all[type]!)
  })
}
