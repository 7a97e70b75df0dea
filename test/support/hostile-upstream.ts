import type { Reply } from './altering-proxy.js'
import type { Random } from './random.js'

type Row = Readonly<Record<string, unknown>>

/** Faults of a hostile site; each is chosen at random for each response. */
export const FAULTS = [
  'shuffled',
  'rows dropped',
  'rows doubled',
  'cut to 10',
  'foreign rows',
  'junk rows',
  'without totals',
  'wrong totals',
  'another record',
] as const
export type Fault = (typeof FAULTS)[number]

/** Title of unrequested rows. It must never appear in a response. */
export const FOREIGN = 'FOREIGN ROW'

/** Probability of each fault; faults that are not named never happen. */
export type Likely = Partial<Readonly<Record<Fault, number>>>

/** All faults together. */
export const EVERYTHING: Likely = {
  shuffled: 0.5,
  'rows dropped': 0.4,
  'rows doubled': 0.4,
  'cut to 10': 0.25,
  'foreign rows': 0.4,
  'junk rows': 0.2,
  'without totals': 0.3,
  'wrong totals': 0.3,
  'another record': 0.03,
}

/** Changes responses of a site, and counts the faults. */
export class Hostility {
  readonly hits = new Map<Fault, number>(FAULTS.map((fault) => [fault, 0]))
  /** Number of responses, changed or not. */
  answers = 0
  likely: Likely = EVERYTHING

  constructor(
    private readonly random: Random,
    /** Ids of other records, for unrequested rows. */
    private readonly others: readonly number[] = [],
  ) {}

  readonly spoil = (path: string, reply: Reply): Reply => {
    this.answers++
    if (reply.status !== 200) return reply
    return Array.isArray(reply.body) ? this.spoilList(path, reply, reply.body as Row[]) : this.spoilRecord(reply)
  }

  private happens(fault: Fault): boolean {
    const happens = this.random.chance(this.likely[fault] ?? 0)
    if (happens) this.hits.set(fault, (this.hits.get(fault) ?? 0) + 1)
    return happens
  }

  private spoilRecord(reply: Reply): Reply {
    const row = reply.body as Row
    if (typeof row.id !== 'number' || this.others.length === 0 || !this.happens('another record')) return reply
    return { ...reply, body: { ...row, id: this.random.pick(this.others.filter((id) => id !== row.id)), ...foreignTexts(row) } }
  }

  private spoilList(path: string, reply: Reply, honest: readonly Row[]): Reply {
    const { random } = this
    let rows: unknown[] = [...honest]
    if (rows.length > 1 && this.happens('shuffled')) rows = random.shuffle(rows)
    if (rows.length > 1 && this.happens('rows dropped')) rows = rows.filter(() => random.chance(0.8))
    if (rows.length > 10 && this.happens('cut to 10')) rows = rows.slice(0, 10)
    if (rows.length > 1 && this.happens('rows doubled')) rows = this.double(rows)
    if (honest[0] && this.others.length > 0 && this.happens('foreign rows')) rows = this.insert(rows, this.foreign(path, honest[0]))
    if (this.happens('junk rows')) rows = this.insert(rows, [null, {}, 7, 'row', { id: 0, course: 0 }, { id: 'x', course: [] }])
    return { ...reply, body: rows, headers: this.totals(reply.headers) }
  }

  /** Some rows are doubled: the page grows, or loses its last rows. */
  private double(rows: readonly unknown[]): unknown[] {
    const doubled = rows.flatMap((row) => (this.random.chance(0.2) ? [row, row] : [row]))
    return this.random.chance(0.5) ? doubled : doubled.slice(0, rows.length)
  }

  private foreign(path: string, like: Row): Row[] {
    const asked = new Set(new URL(path, 'http://site').searchParams.get('include')?.split(',').map(Number))
    const ids = this.random.some(this.others, 8).filter((id) => !asked.has(id))
    const key = 'course' in like && !('id' in like) ? 'course' : 'id'
    return ids.slice(0, 3).map((id) => ({ ...like, [key]: id, ...foreignTexts(like) }))
  }

  private insert(rows: readonly unknown[], more: readonly unknown[]): unknown[] {
    const all = [...rows]
    for (const row of more) all.splice(this.random.int(0, all.length), 0, row)
    return all
  }

  private totals(headers: Reply['headers']): Reply['headers'] {
    const { 'x-wp-total': total, 'x-wp-totalpages': pages, ...others } = headers
    if (total === undefined || this.happens('without totals')) return others
    if (!this.happens('wrong totals')) return headers
    const wrong = (value: string | undefined) => String(Math.max(0, Number(value) + this.random.int(-3, 5)))
    return { ...others, 'x-wp-total': wrong(total), 'x-wp-totalpages': wrong(pages) }
  }
}

const foreignTexts = (row: Row): Row => ({
  ...('title' in row ? { title: { rendered: FOREIGN } } : {}),
  ...('slug' in row ? { slug: FOREIGN } : {}),
  ...('steps_total' in row ? { steps_total: -1 } : {}),
})
