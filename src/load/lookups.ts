import { getOrMake } from '../maps.js'
import type { Target } from '../model/edge.js'
import { type Lookup, projectionOf, type ReadContext, type SlugRead } from '../model/reads.js'
import { slugName } from '../model/records.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, contextFor, NO_COLUMNS } from '../upstream/codec/records.js'
import { BadInputError, InvalidResponseError, LmsError } from '../upstream/errors.js'
import { type ByKey, fieldsQuery, type ListRoute } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import { wireName } from '../upstream/site/site.js'
import { ignoredIn, narrowed } from './list-filters.js'
import { allOf, asksAnyStatus, chunksOf } from './part-reader.js'

/** Returns the query parameters of a target that a list accepts. A password is accepted by the single read only. */
export function listedQuery({ query = {} }: Target): { readonly query: Query; readonly hasPassword: boolean } {
  const { password, ...others } = query
  return { query: others, hasPassword: password !== undefined }
}

/** Returns the columns that a lookup reads. Edit-only columns, and all columns of a record with a password, are read by id afterwards. */
export const columnsOfLookup = ({ site }: Pick<ReadContext, 'site'>, { target, columns }: Lookup): ColumnSet => {
  const { shape } = target.entity
  return listedQuery(target).hasPassword ? NO_COLUMNS : columns & shape.carried(site) & ~shape.editOnly
}

/** Looks up records by slug, with one call for all that can share it. Reads of the same slug are one, with the columns of all of them. */
export function lookUp(reads: readonly SlugRead[], context: ReadContext): Promise<unknown> {
  const joined = new Map<string, Lookup>()
  for (const { target, columns } of reads.flat()) {
    const name = slugName(target)
    joined.set(name, { target, columns: columns | (joined.get(name)?.columns ?? NO_COLUMNS) })
  }
  const calls = new Map<string, Lookup[]>()
  for (const each of joined.values()) {
    const { entity, query } = each.target
    getOrMake(calls, `${entity.name} ${JSON.stringify(query ?? null)}`, (): Lookup[] => []).push(each)
  }
  const chunks = [...calls.values()].flatMap((same) => chunksOf(same, context.site.pageCap))
  return allOf(chunks.map((chunk) => read(context, chunk)))
}

/** Looks up slugs of one entity with equal query parameters: published records first, then unpublished ones for the slugs that are left. */
async function read(context: ReadContext, lookups: readonly Lookup[]): Promise<void> {
  const { capabilities, call, records } = context
  const left = (): Lookup[] => lookups.filter(({ target }) => records.located(target) === undefined)
  try {
    const capability = CAPABILITIES.anyStatus(routeOf(lookups))
    const isEditor = capabilities.grants(call.caller.credentials, capability)
    await readList(context, lookups, isEditor)
    const unpublished = isEditor || !asksAnyStatus(context, routeOf(lookups)) ? [] : left()
    if (unpublished.length > 0) await readUnpublished(context, unpublished, capability)
    for (const { target } of left()) records.locate(target, null)
  } catch (error) {
    for (const { target } of left()) records.locate(target, { ...keyed(target, target.key), refused: error as LmsError })
  }
}

/** Looks up unpublished records, which lists show to editors only. Remembers whether the caller may. */
async function readUnpublished(context: ReadContext, lookups: readonly Lookup[], capability: string): Promise<void> {
  const { capabilities, call } = context
  try {
    await readList(context, lookups, true)
    capabilities.grant(call.caller.credentials, capability)
  } catch (error) {
    if (!(error instanceof LmsError) || error.upstream?.status !== 400) throw error
    capabilities.refuse(call.caller.credentials, capability)
  }
}

const routeOf = (lookups: readonly Lookup[]): ListRoute => lookups[0]?.target.entity.byKey?.many?.route as ListRoute

async function readList(context: ReadContext, lookups: readonly Lookup[], anyStatus: boolean): Promise<void> {
  const { site } = context
  const { target: first } = lookups[0] as Lookup
  const { entity } = first
  const { shape } = entity
  const byKey = entity.byKey as ByKey
  const route = routeOf(lookups)
  const columns = lookups.reduce((all, lookup) => all | columnsOfLookup(context, lookup), shape.bit('slug'))
  const projection = projectionOf(context, entity, columns)
  const { query, hasPassword } = listedQuery(first)
  const asked = {
    per_page: lookups.length === 1 ? 1 : site.pageCap,
    context: contextFor(site, shape, columns),
    ...fieldsQuery(site, route, projection.filter),
    ...query,
    slug: lookups.map(({ target }) => target.key),
    ...(anyStatus && { status: 'any' }),
  }
  if (ignoredIn(site, { route }, asked) !== undefined)
    throw new BadInputError(`This site does not support finding a ${entity.name} by its slug.`)
  const rows = await listRows(context, route, asked)
  const bySlug = new Map(rows.map((row) => [folded(String(row[wireName(site, 'slug')])), row]))
  for (const { target } of lookups) {
    const row = bySlug.get(folded(String(target.key)))
    const key = row ? byKey.keyOf(row, {}) : null
    if (!row || key === null) continue
    const found = keyed(target, key)
    context.records.locate(target, found)
    if (hasPassword) continue
    const state = context.records.store(found).stateOf(key)
    if (!state.settles(columns) || state.status !== 'present') state.fill(row, projection, columns)
    context.records.note(state, query)
  }
  const requested = new Set(lookups.map(({ target }) => folded(String(target.key))))
  if ([...bySlug.keys()].every((slug) => requested.has(slug))) return
  // The site ignores the filter, so its response does not show that the other slugs are missing.
  throw new InvalidResponseError(`The site returned other records of ${route.path} than the requested ones.`)
}

const keyed = ({ entity, query }: Target, key: Target['key']): Target => ({ entity, key, ...(query && { query }) })

async function listRows({ client, call }: ReadContext, route: ListRoute, query: Query): Promise<readonly Row[]> {
  try {
    return (await client.list(route, {}, query, call)).rows
  } catch (error) {
    const advice = (filter: string): string =>
      `find this record by \`slug\` alone. Give \`${filter}\` too, or ask the list with \`where.${filter}\` and \`where.slug\`.`
    throw narrowed(route, query, error, advice)
  }
}

/** Normalizes a slug or a title as sites compare them: without case, accents and percent-encoding. */
export function folded(text: string): string {
  return decoded(text).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
