const graph = (...names: string[]): string[] => names.map((name) => `test/engine/${name}.test.ts`)
const contract = (...names: string[]): string[] => names.map((name) => `test/contract/${name}.test.ts`)

/** Suites of the graph whose answers could depend on the site: they run in front of every profile of the embedded LMS. */
export const ON_EVERY_PROFILE: readonly string[] = [
  ...graph('access', 'bad-input', 'bad-mutations', 'counting', 'failures', 'mutations', 'operations', 'random', 'roles', 'slugs'),
  ...contract('bodies', 'fields', 'parameters'),
]

/** Of those the ones that take longest: in front of further profiles only the long run has them. */
export const LONG: readonly string[] = [...graph('bad-mutations', 'random', 'roles'), ...contract('parameters')]

const WITHOUT_SITE = 'no site is asked'
const BOTH_EXECUTORS = 'it holds two executors against each other, in front of the same site'
const COUNTS = 'it counts calls in front of a site as specified'
const OWN_SITE = 'it makes up a site of its own, which answers what no profile does'

/** The other suites of the graph, each with the reason why they run once. */
export const ONCE: Readonly<Record<string, string>> = {
  'test/contract/bounds.test.ts': OWN_SITE,
  'test/engine/avoidable-calls.test.ts': COUNTS,
  'test/engine/compiled-random.test.ts': BOTH_EXECUTORS,
  'test/engine/compiled-values.test.ts': WITHOUT_SITE,
  'test/engine/compiled.test.ts': BOTH_EXECUTORS,
  'test/engine/fallbacks.test.ts': COUNTS,
  'test/engine/hostile.test.ts': 'a proxy that shuffles, drops and adds rows stands before the site, and says itself what is true',
  'test/engine/id-filters.test.ts': COUNTS,
  'test/engine/ids.test.ts': WITHOUT_SITE,
  'test/engine/known-keys.test.ts': OWN_SITE,
  'test/engine/leaks.test.ts': OWN_SITE,
  'test/engine/listing.test.ts': OWN_SITE,
  'test/engine/loading.test.ts': OWN_SITE,
  'test/engine/capabilities.test.ts': WITHOUT_SITE,
  'test/engine/nullable-roots.test.ts': 'it is about arguments that no site is asked with',
  'test/engine/planless.test.ts': BOTH_EXECUTORS,
  'test/engine/planning.test.ts': OWN_SITE,
  'test/engine/prepared-operations.test.ts': WITHOUT_SITE,
  'test/engine/refused-batches.test.ts': 'a proxy stands before the site, and refuses its lists',
  'test/engine/schema.test.ts': WITHOUT_SITE,
  'test/engine/sites.test.ts': 'it describes one site otherwise, setting by setting',
  'test/engine/slug-answers.test.ts': OWN_SITE,
  'test/engine/table.test.ts': 'it is about one table, with calls at the same time',
  'test/engine/traps.test.ts': 'it holds sites of the plugin and one as specified against each other',
  'test/engine/window-args.test.ts': WITHOUT_SITE,
  'test/engine/window-pages.test.ts': OWN_SITE,
  'test/engine/windows.test.ts': OWN_SITE,
  'test/engine/write-answers.test.ts': OWN_SITE,
}
