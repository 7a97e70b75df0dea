import { mediaList } from '../../graph/featured-image/routes.js'
import { TAXONOMIES } from '../../graph/lms-term/routes.js'
import { userList } from '../../graph/user/routes.js'
import { isRefusal } from '../../upstream/errors.js'
import type { Route } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, type Outcome } from '../prober.js'
import { existsBy, type Survey } from '../survey.js'

type Entry = 'users' | 'media' | 'terms'

interface Read {
  readonly entry: Entry
  readonly path: Route['path']
  readonly outcome: Outcome<unknown>
}

const TITLES: Readonly<Record<Entry, readonly [title: string, fields: string]>> = {
  users: ['Users of WordPress', 'Names and pictures of users'],
  media: ['Images of WordPress', 'Featured images'],
  terms: ['Terms of WordPress', 'Categories and tags with their names'],
}

/** The routes of each entry of the setting `wordpressRoutes`, but that of the current user. */
const ROUTES: readonly (readonly [Entry, Route['path']])[] = [
  ['users', userList.path],
  ['media', mediaList.path],
  ...Object.values(TAXONOMIES).map((taxonomy) => ['terms', `wp/v2/${taxonomy}`] as const),
]

async function probe(survey: Survey): Promise<readonly Read[]> {
  const reads: Read[] = []
  for (const [entry, path] of ROUTES) {
    const list = { path, window: 'offset', filters: {}, orders: {} } as const
    const outcome = await survey.prober.ask(TITLES[entry][0], survey.site, (client, call) => client.list(list, {}, { per_page: 1 }, call))
    reads.push({ entry, path, outcome })
  }
  for (const entry of Object.keys(TITLES) as Entry[]) {
    const exists = reads.filter((read) => read.entry === entry).map(({ outcome }) => existsBy(outcome))
    if (exists.includes(true)) survey.learnRoute(entry, true)
    else if (exists.every((each) => each === false)) survey.learnRoute(entry, false)
  }
  return reads
}

function judge(survey: Survey, all: readonly Read[]): Finding[] {
  return (Object.keys(TITLES) as Entry[]).map((entry) => {
    const [title, fields] = TITLES[entry]
    const base = { id: `wordpress.${entry}`, title }
    const reads = all.filter((read) => read.entry === entry)
    const isMissing = ({ outcome }: Read): boolean => existsBy(outcome) === false
    const missing = listing(reads.filter(isMissing).map(({ path }) => path))
    const missed = `${fields} are null with the error NOT_AVAILABLE`
    if (reads.every(isMissing)) return { ...base, state: 'note', found: 'the site does not have them', meaning: `${missed}.` }
    if (reads.every(({ outcome }) => existsBy(outcome) !== true)) {
      const meaning = `Whether there are ${fields.toLowerCase()} is the setting of ${survey.source}.`
      return { ...base, state: 'note', found: 'not known', meaning }
    }
    if (missing !== '') return { ...base, state: 'note', found: `all but ${missing}`, meaning: `${missed} for these.` }
    if (reads.some(({ outcome }) => isRefusal(errorOf(outcome))))
      return {
        ...base,
        state: 'note',
        found: 'not shown to this account',
        meaning: `${fields} are null with the error FORBIDDEN for such callers.`,
      }
    return { ...base, state: 'ok', found: 'the site has them', meaning: `${fields} have data.` }
  })
}

/** Checks which routes of WordPress itself the site has, besides that of the current user. */
export const wordpress = check<readonly Read[]>({ title: 'Reading users, images and terms', probe, judge })
