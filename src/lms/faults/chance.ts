import type { Fault, Latency } from '../profile/fault.js'
import { Random } from '../seed/random.js'

/** Requests still to be struck by faults that strike only some. */
const left = new WeakMap<Fault, number>()
const patterns = new WeakMap<Fault, RegExp>()

/** Standard deviations from the median up to which 19 of 20 are. */
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

/** What happens by chance; the same from start to start. */
export class Chance {
  readonly #random = new Random(1)

  /** Whether a fault strikes a request, `GET /path?query`; counts those it has struck. */
  strikes(fault: Fault, request: string): boolean {
    if (fault.route !== undefined && !patternOf(fault, fault.route).test(request)) return false
    if (fault.chance !== undefined && !this.#random.chance(fault.chance)) return false
    if (fault.next === undefined) return true
    const count = left.get(fault) ?? fault.next
    left.set(fault, Math.max(count - 1, 0))
    return count > 0
  }

  /** Milliseconds an answer takes. */
  delay({ median, p95 }: Latency): number {
    if (median === 0) return 0
    const [one, other] = [1 - this.#random.next(), this.#random.next()]
    const normal = Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other)
    return median * Math.exp((Math.log(p95 / median) / P95) * normal)
  }
}
