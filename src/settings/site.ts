import type { z } from 'zod'
import { type Names, PRESETS } from '../upstream/site/presets.js'
import { defineSite, type Site } from '../upstream/site/site.js'
import { BATCHED, type NAMES, SEGMENTS } from './names.js'
import type { Given } from './rules.js'
import { NONE } from './setting.js'

// A copy of an object has a type without the schemas. So the declarations of the package name no type of the library that reads settings.
const values = { ...({} as { readonly [Name in keyof typeof NAMES]: z.infer<(typeof NAMES)[Name]['schema']> }) }

/** The settings that describe a site. */
export type SiteConfig = { readonly upstream: string | null } & Readonly<typeof values>

/** The site at `url`, by its preset and the settings that override it. Throws when there is no address. */
export function siteOf(config: SiteConfig, url: string | null = config.upstream): Site {
  if (url === null) throw new Error('No site is configured: `upstream` is not set.')
  const preset = defineSite(url, PRESETS[config.preset])
  return defineSite(url, {
    ...preset,
    namespaces: { v1: config.namespaceV1 ?? preset.namespaces.v1, v2: config.namespaceV2 ?? preset.namespaces.v2 },
    segments: { ...preset.segments, ...segmentsOf(config) },
    termPrefix: config.termPrefix ?? preset.termPrefix,
    fieldFilter: config.fieldFilter === NONE ? null : (config.fieldFilter ?? preset.fieldFilter),
    unfiltered: config.unfilteredRoutes ?? preset.unfiltered,
    pageCap: config.pageCap ?? preset.pageCap,
    pageSizeParams: config.pageSizeParams ?? preset.pageSizeParams,
    unbatched: config.unbatched?.map((name) => BATCHED[name as keyof typeof BATCHED]) ?? preset.unbatched,
    ignored: config.ignoredFilters ?? preset.ignored,
    dropped: config.droppedFilters ?? preset.dropped,
    lacking: config.missingColumns ? byType(config.missingColumns) : preset.lacking,
    payNowSpelling: config.payNowSpelling ?? preset.payNowSpelling,
    viewerRoute: config.viewerRoute ?? preset.viewerRoute,
    timeZone: config.timeZone ?? preset.timeZone,
    progressSteps: config.progressSteps ?? preset.progressSteps,
    openProgression: config.openProgression ?? preset.openProgression,
    missingPrerequisites: config.missingPrerequisites ?? preset.missingPrerequisites,
    bypassingUsers: config.bypassingUsers?.map(Number) ?? preset.bypassingUsers,
    unusable: config.questionQuiz === null ? preset.unusable : withQuizId(preset.unusable, config.questionQuiz === 'engine'),
  } satisfies Names)
}

function segmentsOf(config: SiteConfig): Record<string, string> {
  const segments: Record<string, string> = {}
  for (const [setting, [, segment]] of Object.entries(SEGMENTS)) {
    const given = config[setting as keyof typeof SEGMENTS]
    if (given !== null) segments[segment] = given
  }
  return segments
}

/** Settings with names of the interface or of the graph, by the property of a site that they set. */
const LISTS_OF_NAMES = {
  unfiltered: 'unfilteredRoutes',
  unbatched: 'unbatched',
  ignored: 'ignoredFilters',
  dropped: 'droppedFilters',
  lacking: 'missingColumns',
} as const satisfies Partial<Record<keyof Names, keyof SiteConfig>>

/** Whether settings are given whose names `wrongNames` checks. */
export const hasNames = (config: SiteConfig): boolean => Object.values(LISTS_OF_NAMES).some((setting) => config[setting] !== null)

/** The complaints about names of a site that are not known. `given` says how a setting was given. */
export const wrongNames = (unknown: readonly { readonly property: keyof Names; readonly found: string }[], given: Given): string[] =>
  unknown.map(({ property, found }) => {
    const setting = (LISTS_OF_NAMES as Readonly<Partial<Record<keyof Names, string>>>)[property] ?? property
    return `${given(setting) ?? `\`${setting}\``} has ${found}`
  })

type Columns = Readonly<Record<string, readonly string[]>>

/** `Type.column` as lists of columns by type. */
function byType(columns: readonly string[]): Columns {
  const types: Record<string, string[]> = {}
  for (const [type, column] of columns.map((each) => each.split('.') as [string, string])) types[type] = [...(types[type] ?? []), column]
  return types
}

/** Marks the quiz id of questions as usable or not. */
function withQuizId({ Question = [], ...others }: Columns, isUnusable: boolean): Columns {
  const columns = Question.filter((column) => column !== 'quizId')
  if (isUnusable) columns.push('quizId')
  return columns.length === 0 ? others : { ...others, Question: columns }
}
