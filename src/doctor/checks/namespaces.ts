import { isObject } from '../../maps.js'
import { PRESETS, type Preset } from '../../upstream/site/presets.js'
import type { Site, SiteNames } from '../../upstream/site/site.js'
import { check } from '../check.js'
import { listing } from '../finding.js'
import { errorOf, type Outcome } from '../prober.js'
import { COURSE, PRICE_TYPE } from '../resources.js'
import { SAMPLE_ROWS } from '../sampling.js'
import { isMissingRoute, type Survey } from '../survey.js'

interface Candidate {
  readonly preset: Preset
  readonly names: SiteNames
  readonly namespaces: Site['namespaces']
}

const SPECIFICATION = { v1: 'lms/v1', v2: 'lms/v2' }

/** The namespaces of the presets, and other pairs of versions that the site lists. */
function candidatesFor(listed: readonly string[] | undefined): Candidate[] {
  const known = (Object.entries(PRESETS) as [Preset, SiteNames][]).map(([preset, names]) => ({
    preset,
    names: {},
    namespaces: names.namespaces ?? SPECIFICATION,
  }))
  const distinct = known.filter(({ namespaces }, index) => known.findIndex((other) => other.namespaces.v2 === namespaces.v2) === index)
  if (!listed) return distinct
  const listedPresets = distinct.filter(({ namespaces }) => listed.includes(namespaces.v2) || listed.includes(namespaces.v1))
  const others = listed
    .filter((name) => name.endsWith('/v2') && listed.includes(name.replace(/v2$/, 'v1')) && !name.startsWith('wp/'))
    .map((v2) => ({ v1: v2.replace(/v2$/, 'v1'), v2 }))
    .filter((pair) => !listedPresets.some(({ namespaces }) => namespaces.v2 === pair.v2))
    .map((namespaces) => ({ preset: 'learndash' as const, names: { namespaces }, namespaces }))
  return [...listedPresets, ...others]
}

const exists = (outcome: Outcome<unknown>): boolean => {
  const error = errorOf(outcome)
  return !error || !isMissingRoute(error)
}

/** Looks for the interface by two lists that every site has: one that is public, and one that always exists. */
async function probe(survey: Survey): Promise<boolean> {
  const listed = isObject(survey.index) && Array.isArray(survey.index.namespaces) ? survey.index.namespaces.map(String) : undefined
  const candidates = candidatesFor(listed)
  const withoutPriceTypes = new Map<Candidate, Outcome<unknown>>()
  for (const candidate of candidates) {
    survey.usePreset(candidate.preset, candidate.names)
    const priceTypes = await survey.list(PRICE_TYPE, {}, {}, { sample: true })
    if (exists(priceTypes)) return true
    withoutPriceTypes.set(candidate, priceTypes)
  }
  for (const [{ preset, names }, priceTypes] of withoutPriceTypes) {
    survey.usePreset(preset, names)
    survey.outcomes.set(PRICE_TYPE.list.path, [priceTypes])
    if (exists(await survey.list(COURSE, {}, { per_page: SAMPLE_ROWS }, { sample: true }))) return true
  }
  survey.usePreset('lms')
  survey.stopped = 'the interface was not found'
  return false
}

/** Finds the namespaces of the interface, and the preset. */
export const namespaces = check<boolean>({
  title: 'Looking for the interface',
  probe,
  judge(survey, found) {
    const base = { id: 'namespaces', title: 'Namespaces' }
    const { namespaces } = survey.site
    if (!found) {
      const tried = listing([...new Set(Object.values(PRESETS).map((names: SiteNames) => (names.namespaces ?? SPECIFICATION).v2))])
      const meaning =
        'Every query fails with NOT_FOUND. The LMS is not installed there, its REST interface is disabled, or the URL is wrong.'
      return [{ ...base, state: 'breaks', found: `none of ${tried} has the routes of the interface`, meaning }]
    }
    const meaning = `The preset is \`${survey.preset}\`. Settings that differ from it are below.`
    return [{ ...base, state: 'ok', found: `${namespaces.v1} and ${namespaces.v2}`, meaning }]
  },
})
