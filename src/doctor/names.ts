import { isDeepStrictEqual } from 'node:util'
import { PRESETS, type Preset } from '../upstream/site/presets.js'
import type { SiteNames } from '../upstream/site/site.js'
import { defineSite, type Site } from '../upstream/site/site.js'

/** Sorts lists, whose order has no meaning. */
const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...value].sort()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unordered(inner)]))
}

/** The properties of a site that differ from another one. */
export function differences(site: Site, other: Site): SiteNames {
  const names = (Object.keys(other) as (keyof Site)[]).filter((name) => !isDeepStrictEqual(unordered(site[name]), unordered(other[name])))
  return Object.fromEntries(names.map((name) => [name, site[name]]))
}

/** The preset with the fewest differences from a site, and the differences. */
export function closestPreset(site: Site): { readonly preset: Preset; readonly names: SiteNames } {
  const candidates = (Object.keys(PRESETS) as Preset[]).map((preset) => ({
    preset,
    names: differences(site, defineSite(site.url, PRESETS[preset])),
  }))
  // Properties that only presets can set must not differ.
  const costOf = ({ names }: (typeof candidates)[number]): number =>
    Object.keys(names).length + (names.viewOnly !== undefined || names.emptyUntold !== undefined ? 100 : 0)
  const sorted = candidates.sort((a, b) => costOf(a) - costOf(b))
  return sorted[0] as (typeof sorted)[0]
}
