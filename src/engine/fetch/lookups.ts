import type { Query, Row } from '../../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS } from '../../upstream/codec/records.js'
import { BadInputError, InvalidResponseError, LmsError, NotFoundError, RejectedError } from '../../upstream/errors.js'
import { getOrMake } from '../../upstream/maps.js'
import { type ByKey, fieldsQuery, type ListRoute } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import { wireName } from '../../upstream/site/site.js'
import type { Target } from '../edges.js'
import { ignoredIn } from './ignored-filters.js'
import type { ReadContext } from './part-reader.js'
import type { Store } from './records.js'

/** What lookups need of the operation they are for. */
export interface LookupContext extends Omit<ReadContext, 'load' | 'takeSingleRead'> {
  /** Where slugs lead, as far as they were looked up. */
  readonly slugs: Map<string, Target | null>
  store(target: Target): Store
}

/** A target whose record is looked up by its slug, and the columns that are wanted of the record. */
export interface Lookup {
  readonly target: Target
  readonly columns: ColumnSet
}

/** The name of a lookup: equal for targets that ask the same. */
export const lookupName = ({ entity, key, query }: Target): string => `${entity.name} ${JSON.stringify(query ?? null)} ${key}`

/** The target of a record by its key; `null` when no record has the slug, `undefined` before the slug was looked up. */
export const located = ({ slugs }: LookupContext, target: Target): Target | null | undefined =>
  target.bySlug ? slugs.get(lookupName(target)) : target

/** The part of a target's query that a list takes: a password is for the read of a single record. */
export function listedQuery({ query = {} }: Target): { readonly query: Query; readonly hasPassword: boolean } {
  const { password, ...others } = query
  return { query: others, hasPassword: password !== undefined }
}

/** Columns that a lookup reads. Others are read by id afterwards: those of editors, and all of a record that is read with its password. */
export const columnsOfLookup = ({ site }: Pick<LookupContext, 'site'>, { target, columns }: Lookup): ColumnSet => {
  const { shape } = target.entity
  return listedQuery(target).hasPassword ? NO_COLUMNS : columns & shape.carried(site) & ~shape.editOnly
}

/** Lookups of equal names as one, with all their columns. */
export function joinedLookups(lookups: Iterable<Lookup>): Iterable<Lookup> {
  const joined = new Map<string, Lookup>()
  for (const { target, columns } of lookups) {
    const name = lookupName(target)
    joined.set(name, { target, columns: columns | (joined.get(name)?.columns ?? NO_COLUMNS) })
  }
  return joined.values()
}

/** Looks records up by their slugs, those that can share a call in one call. Never rejects with an `LmsError`. */
export async function lookUp(context: LookupContext, lookups: Iterable<Lookup>): Promise<void> {
  const calls = new Map<string, Lookup[]>()
  for (const lookup of lookups) {
    const { entity, query } = lookup.target
    getOrMake(calls, `${entity.name} ${JSON.stringify(query ?? null)}`, () => [] as Lookup[]).push(lookup)
  }
  const { pageCap } = context.site
  const reads: Promise<void>[] = []
  for (const same of calls.values())
    for (let start = 0; start < same.length; start += pageCap) reads.push(read(context, same.slice(start, start + pageCap)))
  await Promise.all(reads)
}

/** Looks up the slugs of one entity under one query: what is published first, and where something is missing, what is not. */
async function read(context: LookupContext, lookups: readonly Lookup[]): Promise<void> {
  const { slugs } = context
  const isLeft = ({ target }: Lookup): boolean => !slugs.has(lookupName(target))
  try {
    const { capabilities, session } = context
    const route = routeOf(lookups)
    const liberty = CAPABILITIES.anyStatus(route)
    const isEditor = capabilities.grants(session.credentials, liberty)
    await readList(context, lookups, isEditor)
    const left = lookups.filter(isLeft)
    const mayTry = route.anyStatus && !session.credentials.anonymous && !isEditor && capabilities.allows(session.credentials, liberty)
    if (left.length > 0 && mayTry) await readUnpublished(context, left, liberty)
    for (const { target } of left) if (!slugs.has(lookupName(target))) slugs.set(lookupName(target), null)
  } catch (error) {
    for (const { target } of lookups.filter(isLeft)) slugs.set(lookupName(target), refused(target, error as LmsError))
  }
}

