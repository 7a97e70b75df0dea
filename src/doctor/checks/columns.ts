import { wireAt } from '../../upstream/codec/records.js'
import type { SiteNames } from '../../upstream/site/site.js'
import { wireName } from '../../upstream/site/site.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { COURSE, GROUP_COURSE, OPTIONAL, RESOURCES, type Resource } from '../resources.js'
import { absences, absentInside, extras, unreadable } from '../seen.js'
import type { Survey } from '../survey.js'

const PREFIXED = /^(\w+_)(?:course|group|lesson)_(?:category|tag)$/

/** Detects the prefix of taxonomy columns, and the columns that lists of a group's courses lack, from the sampled records. */
async function probe(survey: Survey): Promise<void> {
  const names = RESOURCES.flatMap((resource) => survey.rowsOf(resource).flatMap((row) => Object.keys(row)))
  const prefix = names.flatMap((name) => PREFIXED.exec(name)?.[1] ?? [])[0]
  if (prefix !== undefined) survey.learn({ termPrefix: prefix })
  const exact = exactColumns(survey)
  const unusableColumns = survey.site.unusableColumns.filter((column) => !exact.includes(column))
  if (unusableColumns.length < survey.site.unusableColumns.length) survey.learn({ unusableColumns })
  const lacking = lackingInGroups(survey)
  if (lacking) survey.learn({ missingColumns: lacking })
}

/** Columns for which the site sends a second value that makes them exact, such as dates of progress in UTC. */
const exactColumns = (survey: Survey): string[] =>
  RESOURCES.flatMap((resource) =>
    Object.entries(resource.shape.columns).flatMap(([name, { beside }]) =>
      beside && survey.rowsOf(resource).some((row) => wireAt(row, wireName(survey.site, beside.wire)) !== undefined)
        ? `${resource.name}.${name}`
        : [],
    ),
  )

/** Columns that courses have and the list of a group's courses lacks. Returns undefined without such a list. */
function lackingInGroups(survey: Survey): SiteNames['missingColumns'] {
  const rows = survey.rowsOf(GROUP_COURSE)
  const courses = survey.rowsOf(COURSE)
  if (rows.length === 0) return undefined
  const names = Object.entries(GROUP_COURSE.also ?? {}).filter(([name, { wire, editOnly }]) => {
    const ofCourse = COURSE.shape.columns[name]
    const hasValue = (inRows: typeof rows, wanted: string): boolean =>
      inRows.some((row) => wireAt(row, wireName(survey.site, wanted)) !== undefined)
    return !editOnly && !hasValue(rows, wire) && (courses.length === 0 || (ofCourse !== undefined && hasValue(courses, ofCourse.wire)))
  })
  return names.map(([name]) => `${GROUP_COURSE.name}.${name}`)
}

/** Findings about the missing columns of a resource. */
function absent(survey: Survey, resource: Resource): Finding[] {
  const { name, plural, key } = resource
  const { nowhere, inLists, inSingles } = absences(survey, resource)
  const inside = absentInside(survey, resource)
  const optional = (wire: string): boolean => [...OPTIONAL].some((optionalWire) => wireName(survey.site, optionalWire) === wire)
  const usual =
    resource === GROUP_COURSE && survey.known.missingColumns?.some((column) => column.startsWith(`${GROUP_COURSE.name}.`))
      ? nowhere
      : nowhere.filter(optional)
  const missing = [...nowhere.filter((wire) => !usual.includes(wire)), ...inside]
  const partly = [...inLists.map((wire) => `${wire} (in lists)`), ...inSingles.map((wire) => `${wire} (in single records)`)]
  const findings: Finding[] = []
  const base = { title: `Columns of ${plural}` }
  if (key !== undefined && [...missing, ...inLists].includes(key))
    findings.push({
      ...base,
      id: `columns.${name}.key`,
      state: 'breaks',
      found: `${key} is missing`,
      meaning: 'Records cannot be identified: all of them are missing or fail.',
    })
  const worrying = [...missing, ...partly].filter((wire) => wire !== key)
  if (worrying.length > 0)
    findings.push({
      ...base,
      id: `columns.${name}`,
      state: 'warning',
      found: `missing: ${listing(worrying)}`,
      meaning: 'Their fields are null.',
    })
  if (usual.length > 0)
    findings.push({
      ...base,
      id: `columns.${name}.optional`,
      state: 'note',
      found: `not sent: ${listing(usual)}`,
      meaning: 'Fields that no other route sends are null. Sites of this kind, or their settings, omit them.',
    })
  return findings
}

function wrong(survey: Survey, resource: Resource): Finding[] {
  const found = unreadable(survey, resource)
  if (found.size === 0) return []
  const { name, plural, key } = resource
  return [
    {
      id: `types.${name}`,
      title: `Values of ${plural}`,
      state: key !== undefined && found.has(key) ? 'breaks' : 'warning',
      found: `not readable: ${listing([...found].map(([wire, type]) => `${wire} is ${type}`))}`,
      meaning:
        key !== undefined && found.has(key) ? 'Records with such values cannot be identified.' : 'The fields of such values are null.',
    },
  ]
}

function unknown(survey: Survey, resource: Resource): Finding[] {
  const names = extras(survey, resource)
  if (names.length === 0) return []
  const meaning = 'The site sends them, but the graph has no fields for them. See docs/kit.md.'
  return [{ id: `extras.${resource.name}`, title: `More about ${resource.plural}`, state: 'note', found: listing(names), meaning }]
}

/** Reports another prefix of taxonomies. */
function prefixed(survey: Survey): Finding[] {
  const { termPrefix } = survey.site
  if (termPrefix === (survey.known.termPrefix ?? 'lms_')) return []
  const meaning = 'The written configuration sets it. Without it, fields and filters of terms would be empty.'
  return [{ id: 'columns.prefix', title: 'Taxonomies', state: 'note', found: `their columns start with ${termPrefix}`, meaning }]
}

/** Checks whether records have the columns of the graph, with decodable values, and reports further fields. */
export const columns = check<void>({
  title: 'Checking columns',
  probe,
  judge(survey) {
    const seen = RESOURCES.filter((resource) => survey.rowsOf(resource).length > 0)
    const unseen = RESOURCES.filter((resource) => !seen.includes(resource)).map(({ plural }) => plural)
    const findings = seen.flatMap((resource) => [...absent(survey, resource), ...wrong(survey, resource), ...unknown(survey, resource)])
    const complete = seen.filter(({ plural }) => !findings.some(({ title }) => title.endsWith(` of ${plural}`))).map(({ plural }) => plural)
    const base = { id: 'columns', title: 'Columns' }
    return [
      ...(complete.length > 0
        ? [{ ...base, state: 'ok' as const, found: `complete: ${listing(complete)}`, meaning: 'All fields have data.' }]
        : []),
      ...findings,
      ...prefixed(survey),
      ...(unseen.length > 0
        ? [
            {
              ...base,
              id: 'columns.unseen',
              state: 'note' as const,
              found: `no records visible: ${listing(unseen)}`,
              meaning: hint(unseen),
            },
          ]
        : []),
    ]
  },
})

const hint = (unseen: readonly string[]): string =>
  [
    'Their columns were not checked.',
    ...(unseen.includes('questions') ? ['The interface has no list of questions: set `--question ID`.'] : []),
    ...(unseen.includes('course progress') ? ['Set `--user ID` to a user with courses.'] : []),
  ].join(' ')
