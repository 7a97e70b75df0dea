import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ON_EVERY_PROFILE } from './profiles/suites.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The suites as they run in front of one kind of site. */
const project = (profile: 'lms' | 'learndash' | 'learndash-5', include: readonly string[]) => ({
  extends: true as const,
  test: { name: profile, include: [...include], provide: { profile } },
})

export default defineConfig({
  root,
  // One copy of graphql for ESM and CommonJS importers alike.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [project('lms', ['test/**/*.test.ts']), project('learndash', ON_EVERY_PROFILE), project('learndash-5', ON_EVERY_PROFILE)],
  },
})
