import { subscribe } from 'node:diagnostics_channel'
import type { Fallback } from '../../src/execute/fallback.js'

let fallbacks: Fallback[] = []

// Test files that share a process share the channel too, and each loads this module again.
const known = globalThis as { fallbackListener?: (fallback: Fallback) => void }
if (!known.fallbackListener) subscribe('lms-graphql:fallback', (fallback) => known.fallbackListener?.(fallback as Fallback))
known.fallbackListener = (fallback) => fallbacks.push(fallback)

/** The fallbacks since the last call. A test that causes fallbacks takes them; those that remain fail their test. */
export function takeFallbacks(): readonly Fallback[] {
  const taken = fallbacks
  fallbacks = []
  return taken
}
