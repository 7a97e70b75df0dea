import type { Cell } from '../store.js'
import { siteText } from '../time.js'
import { SAMPLES } from './ids.js'
import { DEMO_USERS } from './people.js'
import type { Random } from './random.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2024, 1, 5, 7)
const [, leader, learner] = DEMO_USERS

/** Number of courses in the progress of a user. */
function rowsOf(random: Random, user: number): number {
  if (user === SAMPLES.oneRowUser) return 1
  if (user === SAMPLES.manyRowsUser) return 108
  return random.int(4, 16)
}

/** One row, with this share of the steps completed. */
function row(random: Random, user: number, course: number, steps: readonly number[], share: number): Record<string, Cell> {
  const done = Math.max(share > 0 ? 1 : 0, Math.floor(share * steps.length))
  const started = START + random.int(0, 9000) * HOUR
  const complete = done === steps.length
  const isFormer = user === SAMPLES.former.user && course === SAMPLES.former.course
  return {
    user,
    course,
    status: done === 0 ? 'not_started' : complete ? 'completed' : 'in_progress',
    last_step: done === 0 ? 0 : steps[done - 1]!,
    steps_completed: done,
    steps_total: steps.length,
    date_started: done === 0 ? null : siteText(started),
    // Up to a month before the start, and the same at every start of the LMS.
    enrolled_at: isFormer ? null : (started - ((user + course) % 30) * DAY - HOUR) / 1000,
    date_completed: complete ? siteText(started + random.int(20, 2000) * HOUR) : null,
  }
}

/** 80 % have completed the course, 5 % have not begun it. */
function shareDone(random: Random): number {
  const kind = random.next()
  if (kind < 0.05) return 0
  return kind < 0.2 ? random.next() * 0.9 : 1
}

/** Progress of pupils, the demo leader and the demo learner. The newcomer has none. */
export function makeProgress(
  random: Random,
  pupils: readonly number[],
  published: readonly number[],
  steps: ReadonlyMap<number, readonly number[]>,
): Record<string, Cell>[] {
  const rows: Record<string, Cell>[] = []
  for (const user of [leader!.id, ...pupils]) {
    for (const course of random.some(published, rowsOf(random, user))) {
      rows.push(row(random, user, course, steps.get(course)!, shareDone(random)))
    }
  }
  random.some(published, 12).forEach((course, index) => {
    rows.push(row(random, learner!.id, course, steps.get(course)!, [0.4, 1, 0.7, 0][index % 4]!))
  })
  return rows
}
