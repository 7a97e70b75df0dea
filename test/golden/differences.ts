import { isDeepStrictEqual } from 'node:util'

/** Characters of a value that are shown. */
const SHOWN = 300

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')

/** Items of one list that the other one does not have, or not as often. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return items.filter((item) => {
    const place = left.indexOf(item)
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

/** What differs between two values, a line each, with its path. */
export function* differences(was: unknown, is: unknown, path = ''): Iterable<string> {
  if (isDeepStrictEqual(was, is)) return
  if ((isTexts(was) || isTexts(is)) && Array.isArray(was) && Array.isArray(is)) {
    const [gone, more] = [without(was, is), without(is, was)]
    for (const text of gone) yield `${path}: no longer ${shown(text)}`
    for (const text of more) yield `${path}: now ${shown(text)}`
    if (gone.length + more.length === 0) yield `${path}: in another order, first ${shown(is.find((text, place) => text !== was[place]))}`
  } else if (typeof was === 'object' && typeof is === 'object' && was !== null && is !== null && Array.isArray(was) === Array.isArray(is)) {
    const [before, now] = [was as Record<string, unknown>, is as Record<string, unknown>]
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)]))
      yield* differences(before[key], now[key], `${path}.${key}`.replace(/^\./, ''))
  } else yield `${path}: was ${shown(was)}, is ${shown(is)}`
}
