import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LONG, ON_EVERY_PROFILE } from './profiles/suites.js'
import { ProfileReport } from './support/profile-report.js'

const SOAK = process.env.SOAK === '1'
const root = fileURLToPath(new URL('..', import.meta.url))

/** Suites in front of one kind of site: every suite in front of the one as specified, and the graph's in front of the others. */
const project = (profile: 'lms' | 'learndash' | 'learndash-5', include: readonly string[]) => ({
  extends: true as const,
  test: { name: profile, include: [...include], provide: { profile } },
})

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
    maxWorkers: 2,
    globalSetup: 'test/support/count-executors.ts',
    setupFiles: 'test/support/both-executors.ts',
    reporters: ['default', new ProfileReport(ON_EVERY_PROFILE)],
    projects: [
      project('lms', ['test/**/*.test.ts']),
      project('learndash', FURTHER),
      project('learndash-5', FURTHER),
      // Once more past the short path: what is about HTTP, and what must never leak.
      {
        extends: true,
        test: {
          name: 'yoga',
          include: ['test/gateway/*.test.ts', 'test/graph/failures.test.ts'],
          exclude: [
            'test/gateway/{use-graphiql,https,load,garbage,faults,memory,short-path,protection,leaving,fairness,sharing}.test.ts',
            // These take both paths themselves, or none.
            'test/gateway/{attacks,audits,limits,strangers}.test.ts',
          ],
          env: { SHORT_PATH: 'false' },
          provide: { profile: 'lms' },
        },
      },
    ],
  },
})
