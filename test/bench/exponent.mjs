// Judges how a cost grows. A point has a `size`, and the `cost` of each unit of it.

/** How far an exponent may be above that of linear growth: noise of 10 % at both ends of a decade changes it by as much. */
const NOISE = 0.1

/** The verdict of growth that is too fast. */
export const WORSE = 'worse than linear'

/** The points of the largest decade of sizes. At smaller sizes, the fixed cost of an operation would hide growth. */
export const largest = (points) => points.filter(({ size }) => size >= points.at(-1).size / 10)

/** The exponent `e` of the power `size ** e` that fits the whole cost of the largest decade best, from the cost of each unit. */
export function exponentOf(points) {
  const fitted = largest(points).map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }))
  const mean = (of) => fitted.reduce((sum, point) => sum + of(point), 0) / fitted.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  return 1 + mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
}

/** Says how the gateway grows, from the exponents. */
export function verdictOf({ gateway, floor = 1 }) {
  if (gateway <= 1 + NOISE) return 'linear or better'
  // With more sockets and more live memory, Node.js itself spends more on each operation.
  return gateway <= floor + NOISE ? 'no faster than the floor' : WORSE
}
