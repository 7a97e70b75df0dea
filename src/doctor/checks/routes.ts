import { type LmsError, TimeoutError, UnavailableError } from '../../upstream/errors.js'
import { pathOf, type Route } from '../../upstream/routes.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, type Outcome, resultOf } from '../prober.js'
import { RESOURCES } from '../resources.js'
import { sampleLists, sampleSingles } from '../sampling.js'
import { isMissingRoute, type Survey } from '../survey.js'

interface Verdict extends Pick<Finding, 'state' | 'found' | 'meaning'> {
  /** Title of the finding that combines routes with the same verdict. */
  readonly combinedTitle?: string
}

/** Verdicts for errors of a route; the first match is used. */
const VERDICTS: readonly { readonly matches: (error: LmsError) => boolean; readonly verdict: (error: LmsError) => Verdict }[] = [
  {
    matches: isMissingRoute,
    verdict: () => ({ state: 'breaks', found: 'does not exist', meaning: 'Fields that read it fail with NOT_FOUND.' }),
  },
  {
    matches: ({ upstream }) => upstream !== undefined && upstream.status >= 300 && upstream.status < 400,
    verdict: ({ upstream }) => ({
      state: 'breaks',
      found: `redirects (${upstream?.status})`,
      meaning: 'The gateway only follows redirects from http to https: fields that read it fail with UPSTREAM_INVALID_RESPONSE.',
    }),
  },
  {
    matches: ({ code }) => code === 'UPSTREAM_INVALID_RESPONSE',
    verdict: ({ message, upstream }) => ({
      state: 'breaks',
      found: `${message.replace(/^The answer to \S+ /, '').replace(/\.$/, '')} (${upstream?.status})`,
      meaning: 'Fields that read it fail with UPSTREAM_INVALID_RESPONSE. HTML is sent by a firewall, by a plugin or after an error.',
    }),
  },
  {
    matches: (error) => error instanceof UnavailableError || error instanceof TimeoutError,
    verdict: ({ upstream, code }) => ({
      state: 'breaks',
      found: upstream ? `fails (${upstream.status})` : code === 'UPSTREAM_TIMEOUT' ? 'does not answer in time' : 'breaks the connection',
      meaning: `Fields that read it fail with ${code}.`,
    }),
  },
  {
    matches: ({ code }) => code === 'UPSTREAM_RATE_LIMITED',
    verdict: () => ({ state: 'warning', found: 'too many requests (429)', meaning: 'The site limits calls: lower `--max-in-flight`.' }),
  },
  {
    matches: ({ upstream }) => upstream?.status === 401 || upstream?.status === 403,
    verdict: () => ({
      state: 'note',
      found: '',
      meaning: 'The routes exist; other credentials may read them.',
      combinedTitle: 'Routes without access',
    }),
  },
  {
    matches: ({ code }) => code === 'NOT_FOUND',
    verdict: () => ({ state: 'ok', found: 'exists', meaning: '' }),
  },
  {
    matches: () => true,
    verdict: ({ upstream, code }) => ({
      state: 'warning',
      found: `refuses the call (${upstream?.status ?? code} ${upstream?.code ?? ''})`.replace(' )', ')'),
      meaning: 'Fields that read it may fail with UPSTREAM_REJECTED.',
    }),
  },
]

/** All routes that the graph reads. */
const ROUTES: readonly { readonly plural: string; readonly route: Route; readonly narrowed: boolean }[] = RESOURCES.flatMap(
  ({ plural, list, one }) => [
    ...(list ? [{ plural, route: list, narrowed: list.narrowedBy !== undefined }] : []),
    ...(one ? [{ plural: `single ${plural}`, route: one, narrowed: false }] : []),
  ],
)

const UNTESTED: Verdict = { state: 'note', found: '', meaning: 'Nothing is known about them.', combinedTitle: 'Untested routes' }

/** The verdict for a route: that of its best answer. */
function judgeRoute(outcomes: readonly Outcome<unknown>[], narrowed: boolean): Verdict {
  if (outcomes.some((outcome) => resultOf(outcome) !== undefined)) return { state: 'ok', found: 'exists', meaning: '' }
  const errors = outcomes.flatMap((outcome) => errorOf(outcome) ?? [])
  if (errors.length === 0) return UNTESTED
  const verdicts = errors.map((error) => VERDICTS.find(({ matches }) => matches(error))?.verdict(error) as Verdict)
  const best = (['ok', 'note', 'warning', 'breaks'] as const).flatMap(
    (state) => verdicts.find((verdict) => verdict.state === state) ?? [],
  )[0] as Verdict
  // Only administrators may read such a list without a filter, so a refusal is expected.
  return narrowed && best.state === 'warning' ? { ...best, state: 'note', meaning: 'It is only read with its filter.' } : best
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
  const alone = judged.filter(({ state, combinedTitle }) => state !== 'ok' && combinedTitle === undefined)
  return [
    {
      id: 'routes',
      title: 'Routes',
      state: 'ok',
      found: `${well} of ${judged.length} can be read`,
      meaning: 'The graph reads these routes.',
    },
    ...renamed(survey),
    ...alone.map(({ id, title, state, path, found, meaning }) => ({ id, title, state, found: `${path} ${found}`, meaning })),
    ...[...new Set(judged.flatMap(({ combinedTitle }) => combinedTitle ?? []))].map((title): Finding => {
      const [first, ...others] = judged.filter(({ combinedTitle }) => combinedTitle === title) as [
        (typeof judged)[number],
        ...typeof judged,
      ]
      const { state, meaning } = first
      const id = title === UNTESTED.combinedTitle ? 'routes.untried' : 'routes.refused'
      return { id, title, state, found: listing([first, ...others].map(({ path }) => path)), meaning }
    }),
  ]
}

function renamed({ site }: Survey): Finding[] {
  const found = listing(Object.entries(site.segments).map(([segment, name]) => `${segment} is ${name}`))
  return found === ''
    ? []
    : [{ id: 'routes.names', title: 'Renamed routes', state: 'note', found, meaning: 'The written configuration has them.' }]
}

/** Checks which routes exist. The answers are the samples of most other checks. */
export const routes = check<void>({
  title: 'Reading the first records',
  async probe(survey) {
    await sampleLists(survey)
    await sampleSingles(survey)
  },
  judge,
})
