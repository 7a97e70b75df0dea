import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LONG, ON_EVERY_PROFILE } from './profiles/suites.js'
import { ProfileReport } from './support/profile-report.js'

const SOAK = process.env.SOAK === '1'
const root = fileURLToPath(new URL('..', import.meta.url))

/** Suites in front of one kind of site: every suite in front of the one as specified, and the graph's in front of the others. */
const project = (profile: 'lms' | 'learndash' | 'learndash-5', include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: { name: profile, include: [...include], exclude: [...exclude], setupFiles: EXECUTORS, provide: { profile } },
})

/** Holds compiled operations against graphql-js, whatever runs them. */
const EXECUTORS = 'test/support/both-executors.ts'

/** What runs no operation. */
const PARTS = 'test/{lms,upstream,settings}/**/*.test.ts'

/** What runs in front of further kinds of site. */
const FURTHER = SOAK ? ON_EVERY_PROFILE : ON_EVERY_PROFILE.filter((suite) => !LONG.includes(suite))

export default defineConfig({
  root,
  // One copy of graphql for ESM and CommonJS importers alike.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 3,
    // Files share their processes: to load the gateway for each took as long as many a file.
    isolate: false,
    globalSetup: 'test/support/count-executors.ts',
    reporters: ['default', new ProfileReport(ON_EVERY_PROFILE)],
    projects: [
      project('lms', ['test/**/*.test.ts'], [PARTS]),
      { extends: true, test: { name: 'parts', include: [PARTS], provide: { profile: 'lms' } } },
      project('learndash', FURTHER),
      project('learndash-5', FURTHER),
      // Once more past the short path: what is about HTTP, and what must never leak.
      {
        extends: true,
        test: {
          name: 'yoga',
          setupFiles: EXECUTORS,
          include: ['test/server/*.test.ts', 'test/engine/failures.test.ts'],
          exclude: [
            'test/server/{use-graphiql,https,load,garbage,faults,memory,short-path,protection,leaving,fairness,sharing}.test.ts',
            // These take both paths themselves, or none.
            'test/server/{attacks,audits,limits,outlived,strangers}.test.ts',
            // Every error is asked for on both paths by `short-path.test.ts`.
            ...(SOAK ? [] : ['test/server/error-codes.test.ts']),
          ],
          env: { SHORT_PATH: 'false' },
          provide: { profile: 'lms' },
        },
      },
    ],
  },
})
