import { subscribe } from 'node:diagnostics_channel'
import type { Fallback } from '../../src/engine/fallback.js'

let fallbacks: Fallback[] = []

// Files that share a process share the channel too, and each of them loads this module anew.
const known = globalThis as { fallbackListener?: (fallback: Fallback) => void }
if (!known.fallbackListener) subscribe('lms-graphql:fallback', (fallback) => known.fallbackListener?.(fallback as Fallback))
known.fallbackListener = (fallback) => fallbacks.push(fallback)

/** The fallbacks since the last call. A test that provokes some takes them; those that are left fail their test. */
export function takeFallbacks(): readonly Fallback[] {
  const taken = fallbacks
  fallbacks = []
  return taken
}
