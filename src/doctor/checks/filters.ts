import { idOf } from '../../rest/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { got } from '../prober.js'
import { GROUP_COURSE, LESSON, QUIZ } from '../resources.js'
import { NOBODY, type Survey } from '../survey.js'

interface Filters {
  /** As `Site.ignored` and `Site.dropped` name them. */
  readonly ignored: readonly string[]
  readonly dropped: readonly string[]
}

async function probe(survey: Survey): Promise<Filters> {
  const [ignored, ...dropped] = await Promise.all([ignoredByGroups(survey), droppedBy(survey, LESSON), droppedBy(survey, QUIZ)])
  const found = { ignored, dropped: dropped.flat() }
  const { site } = survey
  survey.learn({
    ignored: [...new Set([...site.ignored, ...found.ignored])],
    dropped: [...new Set([...site.dropped, ...found.dropped])],
  })
  return found
}

/** A group's list that ignores one of the filters by id is not asked for the other: one that honours only half of them is not known. */
async function ignoredByGroups(survey: Survey): Promise<string[]> {
  const { path } = GROUP_COURSE.list
  const [id, other] = survey.idsOf(GROUP_COURSE)
  if (survey.group === undefined || id === undefined || other === undefined) return []
  const ask = async (filter: string): Promise<(number | null)[] | undefined> => {
    const query = { [filter]: id, per_page: 3, ...survey.only(GROUP_COURSE.list, 'id') }
    const what = `courses of a group by ${filter}`
    return got(await survey.list(GROUP_COURSE, { id: survey.group as number }, query, { what }))?.rows.map(idOf)
  }
  if ((await ask('include'))?.some((row) => row !== id)) return [`${path} include`, `${path} exclude`]
  return (await ask('exclude'))?.includes(id) ? [`${path} exclude`] : []
}

/** A filter that names a course nobody has must leave nothing. */
async function droppedBy(survey: Survey, resource: typeof LESSON | typeof QUIZ): Promise<string[]> {
  if (!survey.steps.has(resource)) return []
  const query = { course: NOBODY, per_page: 1, ...survey.only(resource.list, 'id') }
  const page = got(await survey.list(resource, {}, query, { what: `${resource.plural} of a course there is not` }))
  return page && page.rows.length > 0 ? [`${resource.list.path} course`] : []
}

const KINDS = {
  ignored: { title: 'Filters ignored', meaning: 'Such lists are read whole and filtered by the gateway, up to `--max-rows` rows.' },
  dropped: {
    title: 'Filters dropped',
    meaning: 'They answer everything for a course there is not: it is looked for first, at a call more.',
  },
} as const

function judge(survey: Survey, found: Filters): Finding[] {
  const findings = (['ignored', 'dropped'] as const).flatMap((kind): Finding[] => {
    if (found[kind].length === 0) return []
    const known = found[kind].every((filter) => survey.known[kind]?.includes(filter))
    return [{ id: `filters.${kind}`, state: known ? 'note' : 'warning', found: listing(found[kind]), ...KINDS[kind] }]
  })
  if (findings.length > 0 || (survey.steps.size === 0 && survey.group === undefined)) return findings
  return [
    {
      id: 'filters',
      title: 'Filters',
      state: 'ok',
      found: 'those by id and by course are honoured',
      meaning: 'Lists are narrowed by the site.',
    },
  ]
}

/** Filters that some sites do not keep to. */
export const filters = check<Filters>({ title: 'Trying filters', probe, judge })
