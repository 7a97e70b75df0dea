import { courseAccessSettings } from './access.js'
import { Prose } from './content.js'
import { LEVELS, PRICES, SUBJECTS, type Subject } from './curriculum.js'
import { COURSES_PER_SCHOOL, FIRST_ID, MISSING_COURSE, passwordAt, SAMPLES } from './ids.js'
import { PostMaker, type PostRow, type Terms } from './posts.js'
import type { Random } from './random.js'

/** A course, with data for its steps. */
export interface CourseSeed {
  readonly id: number
  readonly subject: Subject
  readonly published: boolean
  readonly author: number
  readonly row: PostRow
}

/** Statuses of unpublished courses, by id. */
const STATUSES: Readonly<Record<number, string>> = {
  [SAMPLES.draftCourse]: 'draft',
  [SAMPLES.privateCourse]: 'private',
  [SAMPLES.futureCourse]: 'future',
  [SAMPLES.pendingCourse]: 'pending',
  [SAMPLES.trashedCourse]: 'trash',
  [SAMPLES.undatedCourse]: 'draft',
}

/** Prerequisites that form a cycle, or name a course that does not exist. */
const PREREQUISITES: Readonly<Record<number, readonly number[]>> = {
  [SAMPLES.cycle[0]]: [SAMPLES.cycle[1]],
  [SAMPLES.cycle[1]]: [SAMPLES.cycle[0]],
  [SAMPLES.dangling]: [FIRST_ID.course, MISSING_COURSE],
}

function titleOf(place: number, subject: Subject): string {
  const level = LEVELS[Math.floor(place / SUBJECTS.length) % LEVELS.length]!
  const campus = Math.floor(place / COURSES_PER_SCHOOL)
  return `${subject.name} ${level}${campus ? ` (Campus ${campus + 1})` : ''}`
}

/** Some earlier courses, most of them of the same subject. */
function prerequisitesOf(random: Random, id: number): readonly number[] {
  const within = (id - FIRST_ID.course) % COURSES_PER_SCHOOL
  const known = PREREQUISITES[id]
  if (known) return known
  const lower = within >= SUBJECTS.length ? [id - SUBJECTS.length] : []
  const other = within > 4 && random.chance(0.5) ? [id - random.int(1, 4)] : []
  return [...lower, ...other]
}

function settings(random: Random, id: number, prose: Prose): Record<string, string | number | boolean | null> {
  const [type] = random.pick(PRICES)
  const paid = type !== 'open' && type !== 'free'
  const prerequisites = prerequisitesOf(random, id)
  return {
    materials_enabled: random.chance(0.85),
    materials: prose.materials(random.pick(prose.subject.topics)),
    price_type: type,
    price: paid ? String(random.int(2, 40) * 5 - 0.05) : '',
    button_label: random.pick(['Enrol now', 'Join the course', "Let's go"]),
    button_url: `https://riverside.example/enrol/${id}`,
    prerequisite_enabled: prerequisites.length > 0,
    prerequisites: JSON.stringify(prerequisites),
    prerequisite_compare: random.pick(['ANY', 'ALL']),
    points_enabled: random.chance(0.7),
    points: random.chance(0.9) ? random.int(2, 40) / 2 : null,
    points_access: random.chance(0.9) ? random.int(1, 20) / 2 : null,
    progression_disabled: random.chance(0.4),
    expire_access: random.chance(0.4),
    expire_access_days: random.chance(0.9) ? random.int(3, 52) * 7 : null,
    expire_access_delete_progress: random.chance(0.3),
    certificate: random.chance(0.9) ? FIRST_ID.certificate + random.int(0, 19) : 0,
    disable_content_table: random.chance(0.3),
    lessons_per_page: random.chance(0.5),
    lesson_per_page_custom: random.int(5, 25),
    topic_per_page_custom: random.int(5, 25),
    start_date: null,
    end_date: null,
    seats_limit: null,
    ...courseAccessSettings(id),
  }
}

/** All courses of the school. */
export function makeCourses(random: Random, scale: number, teachers: readonly number[], terms: Terms): CourseSeed[] {
  const count = COURSES_PER_SCHOOL * scale
  const maker = new PostMaker(random, count)
  return Array.from({ length: count }, (_, place) => {
    const id = FIRST_ID.course + place
    const subject = SUBJECTS[place % SUBJECTS.length]!
    const prose = new Prose(random, subject)
    const topic = random.pick(subject.topics)
    const author = random.pick(teachers)
    const status = STATUSES[id] ?? 'publish'
    const base = maker.make({
      id,
      place,
      title: titleOf(place, subject),
      content: prose.body(topic),
      excerpt: prose.excerpt(topic),
      author,
      status,
      password: passwordAt('course', place),
      meta: { language: 'en', hours: random.int(4, 40), level: random.pick(['basic', 'middle', 'upper']) },
    })
    const undated = id === SAMPLES.undatedCourse ? { slug: '', date: null, date_gmt: null } : {}
    terms.give(id, subject.area, 'course')
    return { id, subject, author, published: status === 'publish', row: { ...base, ...settings(random, id, prose), ...undated } }
  })
}
