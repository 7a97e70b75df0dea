/** A number for display: `1,200`. */
export const digits = (number: number): string => number.toLocaleString('en')

/** `1 call`, `2 calls`. */
export const count = (number: number, noun: string): string => `${digits(number)} ${noun}${number === 1 ? '' : 's'}`

/** What a step is: the word for a wave of the plan. */
export const STEP = 'Calls of one step are sent at the same time, when the steps before it have been answered.'

/** A time for display. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(value >= 10_000 ? 1 : 2)} s`
  return `${value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ms`
}

/** A number of bytes for display. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
