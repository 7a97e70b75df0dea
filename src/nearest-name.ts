/** Returns the known name that is most similar to a misspelled one. Undefined when no name is similar. */
export const nearestName = (given: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(given.length, name.length) * 0.4)))
    .sort((one, other) => one.distance - other.distance)[0]?.name

/** The end of a sentence about an unknown name: with the most similar known one, or else `otherwise`. */
export function didYouMean(given: string, names: readonly string[], otherwise = '.'): string {
  const near = nearestName(given, names)
  return near === undefined ? otherwise : `; did you mean \`${near}\`?`
}

/** How many letters must be added, removed, replaced or swapped with their neighbour to turn one text into another. */
function distanceOf(one: string, other: string): number {
  // Longer names are no misspellings.
  if (Math.abs(one.length - other.length) > 20) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  let before = row
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? (before[j - 1] as number) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min((next[j] as number) + 1, (row[j + 1] as number) + 1, (row[j] as number) + (one[i] === other[j] ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row[other.length] as number
}
