import { type LmsError, TimeoutError, UnavailableError } from '../../upstream/errors.js'
import { pathOf, type Route } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, got, type Outcome } from '../prober.js'
import { RESOURCES } from '../resources.js'
import { sampleLists, sampleSingles } from '../sampling.js'
import { type Survey, saysNoRoute } from '../survey.js'

interface Verdict extends Pick<Finding, 'state' | 'found' | 'meaning'> {
  /** Title under which routes of the same verdict are told together. */
  readonly together?: string
}

/** What an error says of a route: the first that fits. */
const VERDICTS: readonly { readonly fits: (error: LmsError) => boolean; readonly verdict: (error: LmsError) => Verdict }[] = [
  {
    fits: saysNoRoute,
    verdict: () => ({ state: 'breaks', found: 'there is no such route', meaning: 'What the graph reads there fails with NOT_FOUND.' }),
  },
  {
    fits: ({ upstream }) => upstream !== undefined && upstream.status >= 300 && upstream.status < 400,
    verdict: ({ upstream }) => ({
      state: 'breaks',
      found: `redirects (${upstream?.status})`,
      meaning: 'The gateway follows redirects from http to https only: other reads there fail with UPSTREAM_INVALID_RESPONSE.',
    }),
  },
  {
    fits: ({ code }) => code === 'UPSTREAM_INVALID_RESPONSE',
    verdict: ({ message, upstream }) => ({
      state: 'breaks',
      found: `${message.replace(/^The answer to \S+ /, '').replace(/\.$/, '')} (${upstream?.status})`,
      meaning:
        'What the graph reads there fails with UPSTREAM_INVALID_RESPONSE. A page of HTML comes from a firewall, a plugin or an error.',
    }),
  },
  {
    fits: (error) => error instanceof UnavailableError || error instanceof TimeoutError,
    verdict: ({ upstream, code }) => ({
      state: 'breaks',
      found: upstream
        ? `fails (${upstream.status})`
        : code === 'UPSTREAM_TIMEOUT'
          ? 'does not answer in time'
          : 'breaks the connection off',
      meaning: `What the graph reads there fails with ${code}.`,
    }),
  },
  {
    fits: ({ code }) => code === 'UPSTREAM_RATE_LIMITED',
    verdict: () => ({ state: 'warning', found: 'too many requests (429)', meaning: 'The site limits calls: lower `--max-in-flight`.' }),
  },
  {
    fits: ({ upstream }) => upstream?.status === 401 || upstream?.status === 403,
    verdict: () => ({
      state: 'note',
      found: '',
      meaning: 'They are there; another credential may see them.',
      together: 'Routes not for this caller',
    }),
  },
  {
    fits: ({ code }) => code === 'NOT_FOUND',
    verdict: () => ({ state: 'ok', found: 'is there', meaning: '' }),
  },
  {
    fits: () => true,
    verdict: ({ upstream, code }) => ({
      state: 'warning',
      found: `refuses the call (${upstream?.status ?? code} ${upstream?.code ?? ''})`.replace(' )', ')'),
      meaning: 'What the graph reads there may fail with UPSTREAM_REJECTED.',
    }),
  },
]

/** Routes the graph reads, each once. */
const ROUTES: readonly { readonly plural: string; readonly route: Route; readonly narrowed: boolean }[] = RESOURCES.flatMap(
  ({ plural, list, one }) => [
    ...(list ? [{ plural, route: list, narrowed: list.narrowedBy !== undefined }] : []),
    ...(one ? [{ plural: `one of the ${plural}`, route: one, narrowed: false }] : []),
  ],
)

const UNTRIED: Verdict = { state: 'note', found: '', meaning: 'Nothing is known of them.', together: 'Routes not tried' }

/** The worst a route can be said to be is by the best of its answers. */
function judgeRoute(outcomes: readonly Outcome<unknown>[], narrowed: boolean): Verdict {
  if (outcomes.some((outcome) => got(outcome) !== undefined)) return { state: 'ok', found: 'is there', meaning: '' }
  const errors = outcomes.flatMap((outcome) => errorOf(outcome) ?? [])
  if (errors.length === 0) return UNTRIED
  const verdicts = errors.map((error) => VERDICTS.find(({ fits }) => fits(error))?.verdict(error) as Verdict)
  const best = (['ok', 'note', 'warning', 'breaks'] as const).flatMap(
    (state) => verdicts.find((verdict) => verdict.state === state) ?? [],
  )[0] as Verdict
  // Only administrators may read such a list whole: to be refused is its manner.
  return narrowed && best.state === 'warning' ? { ...best, state: 'note', meaning: 'It is read by its filter only.' } : best
}

function judge(survey: Survey): Finding[] {
  const names = new Proxy({}, { get: (_, name) => `<${String(name)}>` })
  const judged = ROUTES.map(({ plural, route, narrowed }) => ({
    ...judgeRoute(survey.outcomes.get(route.path) ?? [], narrowed),
    id: `routes.${route.path}`,
    title: `Route of ${plural}`,
    path: decodeURIComponent(pathOf(survey.site, route, names)),
  }))
  const well = judged.filter(({ state }) => state === 'ok').length
  const alone = judged.filter(({ state, together }) => state !== 'ok' && together === undefined)
  return [
    {
      id: 'routes',
      title: 'Routes',
      state: 'ok',
      found: `${well} of ${judged.length} are read`,
      meaning: 'They are what the graph reads.',
    },
    ...renamed(survey),
    ...alone.map(({ id, title, state, path, found, meaning }) => ({ id, title, state, found: `${path} ${found}`, meaning })),
    ...[...new Set(judged.flatMap(({ together }) => together ?? []))].map((title): Finding => {
      const [first, ...others] = judged.filter(({ together }) => together === title) as [(typeof judged)[number], ...typeof judged]
      const { state, meaning } = first
      const id = title === UNTRIED.together ? 'routes.untried' : 'routes.refused'
      return { id, title, state, found: listing([first, ...others].map(({ path }) => path)), meaning }
    }),
  ]
}

function renamed({ site }: Survey): Finding[] {
  const found = listing(Object.entries(site.segments).map(([segment, name]) => `${segment} is ${name}`))
  return found === ''
    ? []
    : [{ id: 'routes.names', title: 'Names of routes', state: 'note', found, meaning: 'The written configuration has them.' }]
}

/** Which routes there are; their first answers are what most other checks look at. */
export const routes = check<void>({
  title: 'Reading the first records',
  async probe(survey) {
    await sampleLists(survey)
    await sampleSingles(survey)
  },
  judge,
})
