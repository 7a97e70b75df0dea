import type { Cell } from '../store.js'
import type { CourseSeed } from './courses.js'
import { FIRST_ID, SAMPLES } from './ids.js'
import type { PostRow } from './posts.js'
import type { QuestionMaker } from './questions.js'
import type { QuizMaker } from './quizzes.js'

const QUESTIONS_PER_QUIZ = 3

/** Makes the steps of courses: lessons, topics and quizzes in order. */
export class StepMaker {
  readonly rows: Record<string, Cell>[] = []
  readonly quizzes: PostRow[] = []
  /** Step ids by course, in the order of the course. */
  readonly ofCourse = new Map<number, number[]>()
  #topics = 0

  constructor(
    readonly quizMaker: QuizMaker,
    readonly questions: QuestionMaker,
  ) {}

  /** Adds the steps of a course: its lessons, a quiz below the second lesson, in every second course a topic with a quiz, and a final quiz. */
  addCourse(course: CourseSeed, lessons: readonly PostRow[]): void {
    const steps: number[] = []
    const positions = { lesson: 0, topic: 0, quiz: 0 }
    const add = (kind: keyof typeof positions, step: number, lesson = 0, topic = 0): void => {
      this.rows.push({ course: course.id, position: ++positions[kind], step, kind, lesson, topic })
      steps.push(step)
    }
    const [first, second, third] = lessons.map(({ id }) => id)
    const { topics } = course.subject
    const shared = SAMPLES.sharedCourses[1] === course.id ? [SAMPLES.sharedLesson] : []
    for (const { id } of lessons) {
      add('lesson', id)
      if (id === second) add('quiz', this.#quiz(course, `Quiz: ${topics[1]} & ${topics[2]}`, topics[1]!), id)
      if (id === third && course.id % 2) {
        const topic = FIRST_ID.topic + this.#topics++
        add('topic', topic, id)
        add('quiz', this.#quiz(course, `Check Yourself: ${topics[0]}`, topics[0]!), id, topic)
      }
      if (id === first) for (const lesson of shared) add('lesson', lesson)
    }
    add('quiz', this.#quiz(course, `Final Quiz - ${course.subject.name}`, topics[3]!))
    this.ofCourse.set(course.id, steps)
  }

  #quiz(course: CourseSeed, title: string, topic: string): number {
    const row = this.quizMaker.make(course, title, topic)
    this.quizzes.push(row)
    for (let position = 1; position <= QUESTIONS_PER_QUIZ; position++) this.questions.add(row.id, position, course.subject)
    return row.id
  }
}
