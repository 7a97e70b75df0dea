import { type FileValues, writeConfigFile } from '../settings/config-file.js'
import { BATCHED, NONE, SEGMENTS } from '../settings/names.js'
import type { Names } from '../upstream/site/presets.js'
import type { Site } from '../upstream/site/site.js'
import type { Examination } from './examine.js'
import { inWords } from './names.js'

/** How a trait of a site is written in a configuration: one or more settings. */
type Writers = { readonly [Name in keyof Names]-?: (value: Site[Name]) => FileValues }

const listed =
  (setting: keyof FileValues) =>
  (values: readonly string[]): FileValues => ({ [setting]: values })

const WRITERS: Writers = {
  namespaces: ({ v1, v2 }) => ({ namespaceV1: v1, namespaceV2: v2 }),
  segments: (segments) => Object.fromEntries(Object.entries(SEGMENTS).map(([setting, [, segment]]) => [setting, segments[segment]])),
  termPrefix: (termPrefix) => ({ termPrefix }),
  fieldFilter: (name) => ({ fieldFilter: name ?? NONE }),
  unfiltered: listed('unfilteredRoutes'),
  pageCap: (pageCap) => ({ pageCap }),
  pageSizeParams: listed('pageSizeParams'),
  // Only presets say so.
  emptyUntold: () => ({}),
  viewOnly: () => ({}),
  unbatched: (names) => ({ unbatched: Object.entries(BATCHED).flatMap(([word, name]) => (names.includes(name) ? [word] : [])) }),
  ignored: listed('ignoredFilters'),
  dropped: listed('droppedFilters'),
  lacking: (columns) => ({ missingColumns: Object.entries(columns).flatMap(([type, names]) => names.map((name) => `${type}.${name}`)) }),
  payNowSpelling: (payNowSpelling) => ({ payNowSpelling }),
  unusable: ({ Question }) => ({ questionQuiz: Question?.includes('quizId') ? 'engine' : 'id' }),
}

/** Settings that make a gateway fit for an examined site. Whose account it is called with, and who may enter, is not theirs to say. */
export function configOf({ site, maxInFlight }: Examination): FileValues {
  const { preset, names } = inWords(site)
  const written = (Object.keys(names) as (keyof Names)[]).map((name) => (WRITERS[name] as (value: unknown) => FileValues)(names[name]))
  return Object.assign({ upstream: site.url, preset }, ...written, maxInFlight === undefined ? {} : { maxInFlight }) as FileValues
}

/** The same as a file for `serve --config FILE`. */
export const configText = (examination: Examination): string => writeConfigFile(configOf(examination))
