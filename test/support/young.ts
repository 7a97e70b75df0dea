import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Without it, V8 may allocate what a test measures in the old generation directly, as it expects it to live long.
setFlagsFromString('--no-allocation-site-pretenuring')
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' | 'major' }) => void

/** Collects the young generation only. */
export const collectYoung = (): void => collect({ type: 'minor' })

/** Collects all garbage. */
export const collectAll = (): void => collect()

/** Megabytes of the old generation after that. */
export function oldMegabytes(): number {
  const { space_used_size = 0 } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space') ?? {}
  return space_used_size / 1_000_000
}
