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

/** Divides the lessons of a course into sections. Those that are below no heading come first, without a title. */
export function sectionsOf<Heading extends { readonly lessonIds: readonly number[] | null }>(
  lessonIds: readonly number[],
  headings: readonly Heading[],
): readonly { readonly heading: Heading | undefined; readonly lessonIds: readonly number[] }[] {
  const headingOf = new Map(headings.flatMap((heading) => heading.lessonIds?.map((id) => [id, heading] as const) ?? []))
  const sections = [undefined, ...headings].map((heading) => ({
    heading,
    lessonIds: lessonIds.filter((id) => headingOf.get(id) === heading),
  }))
  return headings.length > 0 && sections[0]?.lessonIds.length === 0 ? sections.slice(1) : sections
}
