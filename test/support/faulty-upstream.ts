import type { Reply } from './altering-proxy.js'

type Row = Readonly<Record<string, unknown>>

const failure = (status: number, code: string): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { code, message: `Fault ${code}.`, data: { status } },
})

/** Wrong responses of a site. */
export const FAILURES = {
  'internal error': failure(500, 'internal_server_error'),
  forbidden: failure(403, 'rest_forbidden'),
  'not found': failure(404, 'rest_post_invalid_id'),
  'bad gateway page': { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html><h1>Bad Gateway</h1></html>') },
  garbage: { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":1,"ti') },
  'list for a record': { status: 200, headers: { 'content-type': 'application/json' }, body: [] },
  'record for a list': { status: 200, headers: { 'content-type': 'application/json' }, body: { id: 1 } },
} as const satisfies Record<string, Reply>
export type Failure = keyof typeof FAILURES

/** Which records and lists fail, and how. A record whose single read fails is in no list, so that all routes agree. */
export interface Faults {
  /** By id of the record. */
  readonly records: ReadonlyMap<number, Failure>
  /** By a part of the path or query: every request that matches fails. */
  readonly lists: readonly (readonly [pattern: RegExp, failure: Failure])[]
  /** Ids of records with values that cannot be decoded. */
  readonly odd: ReadonlySet<number>
}

/** Values that cannot be decoded, by wire name. */
const ODD: Row = { date_gmt: 'yesterday', menu_order: 'first', comment_status: 'perhaps', categories: 'none', video_url: {} }

/** Changes responses in a way that depends only on the requested records, not on their fields. */
export class FaultyUpstream {
  readonly hits = new Map<string, number>()

  constructor(private readonly faults: Faults) {}

  readonly answer = (path: string, reply: Reply): Reply => {
    // Rights are checked first, by lists and single reads alike.
    if (reply.status === 401 || reply.status === 403) return reply
    for (const [pattern, failure] of this.faults.lists) if (pattern.test(path)) return this.fail(`list: ${failure}`, FAILURES[failure])
    const id = Number(/^\/lms\/v\d\/[\w-]+\/(\d+)(?:\?|$)/.exec(path)?.[1])
    const failure = this.faults.records.get(id)
    if (failure) return this.fail(`record: ${failure}`, FAILURES[failure])
    if (reply.status !== 200) return reply
    if (!Array.isArray(reply.body)) return { ...reply, body: this.odd(reply.body as Row) }
    const rows = (reply.body as Row[]).filter((row) => !this.faults.records.has((row.id ?? row.course) as number))
    if (rows.length < reply.body.length) this.hit('row left out')
    return { ...reply, body: rows.map((row) => this.odd(row)) }
  }

  private fail(name: string, reply: Reply): Reply {
    this.hit(name)
    return reply
  }

  private odd(row: Row): Row {
    if (!this.faults.odd.has(row.id as number)) return row
    this.hit('odd values')
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, name in ODD ? ODD[name] : value]))
  }

  private hit(name: string): void {
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1)
  }
}
