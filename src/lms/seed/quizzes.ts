import { Prose } from './content.js'
import type { CourseSeed } from './courses.js'
import { FIRST_ID, passwordAt, SAMPLES } from './ids.js'
import { PostMaker, type PostRow } from './posts.js'
import type { Random } from './random.js'

const STATUSES: Readonly<Record<number, string>> = { [SAMPLES.draftQuiz]: 'draft' }

/** Makes quizzes with consecutive ids. */
export class QuizMaker {
  readonly #maker: PostMaker
  #made = 0

  constructor(
    readonly random: Random,
    courses: number,
  ) {
    this.#maker = new PostMaker(random, courses * 3)
  }

  make(course: CourseSeed, title: string, topic: string): PostRow {
    const { random } = this
    const id = FIRST_ID.quiz + this.#made++
    const prose = new Prose(random, course.subject)
    const base = this.#maker.make({
      id,
      place: this.#made,
      title,
      content: prose.body(topic),
      excerpt: prose.excerpt(topic),
      author: course.author,
      status: STATUSES[id] ?? 'publish',
      password: passwordAt('quiz', id - FIRST_ID.quiz),
      meta: {},
    })
    return {
      ...base,
      materials: prose.materials(topic),
      threshold: random.pick(['0.8', '0.75', '0.9']),
      passing_percentage: random.pick(['80', '75', '60.5']),
      certificate: random.chance(0.95) ? FIRST_ID.certificate + random.int(0, 19) : null,
    }
  }
}
