/** The answers of the cache that one operation received in place of those of the failing site. */
export class StaleNotes {
  /** Age of the oldest answer, in seconds. */
  age = 0
  /** Templates of their routes. */
  readonly routes = new Set<string>()
}
