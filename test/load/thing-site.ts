import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type ByKey, batchByIds, columns as c, type ListRoute } from '../../src/kit.js'
import { readRecords } from '../../src/load/loading.js'
import type { Entity } from '../../src/model/entity.js'
import type { RecordState } from '../../src/model/records.js'
import { Operation } from '../../src/prefetch/operation.js'
import type { Query, Row } from '../../src/upstream/client.js'
import { type ColumnSet, Shape } from '../../src/upstream/codec/records.js'
import { Credentials } from '../../src/upstream/credentials.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { FakeSite, json } from '../support/site.js'
import { upstreamOf } from '../support/upstream.js'

export const shape = new Shape('Thing', {
  title: c.text('title', 'Title.', { embed: true }),
  slug: c.text('slug', 'Slug.'),
  content: c.text('content', 'Text.', { heavy: true, guarded: 'protected' }),
  more: c.text('more', 'More text.', { heavy: true }),
  raw: c.text('raw', 'As written.', { editOnly: true }),
})

export const route: ListRoute = { path: 'v1/things', window: 'offset', filters: {}, orders: {} }
export const byKey = batchByIds(route)
export const many = byKey.many as NonNullable<ByKey['many']>
export const thing = (more: Partial<ByKey> = {}, list: Partial<ListRoute> = {}): Entity => ({
  name: 'Thing',
  shape,
  key: 'databaseId',
  byKey: { ...byKey, many: { ...many, route: { ...route, ...list } }, ...more },
})

export const THING = thing()

type Rows = Readonly<Record<number, Row | number>>

export const record = (id: number): Row => ({ id, title: `T${id}`, slug: `s${id}`, content: `c${id}`, more: `m${id}`, raw: `r${id}` })
export const refuse = (response: ServerResponse, status: number, code = 'odd', data = {}): void =>
  json(response, { code, message: 'No.', data: { status, ...data } }, { status })

export const isBatch = ({ searchParams }: URL): boolean => searchParams.has('include')
export const isEdit = ({ searchParams }: URL): boolean => searchParams.get('context') === 'edit'
export const isAnyStatus = ({ searchParams }: URL): boolean => searchParams.has('status')
export const isTable = ({ pathname }: URL): boolean => pathname.endsWith('/table')
export const isAny = (): boolean => true

export const shown = (row: Row, fields: string | null): Row =>
  fields === null ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.split(',').includes(name)))

export interface Asked {
  readonly entity?: Entity
  readonly on?: Partial<Omit<Site, 'url'>>
  readonly as?: Credentials
  readonly query?: Query
}

export const EDITOR = new Credentials({ authorization: 'Basic editor' })

/** What became of an entry: its record, or its state and error. */
function fate({ status: state, error, record }: RecordState): unknown {
  if (state !== 'present') return error ? [state, error.name, error.message] : state
  const shownAs = (value: unknown) => (value instanceof Error ? value.name : value)
  return Object.fromEntries(Object.keys(record).map((name) => [name, shownAs(record[name])]))
}

/** Reads columns of records in one batch. */
export async function readColumns(operation: Operation, entries: ReadonlyMap<RecordState, ColumnSet>): Promise<void> {
  const reads = Array.from(entries, ([state, columns]) => ({ states: [state], columns, ahead: shape.set([]) }))
  await readRecords(reads, operation.readsFor({ fields: [] }))
}

/** A site with things, and operations that load their records by key. */
export class ThingSite {
  site!: FakeSite
  transport!: Transport
  /** What the site holds, by id: rows, or the status with which it refuses one. */
  rows: Rows = {}
  capabilities = new CapabilityCache()
  /** Sends another answer to some requests, and returns whether it did. */
  private instead: (url: URL, response: ServerResponse) => boolean = () => false

  async start(): Promise<void> {
    this.site = await FakeSite.start()
    this.transport = new Transport({
      ...{ origin: this.site.url, maxInFlight: 8, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e6, share: false },
    })
  }

  reset(): void {
    this.rows = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 1, record(i + 1)]))
    this.instead = () => false
    this.capabilities = new CapabilityCache()
    this.site.requests.length = 0
    this.site.handler = (request, response) => this.answer(request, response)
  }

  async close(): Promise<void> {
    await this.transport.close()
    await this.site.close()
  }

  /** Answers some requests in its own way. */
  readonly answerTo = (isMeant: (url: URL) => boolean, send: (response: ServerResponse, url: URL) => void): void => {
    this.instead = (url, response) => {
      if (isMeant(url)) send(response, url)
      return isMeant(url)
    }
  }

  readonly operationOn = ({ on = {}, as = EDITOR }: Asked): Operation => {
    const upstream = upstreamOf(defineSite(this.site.url, on), this.transport, { capabilities: this.capabilities })
    return new Operation(upstream, callScope({ credentials: as }))
  }

  /** Paths of the REST calls, without what all lists have. */
  readonly paths = (): string[] => this.site.paths.map((path) => decodeURIComponent(path).replace('/lms/v1/', ''))

  /** Loads columns of records by key, and returns the outcome of each. */
  readonly load = async (wants: Readonly<Record<string, readonly string[]>>, asked: Asked = {}, operation = this.operationOn(asked)) => {
    const { entity = THING, query } = asked
    const store = operation.records.store({ entity, ...(query ? { query } : {}) })
    const keys = Object.keys(wants).map((key) => [/^\d+$/.test(key) ? Number(key) : key, wants[key] as string[]] as const)
    const entries = new Map(keys.map(([key, columns]) => [store.stateOf(key), shape.set(columns)]))
    this.site.requests.length = 0
    await readColumns(operation, entries)
    return [...entries.keys()].map(fate)
  }

  private answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const asked = new URL(url, this.site.url)
    if (this.instead(asked, response)) return
    const fields = asked.searchParams.get('_filter')
    const id = /\/things\/(\d+)$/.exec(asked.pathname)?.[1]
    if (id !== undefined) {
      const row = this.rows[Number(id)]
      if (typeof row === 'object') json(response, shown(row, fields))
      else refuse(response, row ?? 404, 'rest_post_invalid_id')
      return
    }
    const include = asked.searchParams.get('include')?.split(',').map(Number)
    const [size, page] = ['per_page', 'page'].map((name) => Number(asked.searchParams.get(name) ?? 1)) as [number, number]
    const all = Object.values(this.rows).filter(
      (row): row is Row => typeof row !== 'number' && (!include || include.includes(row.id as number)),
    )
    const found = all.slice((page - 1) * size, page * size).map((row) => shown(row, fields))
    json(response, found, { headers: { 'x-wp-total': `${all.length}`, 'x-wp-totalpages': `${Math.ceil(all.length / size)}` } })
  }
}

/** Starts a site before the tests of the file that calls it, and resets it before each of them. */
export function thingSite(): ThingSite {
  const things = new ThingSite()
  beforeAll(() => things.start())
  beforeEach(() => things.reset())
  afterAll(() => things.close())
  return things
}

/** An entity whose batches hide nothing. */
export const complete = (more: Partial<ByKey> = {}) => thing({ many: { ...many, complete: true }, ...more })

/** The same columns of some records. */
export const all = (ids: readonly number[], columns: readonly string[] = ['title']) => Object.fromEntries(ids.map((id) => [id, columns]))
export const known = (...ids: number[]) => ids.map((id) => ({ databaseId: id, title: `T${id}` }))
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)
