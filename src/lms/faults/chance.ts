import type { Fault, Latency } from '../profile/faults.js'
import { Random } from '../seed/random.js'

/** Requests to which faults with `next` still apply. */
const remaining = new WeakMap<Fault, number>()
const patterns = new WeakMap<Fault, RegExp>()

/** The 95th percentile of the normal distribution, in standard deviations. */
const P95 = 1.6449

function patternOf(fault: Fault, route: string): RegExp {
  const known = patterns.get(fault)
  if (known) return known
  const pattern = new RegExp(
    route
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*'),
  )
  patterns.set(fault, pattern)
  return pattern
}

/** Decides by chance. Every start has the same sequence of decisions. */
export class Chance {
  readonly #random = new Random(1)

  /** Whether a fault applies to a request, given as `GET /path?query`. Counts the requests of `next`. */
  applies(fault: Fault, request: string): boolean {
    if (fault.route !== undefined && !patternOf(fault, fault.route).test(request)) return false
    if (fault.chance !== undefined && !this.#random.chance(fault.chance)) return false
    if (fault.next === undefined) return true
    const count = remaining.get(fault) ?? fault.next
    remaining.set(fault, Math.max(count - 1, 0))
    return count > 0
  }

  /** Milliseconds that a response takes. */
  delay({ median, p95 }: Latency): number {
    if (median === 0) return 0
    const [one, other] = [1 - this.#random.next(), this.#random.next()]
    const normal = Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other)
    return median * Math.exp((Math.log(p95 / median) / P95) * normal)
  }
}