/** Lists show what is not published to those only who may edit it; whether the caller may is remembered. */
async function readUnpublished(context: LookupContext, lookups: readonly Lookup[], liberty: string): Promise<void> {
  const { capabilities, session } = context
  try {
    await readList(context, lookups, true)
    capabilities.grant(session.credentials, liberty)
  } catch (error) {
    if (!(error instanceof LmsError) || error.upstream?.status !== 400) throw error
    capabilities.refuse(session.credentials, liberty)
  }
}

const routeOf = (lookups: readonly Lookup[]): ListRoute => lookups[0]?.target.entity.byKey?.many?.route as ListRoute

async function readList(context: LookupContext, lookups: readonly Lookup[], anyStatus: boolean): Promise<void> {
  const { site, slugs } = context
  const { target: first } = lookups[0] as Lookup
  const { entity } = first
  const { shape } = entity
  const byKey = entity.byKey as ByKey
  const route = routeOf(lookups)
  const columns = lookups.reduce((all, lookup) => all | columnsOfLookup(context, lookup), shape.bit('slug'))
  const projection = context.projection(entity, columns)
  const { query, hasPassword } = listedQuery(first)
  const asked = {
    per_page: lookups.length === 1 ? 1 : site.pageCap,
    context: contextFor(site, shape, columns),
    ...fieldsQuery(site, route, projection.filter),
    ...query,
    slug: lookups.map(({ target }) => target.key),
    ...(anyStatus && { status: 'any' }),
  }
  if (ignoredIn(site, { route }, asked) !== undefined) throw new BadInputError(`This site can't find a ${entity.name} by its slug.`)
  const rows = await listRows(context, route, asked)
  const bySlug = new Map<string, Row>()
  for (const row of rows) bySlug.set(folded(String(row[wireName(site, 'slug')])), row)
  for (const { target } of lookups) {
    const slug = folded(String(target.key))
    const row = bySlug.get(slug)
    const key = row ? byKey.keyOf(row, {}) : null
    if (!row || key === null) continue
    const there = keyed(target, key)
    slugs.set(lookupName(target), there)
    if (hasPassword) continue
    const entry = context.store(there).entry(key)
    if (!entry.settles(columns) || entry.state !== 'present') entry.fill(row, projection, columns)
  }
  const asking = new Set(lookups.map(({ target }) => folded(String(target.key))))
  if ([...bySlug.keys()].every((slug) => asking.has(slug))) return
  // The site ignores the filter, so it has not said that the others do not exist.
  const error = new InvalidResponseError(`The site answered other records of ${route.path} than those with the slug.`)
  for (const { target } of lookups) if (!slugs.has(lookupName(target))) slugs.set(lookupName(target), refused(target, error))
}

const refused = (target: Target, error: LmsError): Target => ({ ...keyed(target, target.key), refused: error })

const keyed = ({ entity, query }: Target, key: Target['key']): Target => ({ entity, key, ...(query && { query }) })

async function listRows({ client, session }: LookupContext, route: ListRoute, query: Query): Promise<readonly Row[]> {
  try {
    return (await client.list(route, {}, query, session)).rows
  } catch (error) {
    const filter = route.narrowedBy
    const isRefused = error instanceof RejectedError || error instanceof NotFoundError
    if (filter === undefined || !isRefused || (route.filters[filter]?.param as string) in query) throw error
    throw new BadInputError(
      `Only administrators can find this record by \`slug\` alone. Give \`${filter}\` too, or ask the list with \`where.${filter}\` and \`where.slug\`.`,
      error.upstream,
    )
  }
}

/** A slug without what sites do not tell apart: case, accents, and characters encoded for addresses. */
function folded(slug: string): string {
  return decoded(slug).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
