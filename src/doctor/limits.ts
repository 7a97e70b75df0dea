/** Largest number of calls in a run. */
export const MAX_CALLS = 180
