import { lessonAccessSettings } from './access.js'
import { Prose } from './content.js'
import type { CourseSeed } from './courses.js'
import { FIRST_ID, passwordAt, SAMPLES } from './ids.js'
import { PostMaker, type PostRow, type Terms } from './posts.js'
import type { Random } from './random.js'

const LONG_COURSE_SIZE = 110

/** Number of lessons in a course: seven or eight, except for the long course. */
const lessonsIn = (course: number): number => (course === SAMPLES.longCourse ? LONG_COURSE_SIZE : 7 + (course % 2))

const FORMS = ['Introduction to %t', '%t: Key Ideas', "%t in Today's World", 'Practising %t', '%t - A Closer Look', '"%t" Revisited']

function titleOf(topics: readonly string[], place: number): string {
  const round = Math.floor(place / topics.length)
  const form = FORMS[(place + round) % FORMS.length]!
  return `Lesson ${place + 1}: ${form.replace('%t', topics[place % topics.length]!)}`
}

function video(random: Random, id: number): Record<string, string | number | boolean> {
  return {
    video_enabled: random.chance(0.6),
    video_url: `https://media.riverside.example/lessons/${id}.mp4`,
    video_shown: random.pick(['BEFORE', 'AFTER']),
    video_auto_complete: random.chance(0.5),
    video_auto_complete_delay: random.int(0, 12),
    video_show_complete_button: random.chance(0.5),
    video_auto_start: random.chance(0.3),
    video_show_controls: random.chance(0.7),
    video_focus_pause: random.chance(0.4),
    video_resume: random.chance(0.6),
  }
}

function assignment(random: Random): Record<string, string | number | boolean> {
  return {
    assignment_upload_enabled: random.chance(0.4),
    assignment_upload_limit_extensions: random.pick(['pdf,docx', 'pdf', 'jpg,png', 'zip,py']),
    assignment_upload_limit_size: `${random.pick([1, 2, 8, 16, 32])}M`,
    assignment_upload_limit_count: random.int(1, 4),
    assignment_points_enabled: random.chance(0.5),
    assignment_points_amount: random.int(1, 20),
    assignment_auto_approve: random.chance(0.4),
    assignment_deletion_enabled: random.chance(0.4),
  }
}

function schedule(random: Random): Record<string, string | number | boolean> {
  const date = `2024-${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`
  const timer = { forced_timer_enabled: random.chance(0.3), forced_timer_amount: random.int(1, 20) * 30 }
  const is_sample = random.chance(0.15)
  const visible_type = random.pick(['', 'visible_after', 'visible_after_specific_date', 'visible_after_specific_date'])
  const days = random.int(1, 30)
  return {
    ...timer,
    is_sample,
    visible_type,
    visible_after: visible_type === 'visible_after' ? days : 0,
    visible_after_specific_date: random.chance(0.9) ? date : '',
  }
}

const STATUSES: Readonly<Record<number, string>> = { [SAMPLES.draftLesson]: 'draft' }

/** The lessons of each course, in the order of the course. */
export function makeLessons(random: Random, courses: readonly CourseSeed[], terms: Terms): Map<CourseSeed, PostRow[]> {
  const maker = new PostMaker(random, courses.length * 8)
  let made = 0
  const make = (course: CourseSeed, place: number): PostRow => {
    const id = FIRST_ID.lesson + made++
    const prose = new Prose(random, course.subject)
    const topic = course.subject.topics[place % course.subject.topics.length]!
    terms.give(id, course.subject.area, 'lesson')
    const base = maker.make({
      id,
      place: made,
      title: titleOf(course.subject.topics, place),
      content: prose.body(topic),
      excerpt: prose.excerpt(topic),
      author: course.author,
      status: STATUSES[id] ?? 'publish',
      password: passwordAt('lesson', id - FIRST_ID.lesson),
      meta: { minutes: random.int(10, 90), format: random.pick(['film', 'text', 'exercise']) },
    })
    return {
      ...base,
      menu_order: place + 1,
      materials_enabled: random.chance(0.6),
      materials: prose.materials(topic),
      ...video(random, id),
      ...assignment(random),
      ...schedule(random),
      ...lessonAccessSettings(course.id, place),
      course: id === SAMPLES.sharedLesson ? 0 : course.id,
    }
  }
  return new Map(courses.map((course) => [course, Array.from({ length: lessonsIn(course.id) }, (_, place) => make(course, place))]))
}
