import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Quick suites of one module each, in the order in which they run: the first test that fails ends a mutant. */
export const SUITES = [
  ...['columns', 'kinds', 'encoders', 'records'].map((name) => `test/upstream/codec/${name}.test.ts`),
  'test/upstream/query.test.ts',
  ...['encodings', 'responses', 'shared-request', 'fair-queue', 'requests', 'bodies', 'errors', 'sharing', 'writes'].map(
    (name) => `test/upstream/transport/${name}.test.ts`,
  ),
  'test/plan/plan.test.ts',
  ...[
    'window-args',
    'window-pages',
    'known-keys',
    'lists',
    'batching',
    'single-reads',
    'batches',
    'batch-refusals',
    'tables',
    'waves',
    'shared-table',
    'by-key',
  ].map((name) => `test/load/${name}.test.ts`),
  ...['by-parent', 'prefetch'].map((name) => `test/prefetch/${name}.test.ts`),
  // They wait for seconds: retries, trials and stale answers need time to pass.
  ...['breaker', 'retries'].map((name) => `test/upstream/transport/${name}.test.ts`),
  'test/upstream/cache/stale-if-error.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification): number => SUITES.findIndex((suite) => moduleId.endsWith(suite))

class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => placeOf(a) - placeOf(b))
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: SUITES,
    // Modules are loaded once for all suites of a mutant.
    isolate: false,
    maxWorkers: 1,
    // Many mutants leave a promise pending; the longest of these tests takes less than three seconds.
    testTimeout: 8_000,
    hookTimeout: 20_000,
    provide: { profile: 'lms' },
    sequence: { sequencer: Sequencer },
  },
})
