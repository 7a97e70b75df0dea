/** Columns of the graph that the specification does not have, by the name of their shape. */
export const UNSPECIFIED: Readonly<Record<string, readonly string[]>> = {
  Course: ['startDate', 'endDate', 'seatsLimit'],
  CourseProgress: ['enrolledAt'],
}
