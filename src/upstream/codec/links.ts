import { isObject } from '../../maps.js'
import { type Decode, type OnMemberRepair, UNDECODABLE, url } from './kinds.js'

/** One link of a record. */
export interface Link {
  readonly rel: string
  readonly href: string | null
  readonly embeddable: boolean | null
  readonly count: number | null
  readonly taxonomy: string | null
  readonly databaseId: number | null
  readonly allow: readonly string[] | null
}

/** An abbreviation (CURIE) used in the names of link relations. */
export interface Curie {
  readonly name: string | null
  readonly href: string | null
  readonly templated: boolean | null
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const asBoolean = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
const asInteger = (value: unknown): number | null => (typeof value === 'number' && (value | 0) === value ? value : null)

const everyLink = (raw: object): { readonly rel: string; readonly fields: Readonly<Record<string, unknown>> }[] =>
  Object.entries(raw).flatMap(([rel, links]) =>
    (Array.isArray(links) ? links : [links]).filter(isObject).map((fields) => ({ rel, fields })),
  )

/** Replaces an unsafe `href` by null. */
function checkHref<T extends { href: string | null }>(type: string, record: T, onRepair: OnMemberRepair | undefined): T {
  if (record.href === null || url(record.href) !== UNDECODABLE) return record
  record.href = null
  onRepair?.(type, record, 'href')
  return record
}

/** The methods that a link allows; null where the site does not tell. */
const allowedIn = ({ targetHints }: Readonly<Record<string, unknown>>): readonly string[] | null =>
  isObject(targetHints) && Array.isArray(targetHints.allow) ? targetHints.allow.filter((method) => typeof method === 'string') : null

/** The methods that links of one relation allow, by the first of them that tells. */
export const methods: Decode<readonly string[] | null> = (raw) => {
  const told = [raw].flat().map((link) => (isObject(link) ? allowedIn(link) : null))
  return told.find((allowed) => allowed !== null) ?? null
}

/** `_links` without the CURIEs as one list, in the order of the site. */
export const links: Decode<readonly Link[]> = (raw, onRepair) => {
  if (!isObject(raw)) return Array.isArray(raw) && raw.length === 0 ? [] : UNDECODABLE
  return everyLink(raw)
    .filter(({ rel }) => rel !== 'curies')
    .map(({ rel, fields }) => {
      const link = {
        rel,
        href: asText(fields.href),
        embeddable: asBoolean(fields.embeddable),
        count: asInteger(fields.count),
        taxonomy: asText(fields.taxonomy),
        databaseId: asInteger(fields.id),
        allow: allowedIn(fields),
      }
      return checkHref('RestLink', link, onRepair)
    })
}

/** The CURIEs in `_links`. */
export const curies: Decode<readonly Curie[]> = (raw, onRepair) => {
  if (!isObject(raw)) return Array.isArray(raw) && raw.length === 0 ? [] : UNDECODABLE
  return everyLink(raw)
    .filter(({ rel }) => rel === 'curies')
    .map(({ fields }) => {
      const curie = { name: asText(fields.name), href: asText(fields.href), templated: asBoolean(fields.templated) }
      return checkHref('RestCurie', curie, onRepair)
    })
}
