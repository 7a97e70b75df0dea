import type { Query } from '../../upstream/client.js'
import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, resultOf } from '../prober.js'
import { COURSE, GROUP, LESSON, PROGRESS, QUIZ, type Resource } from '../resources.js'
import { type Survey, UNKNOWN_ID } from '../survey.js'

type BatchResult = 'honoured' | 'ignored' | 'cut' | 'refused' | 'unknown'

interface Batched {
  readonly resource: Resource
  readonly result: BatchResult
}

async function probe(survey: Survey): Promise<Batched[]> {
  const posts = [GROUP, COURSE, LESSON, QUIZ].map(async (resource) => ({ resource, result: await testPosts(survey, resource) }))
  const batched = await Promise.all([...posts, testProgress(survey).then((result) => ({ resource: PROGRESS, result }))])
  // There is no setting for progress: the gateway detects it by itself.
  const unsafe = batched.filter(({ resource, result }) => resource !== PROGRESS && WRONG[result]).map(({ resource }) => resource.name)
  const proven = new Set(batched.filter(({ result }) => result === 'honoured').map(({ resource }) => resource.name))
  survey.learn({ unbatched: [...new Set([...survey.site.unbatched.filter((name) => !proven.has(name)), ...unsafe])] })
  return batched
}

/**
 * Requests some records of the list, the later one first, and an unknown id: at most two, and fewer than are visible, so that the list must
 * exclude a record. Lists that require a course prove nothing with records of other courses.
 */
async function testPosts(survey: Survey, resource: typeof GROUP | typeof COURSE | typeof LESSON | typeof QUIZ): Promise<BatchResult> {
  const steps = (survey.steps.get(resource)?.rows ?? []).flatMap((row) => idOf(row) ?? [])
  const visible = [...new Set([...steps, ...survey.idsOf(resource)])]
  const wanted = visible.slice(0, Math.min(2, visible.length - 1)).reverse()
  if (wanted.length === 0 || (survey.site.unbatched.includes(resource.name) && resource.list.narrowedBy && steps.length === 0))
    return 'unknown'
  const status = survey.mayEdit ? { status: 'any' } : {}
  const query = { include: [...wanted, UNKNOWN_ID], per_page: survey.site.pageCap, ...status, ...survey.limitFields(resource.list, 'id') }
  return testBatch(survey, resource, {}, query, wanted, idOf)
}

async function testProgress(survey: Survey): Promise<BatchResult> {
  const courseOf = (row: Readonly<Record<string, unknown>>): number | null => idOf({ id: row.course })
  const courses = survey.rowsOf(PROGRESS).flatMap((row) => courseOf(row) ?? [])
  const wanted = [...new Set(courses)].slice(1, 2)
  if (survey.user === undefined || wanted.length === 0) return 'unknown'
  const query = { include: wanted, per_page: survey.site.pageCap, ...survey.limitFields(PROGRESS.list, 'course') }
  return testBatch(survey, PROGRESS, { user: survey.user }, query, wanted, courseOf)
}

async function testBatch(
  survey: Survey,
  resource: Parameters<Survey['list']>[0],
  params: Readonly<Record<string, number>>,
  query: Query,
  wanted: readonly number[],
  keyOf: (row: Readonly<Record<string, unknown>>) => number | null,
): Promise<BatchResult> {
  const outcome = await survey.list(resource, params, query, { what: `${resource.plural} by ids` })
  if (errorOf(outcome)) return 'refused'
  const page = resultOf(outcome)
  if (!page) return 'unknown'
  const keys = page.rows.map(keyOf)
  if (keys.some((key) => key !== null && !wanted.includes(key))) return 'ignored'
  return wanted.every((key) => keys.includes(key)) ? 'honoured' : 'cut'
}

const plurals = (batched: readonly Batched[]): string => listing(batched.map(({ resource }) => resource.plural))

/** Findings that are combined for lists with the same result. */
const COMBINED: readonly (Pick<Finding, 'id' | 'title' | 'state' | 'meaning'> & { readonly result: BatchResult; readonly text: string })[] =
  [
    {
      result: 'honoured',
      id: 'batches',
      title: 'Batches',
      state: 'ok',
      text: 'filters by id work',
      meaning: 'Up to 100 records are read in one call.',
    },
    {
      result: 'refused',
      id: 'batches.refused',
      title: 'Batches refused',
      state: 'note',
      text: 'filters by id alone are refused',
      meaning: 'Records are read one by one, with one call each. The lists may require a course or other credentials.',
    },
    {
      result: 'unknown',
      id: 'batches.untold',
      title: 'Batches not tried',
      state: 'note',
      text: 'too few records are visible',
      meaning: 'The setting of the preset is used.',
    },
  ]

const WRONG: Readonly<Partial<Record<BatchResult, string>>> = {
  ignored: 'the list ignores ids and returns other records',
  cut: 'the list omits some of the ids',
}

function judge(survey: Survey, batched: readonly Batched[]): Finding[] {
  const together = COMBINED.flatMap(({ result, text, ...rest }): Finding[] => {
    const alike = batched.filter((batch) => batch.result === result)
    return alike.length === 0 ? [] : [{ ...rest, found: `${text}: ${plurals(alike)}` }]
  })
  const alone = batched.flatMap(({ resource: { name, plural }, result }): Finding[] => {
    const found = WRONG[result]
    if (found === undefined) return []
    const state = survey.known.unbatched?.includes(name) ? 'note' : 'warning'
    return [
      { id: `batches.${name}`, title: `Batches of ${plural}`, state, found, meaning: 'Records are read one by one, with one call each.' },
    ]
  })
  return [...together, ...alone]
}

/** Tests which lists return several records by their ids. */
export const batches = check<readonly Batched[]>({ title: 'Testing batches', probe, judge })
