import { afterEach, expect } from 'vitest'
import { takeFallbacks } from './fallbacks.js'

// Runs before every test file: no fallback of the fast path may stay unnoticed.

afterEach(() => {
  expect(takeFallbacks().map(({ step, operationName, cause }) => [step, operationName, cause])).toEqual([])
})
