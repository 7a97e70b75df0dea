import { type FileValues, writeConfigFile } from '../settings/config-file.js'
import { BATCHED, SEGMENTS } from '../settings/names.js'
import type { Names } from '../upstream/site/presets.js'
import type { Site } from '../upstream/site/site.js'
import type { Examination } from './examine.js'
import { closestPreset } from './names.js'

/** Converts each property of a site to one or more settings. */
type Writers = { readonly [Name in keyof Names]-?: (value: Site[Name]) => FileValues }

const listSetting =
  (setting: keyof FileValues) =>
  (values: readonly string[]): FileValues => ({ [setting]: values })

const WRITERS: Writers = {
  namespaces: ({ v1, v2 }) => ({ namespaceV1: v1, namespaceV2: v2 }),
  segments: (segments) => Object.fromEntries(Object.entries(SEGMENTS).map(([setting, [, segment]]) => [setting, segments[segment]])),
  termPrefix: (termPrefix) => ({ termPrefix }),
  fieldFilter: (name) => ({ fieldFilter: name ?? 'none' }),
  unfiltered: listSetting('unfilteredRoutes'),
  pageCap: (pageCap) => ({ pageCap }),
  pageSizeParams: listSetting('pageSizeParams'),
  // Only presets can set these.
  emptyUntold: () => ({}),
  viewOnly: () => ({}),
  unbatched: (names) => ({ unbatched: Object.entries(BATCHED).flatMap(([word, name]) => (names.includes(name) ? [word] : [])) }),
  ignored: listSetting('ignoredFilters'),
  dropped: listSetting('droppedFilters'),
  lacking: (columns) => ({ missingColumns: Object.entries(columns).flatMap(([type, names]) => names.map((name) => `${type}.${name}`)) }),
  payNowSpelling: (payNowSpelling) => ({ payNowSpelling }),
  viewerRoute: (viewerRoute) => ({ viewerRoute }),
  timeZone: (timeZone) => ({ timeZone }),
  progressSteps: (progressSteps) => ({ progressSteps }),
  openProgression: (openProgression) => ({ openProgression }),
  missingPrerequisites: (missingPrerequisites) => ({ missingPrerequisites }),
  bypassingUsers: (ids) => ({ bypassingUsers: ids.map(String) }),
  unusable: ({ Question }) => ({ questionQuiz: Question?.includes('quizId') ? 'engine' : 'id' }),
}

/** The settings for an examined site. Does not set the account and the access of callers. */
export function configOf({ site, maxInFlight }: Examination): FileValues {
  const { preset, names } = closestPreset(site)
  const settings = (Object.keys(names) as (keyof Names)[]).map((name) => (WRITERS[name] as (value: unknown) => FileValues)(names[name]))
  return Object.assign({ upstream: site.url, preset }, ...settings, maxInFlight === undefined ? {} : { maxInFlight }) as FileValues
}

/** The settings as a file for `serve --config FILE`. */
export const configText = (examination: Examination): string => writeConfigFile(configOf(examination))
