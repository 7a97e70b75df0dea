import type { Store } from './store.js'

const OWN = 'course = ?1 AND (step = ?2 OR lesson = ?2)'
const LEAVE = `DELETE FROM course_steps WHERE ${OWN}`

/** A step goes to the end of its kind; one that is in the course already stays where it is. */
const JOIN = `
  INSERT OR IGNORE INTO course_steps (course, position, step, kind, lesson, topic)
  SELECT ?1, coalesce(max(position), 0) + 1, ?2, ?3, ?4, ?5 FROM course_steps WHERE course = ?1 AND kind = ?3`

/** Takes a lesson, with its topics and quizzes, from the steps of one course to the end of another's; 0 is no course. */
export function moveLesson(store: Store, lesson: number, from: number, to: number): void {
  if (from === to) return
  const below = store.rows(
    `SELECT step, kind, lesson, topic FROM course_steps WHERE ${OWN} AND lesson <> 0 ORDER BY position`,
    from,
    lesson,
  )
  store.run(LEAVE, from, lesson)
  if (to === 0) return
  for (const step of [[lesson, 'lesson', 0, 0], ...below]) store.run(JOIN, to, ...step)
}
