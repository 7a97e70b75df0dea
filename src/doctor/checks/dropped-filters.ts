import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, resultOf } from '../prober.js'
import { GROUP, LESSON, QUIZ } from '../resources.js'
import { type Survey, UNKNOWN_ID } from '../survey.js'
import { settingOf, updatedSetting } from '../trials.js'

/** A filter that the site may drop when it matches no record. */
interface Dropped {
  readonly setting: string
  readonly result: 'dropped' | 'honoured' | 'unknown'
  readonly reason?: string
}

async function probe(survey: Survey): Promise<Dropped[]> {
  const dropped = [await droppedCourse(survey, LESSON), await droppedCourse(survey, QUIZ), await droppedGroups(survey)]
  survey.learn({ droppedFilters: updatedSetting(survey.site.droppedFilters, dropped, 'dropped') })
  return dropped
}

/** Tests a filter with an unknown course, which must return nothing. Only editors can read the list without the filter. */
async function droppedCourse(survey: Survey, resource: typeof LESSON | typeof QUIZ): Promise<Dropped> {
  const setting = settingOf(resource.list, 'course')
  if (!survey.steps.has(resource)) return { setting, result: 'unknown', reason: `no course with ${resource.plural} is visible` }
  const query = { course: UNKNOWN_ID, per_page: 1, ...survey.limitFields(resource.list, 'id') }
  const outcome = await survey.list(resource, {}, query, { what: `${resource.plural} of an unknown course` })
  const rows = resultOf(outcome)?.rows
  if (rows && rows.length > 0) return { setting, result: 'dropped' }
  if (!survey.mayEdit) return { setting, result: 'unknown', reason: 'the caller is not an editor' }
  const isEmpty = rows?.length === 0 || errorOf(outcome)?.code === 'NOT_FOUND'
  return isEmpty ? { setting, result: 'honoured' } : { setting, result: 'unknown', reason: 'the call failed' }
}

/** Tests whether group leaders get all their groups when they request an unknown group. */
async function droppedGroups(survey: Survey): Promise<Dropped> {
  const setting = settingOf(GROUP.list, 'include')
  const [id] = survey.idsOf(GROUP)
  if (survey.mayEdit || id === undefined)
    return { setting, result: 'unknown', reason: id === undefined ? 'no group is visible' : 'the caller leads no groups' }
  const idsFor = async (include: number): Promise<readonly (number | null)[] | undefined> => {
    const query = { include, per_page: 3, ...survey.limitFields(GROUP.list, 'id') }
    return resultOf(await survey.list(GROUP, {}, query, { what: 'groups by an id' }))?.rows.map(idOf)
  }
  const [none, one] = [await idsFor(UNKNOWN_ID), await idsFor(id)]
  // A list that returns other groups too ignores the filter; the check of batches reports that.
  if (none && none.length > 0 && one?.length === 1) return { setting, result: 'dropped' }
  const isProven = survey.roles.includes('group_leader') && none?.length === 0 && one?.includes(id) === true
  return isProven ? { setting, result: 'honoured' } : { setting, result: 'unknown', reason: 'the caller leads no groups' }
}

function judge(survey: Survey, dropped: readonly Dropped[]): Finding[] {
  const expected = survey.known.droppedFilters ?? []
  const base = { title: 'Filters dropped' }
  const found = dropped.filter(({ result }) => result === 'dropped').map(({ setting }) => setting)
  const better = dropped.filter(({ result, setting }) => result === 'honoured' && expected.includes(setting)).map(({ setting }) => setting)
  const unknown = dropped.filter(({ result, setting }) => result === 'unknown' && expected.includes(setting))
  const findings: Finding[] = []
  if (found.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped',
      state: found.every((setting) => expected.includes(setting)) ? 'note' : 'warning',
      found: listing(found),
      meaning: 'With an unknown record, the site returns everything. The gateway checks first that the record exists, which costs a call.',
    })
  if (better.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped.better',
      state: 'note',
      found: `not dropped: ${listing(better)}`,
      meaning: `They are dropped in ${survey.source}. The written configuration saves that call.`,
    })
  if (unknown.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped.untold',
      state: 'note',
      found: `unknown: ${listing(unknown.map(({ setting, reason }) => `${setting} (${reason})`))}`,
      meaning: `They are treated as dropped, as in ${survey.source}.`,
    })
  return findings
}

/** Tests filters that some sites drop when they match no record. */
export const droppedFilters = check<readonly Dropped[]>({ title: 'Testing filters with unknown records', probe, judge })
