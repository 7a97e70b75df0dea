import { mediaList } from '../../graph/featured-image/routes.js'
import { TAXONOMIES } from '../../graph/lms-term/routes.js'
import { userList } from '../../graph/user/routes.js'
import { isRefusal } from '../../upstream/errors.js'
import type { ListRoute, Route } from '../../upstream/routes.js'
import { check } from '../check.js'
import { listing } from '../finding.js'
import { errorOf, type Outcome } from '../prober.js'
import { existsBy } from '../survey.js'

const pathOfTaxonomy = (taxonomy: string): Route['path'] => `wp/v2/${taxonomy}`

/** The entries of the setting `routes` for routes of WordPress, but that of the current user: their routes, and what the graph reads from them. */
const ENTRIES = [
  { entry: 'users', title: 'Users of WordPress', fields: 'Names and pictures of users', paths: [userList.path] },
  { entry: 'media', title: 'Images of WordPress', fields: 'Featured images', paths: [mediaList.path] },
  {
    entry: 'terms',
    title: 'Terms of WordPress',
    fields: 'Categories and tags with their names',
    paths: Object.values(TAXONOMIES).map(pathOfTaxonomy),
  },
] as const

/** Checks which of WordPress's routes for users, media and terms the site has. */
export const optionalRoutes = check<ReadonlyMap<string, Outcome<unknown>>>({
  title: 'Reading users, images and terms',

  async probe(survey) {
    const outcomes = new Map<string, Outcome<unknown>>()
    for (const { entry, title, paths } of ENTRIES) {
      for (const path of paths) {
        const list: ListRoute = { path, window: 'offset', filters: {}, orders: {} }
        outcomes.set(path, await survey.prober.ask(title, survey.site, (client, call) => client.list(list, {}, { per_page: 1 }, call)))
      }
      const exists = paths.map((path) => existsBy(outcomes.get(path) as Outcome<unknown>))
      if (exists.includes(true) || !exists.includes(undefined)) survey.learnRoute(entry, exists.includes(true))
    }
    return outcomes
  },

  judge: ({ source }, outcomes) =>
    ENTRIES.map(({ entry, title, fields, paths }) => {
      const read = paths.map((path) => ({ path, outcome: outcomes.get(path) as Outcome<unknown> }))
      const missing = read.filter(({ outcome }) => existsBy(outcome) === false).map(({ path }) => path)
      const finding = (found: string, meaning: string, state: 'ok' | 'note' = 'note') => ({
        id: `wordpress.${entry}`,
        title,
        state,
        found,
        meaning: `${fields} ${meaning}.`,
      })
      if (missing.length === paths.length) return finding('the site does not have them', 'are null with the error NOT_AVAILABLE')
      if (!read.some(({ outcome }) => existsBy(outcome))) return finding('not known', `are read as ${source} says`)
      if (missing.length > 0) return finding(`all but ${listing(missing)}`, 'are null with the error NOT_AVAILABLE for these')
      return read.some(({ outcome }) => isRefusal(errorOf(outcome)))
        ? finding('not shown to this account', 'are null with the error FORBIDDEN for such callers')
        : finding('the site has them', 'have data', 'ok')
    }),
})
