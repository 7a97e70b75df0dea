import type { Query } from '../../upstream/client.js'
import { idOf } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, got } from '../prober.js'
import { COURSE, GROUP, LESSON, PROGRESS, QUIZ, type Resource } from '../resources.js'
import { NOBODY, type Survey } from '../survey.js'

type Manner = 'honoured' | 'ignored' | 'cut' | 'refused' | 'untold'

interface Batched {
  readonly resource: Resource
  readonly manner: Manner
}

async function probe(survey: Survey): Promise<Batched[]> {
  const posts = [GROUP, COURSE, LESSON, QUIZ].map(async (resource) => ({ resource, manner: await ofPosts(survey, resource) }))
  const batched = await Promise.all([...posts, ofProgress(survey).then((manner) => ({ resource: PROGRESS, manner }))])
  // Of progress that can't be said to a gateway: it finds out for itself.
  const unsafe = batched.filter(({ resource, manner }) => resource !== PROGRESS && WRONG[manner]).map(({ resource }) => resource.name)
  const proven = new Set(batched.filter(({ manner }) => manner === 'honoured').map(({ resource }) => resource.name))
  survey.learn({ unbatched: [...new Set([...survey.site.unbatched.filter((name) => !proven.has(name)), ...unsafe])] })
  return batched
}

/**
 * Some records of the list, the later one first, and an unknown id: at most two, and fewer than are visible, so that the list has something
 * to leave out. Lists that hide the records of courses prove nothing by others.
 */
async function ofPosts(survey: Survey, resource: typeof GROUP | typeof COURSE | typeof LESSON | typeof QUIZ): Promise<Manner> {
  const steps = (survey.steps.get(resource)?.rows ?? []).flatMap((row) => idOf(row) ?? [])
  const visible = [...new Set([...steps, ...survey.idsOf(resource)])]
  const wanted = visible.slice(0, Math.min(2, visible.length - 1)).reverse()
  if (wanted.length === 0 || (survey.site.unbatched.includes(resource.name) && resource.list.narrowedBy && steps.length === 0))
    return 'untold'
  const status = survey.mayEdit ? { status: 'any' } : {}
  const query = { include: [...wanted, NOBODY], per_page: survey.site.pageCap, ...status, ...survey.only(resource.list, 'id') }
  return mannerOf(survey, resource, {}, query, wanted, idOf)
}

async function ofProgress(survey: Survey): Promise<Manner> {
  const courseOf = (row: Readonly<Record<string, unknown>>): number | null => idOf({ id: row.course })
  const courses = survey.rowsOf(PROGRESS).flatMap((row) => courseOf(row) ?? [])
  const wanted = [...new Set(courses)].slice(1, 2)
  if (survey.user === undefined || wanted.length === 0) return 'untold'
  const query = { include: wanted, per_page: survey.site.pageCap, ...survey.only(PROGRESS.list, 'course') }
  return mannerOf(survey, PROGRESS, { user: survey.user }, query, wanted, courseOf)
}

async function mannerOf(
  survey: Survey,
  resource: Parameters<Survey['list']>[0],
  params: Readonly<Record<string, number>>,
  query: Query,
  wanted: readonly number[],
  keyOf: (row: Readonly<Record<string, unknown>>) => number | null,
): Promise<Manner> {
  const outcome = await survey.list(resource, params, query, { what: `${resource.plural} by ids` })
  if (errorOf(outcome)) return 'refused'
  const page = got(outcome)
  if (!page) return 'untold'
  const keys = page.rows.map(keyOf)
  if (keys.some((key) => key !== null && !wanted.includes(key))) return 'ignored'
  return wanted.every((key) => keys.includes(key)) ? 'honoured' : 'cut'
}

const plurals = (batched: readonly Batched[]): string => listing(batched.map(({ resource }) => resource.plural))

/** What is told together of lists of the same manner. */
const TOGETHER: readonly (Pick<Finding, 'id' | 'title' | 'state' | 'meaning'> & { readonly manner: Manner; readonly says: string })[] = [
  {
    manner: 'honoured',
    id: 'batches',
    title: 'Batches',
    state: 'ok',
    says: 'ids are honoured',
    meaning: 'Read up to a hundred in a call.',
  },
  {
    manner: 'refused',
    id: 'batches.refused',
    title: 'Batches refused',
    state: 'note',
    says: 'ids alone are refused',
    meaning: 'Read one by one: a call for each record. It may be that they want a course, or another credential.',
  },
  {
    manner: 'untold',
    id: 'batches.untold',
    title: 'Batches not tried',
    state: 'note',
    says: 'too few records are visible',
    meaning: 'They are read as the preset says.',
  },
]

const WRONG: Readonly<Partial<Record<Manner, string>>> = {
  ignored: 'the list ignores ids and answers others',
  cut: 'the list leaves out some of the ids',
}

function judge(survey: Survey, batched: readonly Batched[]): Finding[] {
  const together = TOGETHER.flatMap(({ manner, says, ...rest }): Finding[] => {
    const alike = batched.filter((each) => each.manner === manner)
    return alike.length === 0 ? [] : [{ ...rest, found: `${says}: ${plurals(alike)}` }]
  })
  const alone = batched.flatMap(({ resource: { name, plural }, manner }): Finding[] => {
    const found = WRONG[manner]
    if (found === undefined) return []
    const state = survey.known.unbatched?.includes(name) ? 'note' : 'warning'
    return [{ id: `batches.${name}`, title: `Batches of ${plural}`, state, found, meaning: 'Read one by one: a call for each record.' }]
  })
  return [...together, ...alone]
}

/** Which lists can be asked for several records by their ids. */
export const batches = check<readonly Batched[]>({ title: 'Trying batches', probe, judge })
