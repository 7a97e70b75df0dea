import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, got } from '../prober.js'
import { GROUP, LESSON, QUIZ } from '../resources.js'
import { NOBODY, type Survey } from '../survey.js'
import { learned, settingOf } from '../trials.js'

/** A filter by a course or by ids that may be dropped when it names no record. */
interface Dropped {
  readonly setting: string
  readonly is: 'dropped' | 'honoured' | 'untold'
  readonly why?: string
}

async function probe(survey: Survey): Promise<Dropped[]> {
  const dropped = [await droppedCourse(survey, LESSON), await droppedCourse(survey, QUIZ), await droppedGroups(survey)]
  survey.learn({ dropped: learned(survey.site.dropped, dropped, 'dropped') })
  return dropped
}

/** A filter that names a course nobody has must leave nothing. Only editors see lists that are not narrowed. */
async function droppedCourse(survey: Survey, resource: typeof LESSON | typeof QUIZ): Promise<Dropped> {
  const setting = settingOf(resource.list, 'course')
  if (!survey.steps.has(resource)) return { setting, is: 'untold', why: `no course with ${resource.plural} is visible` }
  const query = { course: NOBODY, per_page: 1, ...survey.only(resource.list, 'id') }
  const outcome = await survey.list(resource, {}, query, { what: `${resource.plural} of an unknown course` })
  const rows = got(outcome)?.rows
  if (rows && rows.length > 0) return { setting, is: 'dropped' }
  if (!survey.mayEdit) return { setting, is: 'untold', why: 'the caller is no editor' }
  const isEmpty = rows?.length === 0 || errorOf(outcome)?.code === 'NOT_FOUND'
  return isEmpty ? { setting, is: 'honoured' } : { setting, is: 'untold', why: 'the call failed' }
}

/** Lists of groups that show leaders all their groups when they ask for none of them. */
async function droppedGroups(survey: Survey): Promise<Dropped> {
  const setting = settingOf(GROUP.list, 'include')
  const [id] = survey.idsOf(GROUP)
  if (survey.mayEdit || id === undefined)
    return { setting, is: 'untold', why: id === undefined ? 'no group is visible' : 'the caller leads no groups' }
  const ask = async (include: number): Promise<readonly (number | null)[] | undefined> => {
    const query = { include, per_page: 3, ...survey.only(GROUP.list, 'id') }
    return got(await survey.list(GROUP, {}, query, { what: 'groups by an id' }))?.rows.map(idOf)
  }
  const [none, one] = [await ask(NOBODY), await ask(id)]
  // A list that shows others beside the wanted one ignores the filter, which its batches tell.
  if (none && none.length > 0 && one?.length === 1) return { setting, is: 'dropped' }
  const isProven = survey.roles.includes('group_leader') && none?.length === 0 && one?.includes(id) === true
  return isProven ? { setting, is: 'honoured' } : { setting, is: 'untold', why: 'the caller leads no groups' }
}

function judge(survey: Survey, dropped: readonly Dropped[]): Finding[] {
  const expected = survey.known.dropped ?? []
  const base = { title: 'Filters dropped' }
  const found = dropped.filter(({ is }) => is === 'dropped').map(({ setting }) => setting)
  const better = dropped.filter(({ is, setting }) => is === 'honoured' && expected.includes(setting)).map(({ setting }) => setting)
  const untold = dropped.filter(({ is, setting }) => is === 'untold' && expected.includes(setting))
  const findings: Finding[] = []
  if (found.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped',
      state: found.every((setting) => expected.includes(setting)) ? 'note' : 'warning',
      found: listing(found),
      meaning: 'The site answers everything when they name an unknown record. The gateway looks for that record first, which costs a call.',
    })
  if (better.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped.better',
      state: 'note',
      found: `not here: ${listing(better)}`,
      meaning: `The preset \`${survey.preset}\` expects them to be dropped. The written configuration saves the call.`,
    })
  if (untold.length > 0)
    findings.push({
      ...base,
      id: 'filters.dropped.untold',
      state: 'note',
      found: `not told: ${listing(untold.map(({ setting, why }) => `${setting} (${why})`))}`,
      meaning: `They are taken for dropped, as the preset \`${survey.preset}\` says.`,
    })
  return findings
}

/** Filters that some sites drop when they name no record. */
export const droppedFilters = check<readonly Dropped[]>({ title: 'Trying filters by unknown records', probe, judge })
