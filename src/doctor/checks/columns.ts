import type { Names } from '../../upstream/site/presets.js'
import { wireName } from '../../upstream/site/site.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { COURSE, GROUP_COURSE, OPTIONAL, RESOURCES, type Resource } from '../resources.js'
import { absences, absentInside, extras, unreadable, wireAt } from '../seen.js'
import type { Survey } from '../survey.js'

const PREFIXED = /^(\w+_)(?:course|group|lesson)_(?:category|tag)$/

/** The prefix taxonomy columns have here, and what lists of a group's courses leave to the courses. Both are read from the records. */
async function probe(survey: Survey): Promise<void> {
  const names = RESOURCES.flatMap((resource) => survey.rowsOf(resource).flatMap((row) => Object.keys(row)))
  const prefix = names.flatMap((name) => PREFIXED.exec(name)?.[1] ?? [])[0]
  if (prefix !== undefined) survey.learn({ termPrefix: prefix })
  const lacking = lackingInGroups(survey)
  if (lacking) survey.learn({ lacking })
}

/** Columns of a course its group's list does not carry, though the course does. Nothing when there is no such list to look at. */
function lackingInGroups(survey: Survey): Names['lacking'] {
  const rows = survey.rowsOf(GROUP_COURSE)
  const courses = survey.rowsOf(COURSE)
  if (rows.length === 0) return undefined
  const names = Object.entries(GROUP_COURSE.also ?? {}).filter(([name, { wire, editOnly }]) => {
    const ofCourse = COURSE.shape.columns[name]
    const there = (of: typeof rows, wanted: string): boolean => of.some((row) => wireAt(row, wireName(survey.site, wanted)) !== undefined)
    return !editOnly && !there(rows, wire) && (courses.length === 0 || (ofCourse !== undefined && there(courses, ofCourse.wire)))
  })
  return names.length > 0 ? { GroupCourse: names.map(([name]) => name) } : {}
}

/** Absent columns of one resource, as worrying as they are. */
function absent(survey: Survey, resource: Resource): Finding[] {
  const { name, plural, key } = resource
  const { nowhere, inLists, inSingles } = absences(survey, resource)
  const inside = absentInside(survey, resource)
  const optional = (wire: string): boolean => [...OPTIONAL].some((each) => wireName(survey.site, each) === wire)
  const usual = resource === GROUP_COURSE && survey.known.lacking?.GroupCourse ? nowhere : nowhere.filter(optional)
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
      meaning: 'No record can be told from another: all of them are missing or fail.',
    })
  const worrying = [...missing, ...partly].filter((wire) => wire !== key)
  if (worrying.length > 0)
    findings.push({
      ...base,
      id: `columns.${name}`,
      state: 'warning',
      found: `missing: ${listing(worrying)}`,
      meaning: 'Their fields are null where they are missing.',
    })
  if (usual.length > 0)
    findings.push({
      ...base,
      id: `columns.${name}.optional`,
      state: 'note',
      found: `not sent here: ${listing(usual)}`,
      meaning: 'Fields that no other answer has are null. Sites of this kind, or their settings, leave them out.',
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
        key !== undefined && found.has(key) ? 'Records can’t be told apart where that is so.' : 'Their fields are null where that is so.',
    },
  ]
}

function unknown(survey: Survey, resource: Resource): Finding[] {
  const names = extras(survey, resource)
  if (names.length === 0) return []
  const meaning = 'The site sends them, and the graph has no fields for them. Queries can’t ask for them.'
  return [{ id: `extras.${resource.name}`, title: `More about ${resource.plural}`, state: 'note', found: listing(names), meaning }]
}

/** Taxonomies have a prefix of their own on some sites. */
function prefixed(survey: Survey): Finding[] {
  const { termPrefix } = survey.site
  if (termPrefix === (survey.known.termPrefix ?? 'lms_')) return []
  const meaning = 'The written configuration has it. Else fields and filters of terms would be empty.'
  return [{ id: 'columns.prefix', title: 'Taxonomies', state: 'note', found: `their columns begin with ${termPrefix}`, meaning }]
}

/** Whether records carry what the graph reads of them, in types it can read, and what they carry besides. */
export const columns = check<void>({
  title: 'Looking at columns',
  probe,
  judge(survey) {
    const seen = RESOURCES.filter((resource) => survey.rowsOf(resource).length > 0)
    const unseen = RESOURCES.filter((resource) => !seen.includes(resource)).map(({ plural }) => plural)
    const findings = seen.flatMap((resource) => [...absent(survey, resource), ...wrong(survey, resource), ...unknown(survey, resource)])
    const well = seen.filter(({ plural }) => !findings.some(({ title }) => title.endsWith(` of ${plural}`))).map(({ plural }) => plural)
    const base = { id: 'columns', title: 'Columns' }
    return [
      ...(well.length > 0
        ? [{ ...base, state: 'ok' as const, found: `as they should be: ${listing(well)}`, meaning: 'Every field is answered.' }]
        : []),
      ...findings,
      ...prefixed(survey),
      ...(unseen.length > 0
        ? [
            {
              ...base,
              id: 'columns.unseen',
              state: 'note' as const,
              found: `no record was seen of ${listing(unseen)}`,
              meaning: hint(unseen),
            },
          ]
        : []),
    ]
  },
})

const hint = (unseen: readonly string[]): string =>
  [
    'Nothing is known of their columns.',
    ...(unseen.includes('questions') ? ['The interface lists no questions: name one by `--question ID`.'] : []),
    ...(unseen.includes('course progress') ? ['Name a user who takes courses by `--user ID`.'] : []),
  ].join(' ')
