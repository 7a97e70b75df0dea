/** A step of a course: its type as the site names it, and the id of the step that it is below; 0 for the course. */
export interface Step {
  readonly type: string
  readonly id: number
  readonly above: number
}

export const [LESSON, TOPIC, QUIZ] = ['sfwd-lessons', 'sfwd-topic', 'sfwd-quiz'] as const

const isId = (name: string): boolean => /^[1-9]\d{0,8}$/.test(name)

/** Sites send an empty list for an object without members. */
const entriesOf = (level: unknown): [string, unknown][] => (typeof level === 'object' && level !== null ? Object.entries(level) : [])

/**
 * The steps in a tree of ids by type. Members whose names are numbers have lost their order, which `linear` has: names of steps such as
 * `sfwd-lessons:12`.
 */
export function stepsIn(tree: unknown, linear: readonly unknown[]): readonly Step[] {
  const below = (level: unknown, above: number): readonly Step[] =>
    entriesOf(level).flatMap(([type, steps]) =>
      entriesOf(steps).flatMap(([id, next]) => (isId(id) ? [{ type, id: +id, above }, ...below(next, +id)] : [])),
    )
  const places = new Map(linear.map((name, place) => [name, place]))
  const placeOf = ({ type, id }: Step): number => places.get(`${type}:${id}`) ?? places.size
  return below(tree, 0).toSorted((one, other) => placeOf(one) - placeOf(other))
}

interface Section {
  readonly title: string | null
  readonly lessonIds: readonly number[] | null
}

/** Divides the lessons of a course into sections. Those that are below no heading come first, without a title. */
export function sectionsOf(lessonIds: readonly number[], headings: readonly Section[]) {
  const headingOf = new Map(headings.flatMap((heading) => heading.lessonIds?.map((id) => [id, heading] as const) ?? []))
  const below = (heading?: Section) => lessonIds.filter((id) => headingOf.get(id) === heading)
  const titled = headings.map((heading) => ({ title: heading.title, lessonIds: below(heading) }))
  return titled.length > 0 && below().length === 0 ? titled : [{ title: null, lessonIds: below() }, ...titled]
}
