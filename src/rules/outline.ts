/** A topic with the quizzes below it, by their ids. */
export interface TopicPlace {
  readonly id: number
  readonly quizIds: readonly number[]
}

export interface LessonPlace extends TopicPlace {
  readonly topics: readonly TopicPlace[]
}

/** The steps of a course in the order of its page, by their ids. */
export interface StepTree {
  readonly lessons: readonly LessonPlace[]
  /** The quizzes of the course itself. */
  readonly quizIds: readonly number[]
}

/** A heading, with the ids of the lessons below it. */
export interface Heading {
  readonly title: string | null
  readonly lessonIds: readonly number[]
}

type Level = Readonly<Record<string, unknown>>

/** Sites send an empty list for an object without members. */
const levelOf = (raw: unknown): Level => (typeof raw === 'object' && raw !== null ? (raw as Level) : {})

const isId = (id: number): boolean => id > 0 && (id | 0) === id

/** Reads a tree of ids by type. Names that are numbers have lost their order, which `linear` has: a list of texts such as `sfwd-lessons:12`. */
export function stepTree(raw: unknown, linear: readonly unknown[]): StepTree {
  const places = new Map(linear.map((step, place) => [step, place]))
  const below = (level: unknown, type: string): readonly { readonly id: number; readonly below: unknown }[] => {
    const placeOf = (id: number): number => places.get(`${type}:${id}`) ?? places.size
    return Object.entries(levelOf(levelOf(level)[type]))
      .map(([id, steps]) => ({ id: Number(id), below: steps }))
      .filter(({ id }) => isId(id))
      .sort((one, other) => placeOf(one.id) - placeOf(other.id))
  }
  const quizzesBelow = (level: unknown): readonly number[] => below(level, 'sfwd-quiz').map(({ id }) => id)
  const lessons = below(raw, 'sfwd-lessons').map(({ id, below: steps }): LessonPlace => {
    const topics = below(steps, 'sfwd-topic').map((topic) => ({ id: topic.id, quizIds: quizzesBelow(topic.below) }))
    return { id, topics, quizIds: quizzesBelow(steps) }
  })
  return { lessons, quizIds: quizzesBelow(raw) }
}

/** A step of a list. The lesson is that of a topic: null when it is not known. */
export interface ListedStep {
  readonly databaseId: number
  readonly lessonId?: unknown
}

/** The tree as far as the lists of a course show it: without the places of quizzes. */
export const listedTree = (lessons: readonly ListedStep[], topics: readonly ListedStep[], quizzes: readonly ListedStep[]): StepTree => ({
  lessons: lessons.map(({ databaseId: id }) => ({
    id,
    topics: topics.filter(({ lessonId }) => lessonId === id).map(({ databaseId }) => ({ id: databaseId, quizIds: [] })),
    quizIds: [],
  })),
  quizIds: quizzes.map(({ databaseId }) => databaseId),
})

/** Divides lessons into sections. Those that are below no heading come first, without a title. */
export function sectionsOf(
  lessons: readonly LessonPlace[],
  headings: readonly Heading[],
): readonly { readonly title: string | null; readonly lessons: readonly LessonPlace[] }[] {
  const headingOf = new Map(headings.flatMap((heading) => heading.lessonIds.map((id) => [id, heading] as const)))
  const below = (heading: Heading | undefined): readonly LessonPlace[] => lessons.filter(({ id }) => headingOf.get(id) === heading)
  const first = below(undefined)
  return [
    ...(first.length > 0 || headings.length === 0 ? [{ title: null, lessons: first }] : []),
    ...headings.map((heading) => ({ title: heading.title, lessons: below(heading) })),
  ]
}
