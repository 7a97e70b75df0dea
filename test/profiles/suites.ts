const graph = (...names: string[]): string[] => names.map((name) => `test/operations/${name}.test.ts`)
const contract = (...names: string[]): string[] => names.map((name) => `test/contract/${name}.test.ts`)

/** Suites of the graph whose results could depend on the site. They run for every profile of the embedded LMS. */
export const ON_EVERY_PROFILE: readonly string[] = [
  ...graph('access', 'bad-input', 'bad-mutations', 'blank-search', 'counting', 'failures', 'mutations', 'operations', 'own-routes'),
  ...graph('random', 'roles'),
  'test/load/slugs.test.ts',
  ...contract('bodies', 'fields', 'parameters'),
  'test/integration/access-matrix.test.ts',
]

/** The slowest of these suites. Only `npm run soak` runs them for further profiles. */
export const LONG: readonly string[] = [...graph('bad-mutations', 'random', 'roles'), ...contract('parameters')]

const WITHOUT_SITE = 'no site is asked'
const BOTH_EXECUTORS = 'it holds two executors against each other, in front of the same site'
const COUNTS = 'it counts calls in front of a site as specified'
const OWN_SITE = 'it makes up a site of its own, which answers what no profile does'

/** The other suites of the graph, with the reason why they run once. */
export const ONCE: Readonly<Record<string, string>> = {
  'test/contract/bounds.test.ts': OWN_SITE,
  'test/operations/avoidable-calls.test.ts': COUNTS,
  'test/operations/enrolments.test.ts': COUNTS,
  'test/operations/hostile.test.ts': 'a proxy that shuffles, drops and adds rows stands before the site, and says itself what is true',
  'test/operations/invalid-fields.test.ts': OWN_SITE,
  'test/operations/leaks.test.ts': OWN_SITE,
  'test/operations/nullable-roots.test.ts': 'it is about arguments that no site is asked with',
  'test/operations/planless.test.ts': BOTH_EXECUTORS,
  'test/operations/sites.test.ts': 'it describes one site otherwise, setting by setting',
  'test/operations/traps.test.ts': 'it holds sites of the plugin and one as specified against each other',
  'test/operations/turns.test.ts': 'no site is asked',
  'test/operations/variables.test.ts': 'it holds variables against literals',
  'test/operations/ways.test.ts': 'it holds ways to run operations against each other, in front of the same site',
  'test/operations/viewer-can.test.ts': 'it starts sites of both kinds, and sites that do not tell the methods of a record',
  'test/operations/write-answers.test.ts': OWN_SITE,
  'test/cost/chains.test.ts': COUNTS,
  'test/cost/explained-steps.test.ts': COUNTS,
  'test/cost/operations.test.ts': COUNTS,
  'test/cost/refusal.test.ts': COUNTS,
  'test/cost/bound.test.ts': COUNTS,
  'test/cost/sizes.test.ts': COUNTS,
  'test/cost/unbatched.test.ts': COUNTS,
  'test/cost/windows.test.ts': COUNTS,
  'test/load/by-key.test.ts': WITHOUT_SITE,
  'test/load/batch-refusals.test.ts': OWN_SITE,
  'test/load/batches.test.ts': OWN_SITE,
  'test/load/batching.test.ts': OWN_SITE,
  'test/prefetch/by-parent.test.ts': WITHOUT_SITE,
  'test/prefetch/loaders.test.ts': 'it is about DataLoaders, in front of a proxy that describes the site otherwise',
  'test/prefetch/prefetch.test.ts': OWN_SITE,
  'test/load/id-filters.test.ts': COUNTS,
  'test/load/known-keys.test.ts': OWN_SITE,
  'test/load/lists.test.ts': OWN_SITE,
  'test/load/refused-batches.test.ts': 'a proxy stands before the site, and refuses its lists',
  'test/load/shared-table.test.ts': 'it is about one table, with calls at the same time',
  'test/load/single-reads.test.ts': OWN_SITE,
  'test/load/slug-answers.test.ts': OWN_SITE,
  'test/load/tables.test.ts': OWN_SITE,
  'test/load/waves.test.ts': OWN_SITE,
  'test/load/window-args.test.ts': WITHOUT_SITE,
  'test/load/window-pages.test.ts': OWN_SITE,
  'test/load/windows.test.ts': OWN_SITE,
  'test/plan/plan.test.ts': WITHOUT_SITE,
  'test/plan/prepared-operations.test.ts': WITHOUT_SITE,
  'test/execute/fallbacks.test.ts': COUNTS,
}
