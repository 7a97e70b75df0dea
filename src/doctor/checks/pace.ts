import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { resultOf } from '../prober.js'
import { COURSE, PRICE_TYPE } from '../resources.js'
import type { Survey } from '../survey.js'

interface Pace {
  /** Milliseconds of a small call alone, and of two concurrent ones; null when not measured. */
  readonly alone: number | null
  readonly paired: number | null
}

/** Times a small call twice in a row, then two concurrent calls. */
async function probe(survey: Survey): Promise<Pace> {
  const readable = survey.rowsOf(COURSE).length > 0
  const timed = async (): Promise<number | null> => {
    const startedAt = performance.now()
    const outcome = readable
      ? await survey.list(COURSE, {}, { per_page: 1, ...survey.limitFields(COURSE.list, 'id') }, { what: 'the speed of the site' })
      : await survey.list(PRICE_TYPE, {}, {}, { what: 'the speed of the site' })
    return resultOf(outcome) ? performance.now() - startedAt : null
  }
  const [first, second] = [await timed(), await timed()]
  const timedPair = async (): Promise<number | null> => {
    const [one, other] = await Promise.all([timed(), timed()])
    return one !== null && other !== null ? Math.max(one, other) : null
  }
  const alone = first !== null && second !== null ? Math.min(first, second) : null
  let paired = await timedPair()
  // A single slow pair may be a coincidence.
  if (isSerial(alone, paired)) {
    const second = await timedPair()
    paired = second === null || paired === null ? null : Math.min(paired, second)
  }
  if (isSerial(alone, paired)) survey.maxInFlight = 2
  return { alone, paired }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Ratio above which two concurrent calls count as answered one after the other. */
const SERIAL_RATIO = 1.7
/** Milliseconds below which times depend more on the network than on the site. */
const MIN_MEASURABLE = 40

function judge(survey: Survey, { alone, paired }: Pace): Finding[] {
  const { calls } = survey.prober
  if (calls.length === 0) return []
  const medianTime = Math.round(median(calls.map(({ duration }) => duration)))
  const slowest = Math.round(Math.max(...calls.map(({ duration }) => duration)))
  const base = { id: 'pace', title: 'Speed' }
  const found = `median ${medianTime} ms per call, at most ${slowest} ms`
  if (alone === null || paired === null) return [{ ...base, state: 'note', found, meaning: 'Concurrent calls were not measured.' }]
  const two = `${found}; a small call ${Math.round(alone)} ms alone, ${Math.round(paired)} ms with a concurrent one`
  return [{ ...base, state: 'ok', found: two, meaning: advice(alone, paired) }]
}

const isSerial = (alone: number | null, paired: number | null): boolean =>
  alone !== null && paired !== null && alone >= MIN_MEASURABLE && paired / alone >= SERIAL_RATIO

function advice(alone: number, paired: number): string {
  if (isSerial(alone, paired))
    return 'The site seems to answer one call after the other. `--max-in-flight 2` is suggested, since more calls would only wait. Two calls are a small sample.'
  if (alone < MIN_MEASURABLE)
    return 'Too fast to measure concurrency. The default of `--max-in-flight`, 4, should work; more was not tested.'
  return 'Two concurrent calls were not much slower than one. The default of `--max-in-flight`, 4, should work; more was not tested.'
}

/** Measures the speed of the site, alone and with two concurrent calls. */
export const pace = check<Pace>({ title: 'Timing calls', probe, judge })
