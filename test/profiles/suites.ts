const graph = (...names: string[]): string[] => names.map((name) => `test/engine/${name}.test.ts`)
const contract = (...names: string[]): string[] => names.map((name) => `test/contract/${name}.test.ts`)

/** Suites of the graph whose results could depend on the site. They run for every profile of the embedded LMS. */
export const ON_EVERY_PROFILE: readonly string[] = [
  ...graph('access', 'bad-input', 'bad-mutations', 'counting', 'failures', 'mutations', 'operations', 'random', 'roles', 'fetch/slugs'),
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
  'test/engine/avoidable-calls.test.ts': COUNTS,
  'test/engine/hostile.test.ts': 'a proxy that shuffles, drops and adds rows stands before the site, and says itself what is true',
  'test/engine/leaks.test.ts': OWN_SITE,
  'test/engine/nullable-roots.test.ts': 'it is about arguments that no site is asked with',
  'test/engine/planless.test.ts': BOTH_EXECUTORS,
  'test/engine/sites.test.ts': 'it describes one site otherwise, setting by setting',
  'test/engine/traps.test.ts': 'it holds sites of the plugin and one as specified against each other',
  'test/engine/turns.test.ts': 'no site is asked',
  'test/engine/variables.test.ts': 'it holds variables against literals',
  'test/engine/write-answers.test.ts': OWN_SITE,
  'test/engine/cost/ceiling.test.ts': COUNTS,
  'test/engine/cost/chains.test.ts': COUNTS,
  'test/engine/cost/operations.test.ts': COUNTS,
  'test/engine/cost/refusal.test.ts': COUNTS,
  'test/engine/cost/sizes.test.ts': COUNTS,
  'test/engine/cost/unbatched.test.ts': COUNTS,
  'test/engine/cost/windows.test.ts': COUNTS,
  'test/engine/fetch/batch-refusals.test.ts': OWN_SITE,
  'test/engine/fetch/batches.test.ts': OWN_SITE,
  'test/engine/fetch/batching.test.ts': OWN_SITE,
  'test/engine/fetch/by-parent.test.ts': WITHOUT_SITE,
  'test/engine/fetch/id-filters.test.ts': COUNTS,
  'test/engine/fetch/known-keys.test.ts': OWN_SITE,
  'test/engine/fetch/lists.test.ts': OWN_SITE,
  'test/engine/fetch/refused-batches.test.ts': 'a proxy stands before the site, and refuses its lists',
  'test/engine/fetch/shared-table.test.ts': 'it is about one table, with calls at the same time',
  'test/engine/fetch/single-reads.test.ts': OWN_SITE,
  'test/engine/fetch/slug-answers.test.ts': OWN_SITE,
  'test/engine/fetch/tables.test.ts': OWN_SITE,
  'test/engine/fetch/waves.test.ts': OWN_SITE,
  'test/engine/fetch/window-args.test.ts': WITHOUT_SITE,
  'test/engine/fetch/window-pages.test.ts': OWN_SITE,
  'test/engine/fetch/windows.test.ts': OWN_SITE,
  'test/engine/prepare/plan.test.ts': WITHOUT_SITE,
  'test/engine/prepare/prepared-operations.test.ts': WITHOUT_SITE,
  'test/engine/respond/fallbacks.test.ts': COUNTS,
  'test/engine/respond/random-operations.test.ts': BOTH_EXECUTORS,
  'test/engine/respond/response-writer.test.ts': BOTH_EXECUTORS,
  'test/engine/respond/written-values.test.ts': WITHOUT_SITE,
}
