import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { got } from '../prober.js'
import { COURSE, PRICE_TYPE } from '../resources.js'
import type { Survey } from '../survey.js'

interface Pace {
  /** Milliseconds of a light call alone, and of two at once; null where that could not be measured. */
  readonly alone: number | null
  readonly paired: number | null
}

/** A light call twice in a row, then two at once. */
async function probe(survey: Survey): Promise<Pace> {
  const readable = survey.rowsOf(COURSE).length > 0
  const timed = async (): Promise<number | null> => {
    const startedAt = performance.now()
    const outcome = readable
      ? await survey.list(COURSE, {}, { per_page: 1, ...survey.only(COURSE.list, 'id') }, { what: 'the pace of the site' })
      : await survey.list(PRICE_TYPE, {}, {}, { what: 'the pace of the site' })
    return got(outcome) ? performance.now() - startedAt : null
  }
  const [first, second] = [await timed(), await timed()]
  const timedPair = async (): Promise<number | null> => {
    const [one, other] = await Promise.all([timed(), timed()])
    return one !== null && other !== null ? Math.max(one, other) : null
  }
  const least = first !== null && second !== null ? Math.min(first, second) : null
  let paired = await timedPair()
  // One slow pair may be chance.
  if (isOneByOne(least, paired)) {
    const again = await timedPair()
    paired = again === null || paired === null ? null : Math.min(paired, again)
  }
  if (isOneByOne(least, paired)) survey.maxInFlight = 2
  return { alone: least, paired }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Two calls at once take so much longer than one where the site answers them one after the other. */
const ONE_AFTER_THE_OTHER = 1.7
/** Below this the network and chance weigh more than the site. */
const TELLING = 40

function judge(survey: Survey, { alone, paired }: Pace): Finding[] {
  const { calls } = survey.prober
  if (calls.length === 0) return []
  const usual = Math.round(median(calls.map(({ duration }) => duration)))
  const slowest = Math.round(Math.max(...calls.map(({ duration }) => duration)))
  const base = { id: 'pace', title: 'Pace' }
  const found = `${usual} ms a call in the middle, ${slowest} ms at most`
  if (alone === null || paired === null)
    return [{ ...base, state: 'note', found, meaning: 'How it bears several calls at once was not measured.' }]
  const two = `${found}; a light one ${Math.round(alone)} ms alone, ${Math.round(paired)} ms beside another`
  return [{ ...base, state: 'ok', found: two, meaning: advice(alone, paired) }]
}

const isOneByOne = (alone: number | null, paired: number | null): boolean =>
  alone !== null && paired !== null && alone >= TELLING && paired / alone >= ONE_AFTER_THE_OTHER

function advice(alone: number, paired: number): string {
  if (isOneByOne(alone, paired))
    return 'It seemed to answer one call after the other, so `--max-in-flight 2` is suggested: more would only wait there. Two calls are a small sample.'
  if (alone < TELLING) return 'Too quick to tell how it bears load. The default of `--max-in-flight`, 4, should do; more was not tried.'
  return 'Two at once were not much slower than one. The default of `--max-in-flight`, 4, should do; more was not tried.'
}

/** How quick the site is, and how it bears two calls at once. */
export const pace = check<Pace>({ title: 'Timing calls', probe, judge })
