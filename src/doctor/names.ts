import { isDeepStrictEqual } from 'node:util'
import { type Names, PRESETS, type Preset } from '../upstream/site/presets.js'
import { defineSite, type Site } from '../upstream/site/site.js'

/** A list's order says nothing. */
const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...value].sort()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unordered(inner)]))
}

/** What of a site its preset does not say. */
function differences(site: Site, preset: Preset): Names {
  const usual = defineSite(site.url, PRESETS[preset])
  const names = (Object.keys(usual) as (keyof Site)[]).filter((name) => !isDeepStrictEqual(unordered(site[name]), unordered(usual[name])))
  return Object.fromEntries(names.map((name) => [name, site[name]]))
}

/** A site in few words: the preset it is most like, and what of it is different. */
export function inWords(site: Site): { readonly preset: Preset; readonly names: Names } {
  const told = (Object.keys(PRESETS) as Preset[]).map((preset) => ({ preset, names: differences(site, preset) }))
  // What only presets can say must be as the preset says.
  const costOf = ({ names }: (typeof told)[number]): number =>
    Object.keys(names).length + (names.viewOnly !== undefined || names.emptyUntold !== undefined ? 100 : 0)
  const few = told.sort((a, b) => costOf(a) - costOf(b))
  return few[0] as (typeof few)[0]
}
