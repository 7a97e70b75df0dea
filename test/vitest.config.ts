import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

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
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
      // Once more past the short path: what is about HTTP, and what must never leak.
      {
        extends: true,
        test: {
          name: 'yoga',
          include: ['test/gateway/*.test.ts', 'test/graph/failures.test.ts'],
          exclude: ['test/gateway/{use-graphiql,https,load,garbage}.test.ts'],
          env: { SHORT_PATH: 'false' },
        },
      },
    ],
  },
})
