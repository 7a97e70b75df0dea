import { SAMPLES } from '../../src/lms/index.js'
import { DAY, type World } from '../rules/worlds.js'

/** Settings of a course and of its first lessons; all others allow everything to those enrolled. */
export interface Plan {
  readonly what: string
  readonly course?: Partial<World['course']>
  readonly lessons?: readonly Partial<NonNullable<World['lesson']>>[]
  /** Points that completing the course awards. */
  readonly points?: number
  /** Days from now on which the course starts and ends, on sites that send them. */
  readonly starts?: number
  readonly ends?: number
  /** Places of the prerequisites among the plans, or `missing` for a course that does not exist. */
  readonly prerequisites?: readonly (number | 'missing')[]
}

const requires = (compare: 'ALL' | 'ANY', ...prerequisites: readonly (number | 'missing')[]) => ({
  prerequisites,
  course: { prerequisiteEnabled: true, prerequisiteCompare: compare },
})

/** A day such as `2026-11-20`, some days from now. */
const dayIn = (days: number): string => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

/** Courses that show each rule alone and some together. Two of the first ones are prerequisites of others. */
export const PLANS: readonly Plan[] = [
  { what: 'closed', points: 10 },
  { what: 'subscribe', course: { priceTypeSlug: 'subscribe', price: '9' } },
  { what: 'free', course: { priceTypeSlug: 'free' } },
  { what: 'sold', course: { priceTypeSlug: 'paynow', price: '20' } },
  { what: 'sold without a price', course: { priceTypeSlug: 'paynow', price: '' } },
  { what: 'sold for 0', course: { priceTypeSlug: 'paynow', price: '0' } },
  { what: 'open', course: { priceTypeSlug: 'open' } },
  { what: 'open without order', course: { priceTypeSlug: 'open', disableLessonProgression: true } },
  { what: 'closed without order', course: { disableLessonProgression: true } },
  { what: 'draft', course: { status: 'draft' } },
  { what: 'private', course: { status: 'private' } },
  { what: 'with a password', course: { contentProtected: true } },
  { what: 'starts', starts: 3 },
  { what: 'open, starts', starts: 5, course: { priceTypeSlug: 'open' } },
  { what: 'ended', ends: -2 },
  { what: 'started and not ended', starts: -9, ends: 9 },
  { what: 'all of two prerequisites', ...requires('ALL', 0, 1) },
  { what: 'any of two prerequisites', ...requires('ANY', 0, 1) },
  { what: 'a prerequisite that is missing', ...requires('ALL', 'missing') },
  { what: 'any prerequisite, one is missing', ...requires('ANY', 'missing', 0) },
  { what: 'requires itself', ...requires('ALL', 20) },
  { what: 'prerequisites that are switched off', prerequisites: [0, 1], course: { prerequisiteEnabled: false } },
  { what: 'open, with a prerequisite', prerequisites: [0], course: { ...requires('ALL', 0).course, priceTypeSlug: 'open' } },
  { what: 'points', course: { pointsEnabled: true, pointsAccess: 5 } },
  { what: 'points that nobody needs', course: { pointsEnabled: false, pointsAccess: 50 } },
  { what: 'expires after 30 days', course: { expireAccess: true, expireAccessDays: 30 } },
  { what: 'expires after 1,000 days', course: { expireAccess: true, expireAccessDays: 1000 } },
  { what: 'lessons after days', lessons: [{ visibleAfter: 3 }, { visibleAfter: 45 }], course: { disableLessonProgression: true } },
  { what: 'a lesson on a day to come', lessons: [{ visibleAfterSpecificDate: dayIn(6) }] },
  { what: 'a lesson on a day in the past', lessons: [{ visibleAfterSpecificDate: dayIn(-6) }] },
  { what: 'open, a lesson on a day to come', lessons: [{}, { visibleAfterSpecificDate: dayIn(2) }], course: { priceTypeSlug: 'open' } },
  { what: 'a sample', lessons: [{ isSample: true }, {}, { isSample: true }] },
  { what: 'a sample on a day to come', lessons: [{ isSample: true, visibleAfterSpecificDate: dayIn(4) }] },
  { what: 'lessons with a password', lessons: [{ contentProtected: true }, { contentProtected: true }] },
  { what: 'a draft of a lesson', lessons: [{}, {}, {}, { status: 'draft' }] },
  { what: 'free, a sample, not started', starts: 8, lessons: [{ isSample: true }], course: { priceTypeSlug: 'free' } },
  { what: 'subscribe, without order, ended', ends: -20, course: { priceTypeSlug: 'subscribe', disableLessonProgression: true } },
  {
    what: 'draft, sold, with a prerequisite',
    prerequisites: [1],
    course: { ...requires('ALL', 1).course, status: 'draft', priceTypeSlug: 'paynow', price: '5' },
  },
  { what: 'ended, expired, with a password', ends: -1, course: { contentProtected: true, expireAccess: true, expireAccessDays: 10 } },
  { what: 'closed, in its order' },
]

export const MISSING = SAMPLES.missingCourse

/** How far learners are. */
export const STATES = ['OUTSIDE', 'ENROLLED', 'BEGUN', 'AT_A_QUIZ', 'COMPLETED', 'ENROLLED_LONG_AGO'] as const
export type State = (typeof STATES)[number]

/** Days since the enrolment. */
export const ENROLLED_FOR: Readonly<Record<State, number | null>> = {
  OUTSIDE: null,
  ENROLLED: 20,
  BEGUN: 20,
  AT_A_QUIZ: 25,
  COMPLETED: 60,
  ENROLLED_LONG_AGO: 400,
}
