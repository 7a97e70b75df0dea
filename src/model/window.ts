/** A part of a list by position: from `start` up to `end`, and of that the first or last rows. Positions start at 0. */
export interface WindowArgs {
  readonly start: number
  readonly end: number | null
  readonly first: number | null
  readonly last: number | null
}

/** What is needed of a window: its rows, the length of the list, and whether there are rows after it. */
export interface WindowWants {
  readonly rows: boolean
  readonly total: boolean
  readonly next: boolean
}
