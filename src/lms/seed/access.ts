import type { Cell } from '../store.js'
import { FIRST_ID, MISSING_COURSE } from './ids.js'
import { FAR_FUTURE } from './posts.js'

type Cells = Readonly<Record<string, Cell>>

/** A hundred years, in days. */
const CENTURY = 36_500

const course = (number: number): number => FIRST_ID.course + number - 1

const requires = (prerequisite_compare: 'ANY' | 'ALL', ...ids: readonly number[]): Cells => ({
  prerequisite_enabled: 1,
  prerequisites: JSON.stringify(ids),
  prerequisite_compare,
})

/** No condition besides enrolment. */
const FREELY: Cells = { prerequisite_enabled: 0, prerequisites: '[]', points_access: null, expire_access: 0 }

const atOnce: Cells = { is_sample: 0, visible_type: '', visible_after: 0 }
const onDate = (day: string): Cells => ({
  is_sample: 0,
  visible_type: 'visible_after_specific_date',
  visible_after: 0,
  visible_after_specific_date: day,
})
const afterDays = (days: number): Cells => ({ is_sample: 0, visible_type: 'visible_after', visible_after: days })

/** Settings of courses that show the rules of access to the demo users, each with its reason. */
const COURSES: ReadonlyMap<number, Cells> = new Map<number, Cells>([
  // Open to everybody.
  [course(16), FREELY],
  // Free, sold, sold without a price, by subscription, closed. The demo learner is enrolled in none of them.
  [course(12), FREELY],
  [course(62), FREELY],
  [course(38), { ...FREELY, price: '' }],
  [course(82), { ...FREELY, seats_limit: 20 }],
  [course(104), { ...FREELY, seats_limit: 5 }],
  // The demo learner has progress in these. Course 9 is completed, courses 10 and 16 are not.
  [course(61), { ...FREELY, ...requires('ALL', course(9)) }],
  [course(21), { ...FREELY, ...requires('ALL', course(9), course(10)) }],
  [course(25), FREELY],
  [course(95), { ...FREELY, ...requires('ALL', course(9), course(72)), points_enabled: 1, points_access: 40 }],
  [course(23), { ...FREELY, ...requires('ANY', course(3), course(9)), expire_access: 1, expire_access_days: 175 }],
  [course(72), { ...FREELY, expire_access: 1, expire_access_days: CENTURY }],
  [course(41), { ...FREELY, start_date: FAR_FUTURE / 1000 }],
  [course(73), { ...FREELY, start_date: Date.UTC(2024, 0, 1) / 1000, end_date: Date.UTC(2025, 5, 30, 22) / 1000 }],
  [course(31), FREELY],
  // The only prerequisite does not exist.
  [course(105), { ...FREELY, ...requires('ANY', MISSING_COURSE) }],
])

/** Settings of the lessons of some courses, in the order of the course. */
const LESSONS: ReadonlyMap<number, readonly Cells[]> = new Map([
  // Completed by the demo learner.
  [course(72), [onDate('2024-12-09'), afterDays(14), afterDays(CENTURY), onDate('2099-01-05'), atOnce, atOnce, atOnce]],
  // Begun by the demo learner.
  [course(61), Array<Cells>(8).fill(atOnce)],
  // Sold. The first lesson is a sample.
  [course(62), [{ ...atOnce, is_sample: 1 }, ...Array<Cells>(6).fill(atOnce)]],
])

/** The settings of a course on which access to it depends, where they are not random. */
export const courseAccessSettings = (id: number): Cells => COURSES.get(id) ?? {}

/** The settings of a lesson on which access to it depends, where they are not random. */
export const lessonAccessSettings = (id: number, place: number): Cells => LESSONS.get(id)?.[place] ?? {}
