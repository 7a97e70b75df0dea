import type { Fault, Latency } from '../profile/faults.js'
import { Random } from '../seed/random.js'

/** Requests to which faults with `next` still apply. */
const remaining = new WeakMap<Fault, number>()

/** The 95th percentile of the normal distribution, in standard deviations. */
const P95 = 1.6449

/** Whether a request contains the parts of a route, between its `*`, in their order. */
function isOn(route: string, request: string): boolean {
  let at = 0
  return route.split('*').every((part) => {
    const found = request.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}

/** Decides by chance. Every start has the same sequence of decisions. */
export class Chance {
  readonly #random = new Random(1)

  /** Whether a fault applies to a request, given as `GET /path?query`. Counts the requests of `next`. */
  applies(fault: Fault, request: string): boolean {
    if (fault.route !== undefined && !isOn(fault.route, request)) return false
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
