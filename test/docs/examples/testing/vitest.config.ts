import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    globalSetup: './global-setup.ts',
    // The files share one school.
    fileParallelism: false,
    testTimeout: 30_000,
  },
})
