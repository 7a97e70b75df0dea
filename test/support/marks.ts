/**
 * Values that show the caller they belong to. Texts carry `~caller17~`, whole numbers are 1900017000 to 1900017999, and dates lie in the year 7017;
 * caller 0 has no credentials.
 */

export const markOf = (caller: number): string => `~caller${caller}~`

export const markedNumber = (caller: number, about: number): number => 1_900_000_000 + caller * 1_000 + (about % 1_000)

export const markedDay = (caller: number, about: number): string => `${7_000 + caller}-05-${10 + (about % 18)}`

export const markedTime = (caller: number, about: number): string => `${markedDay(caller, about)}T08:${10 + (about % 50)}:00`

const MARK = /~caller(\d+)~|(?<!\d)1900(\d{3})\d{3}(?!\d)|(?<!\d)7(\d{3})-\d\d-\d\d/g

/** The number of marks in a text, by caller. */
export function marksIn(text: string): Map<number, number> {
  const marks = new Map<number, number>()
  for (const [, word, number, year] of text.matchAll(MARK)) {
    const caller = Number(word ?? number ?? year)
    marks.set(caller, (marks.get(caller) ?? 0) + 1)
  }
  return marks
}
