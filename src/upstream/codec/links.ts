import { isObject } from '../errors.js'
import { type Decode, type OnMemberRepair, UNDECODABLE, url } from './kinds.js'

/** One link of a record: the relation's name and what the site says of it. */
export interface Link {
  readonly rel: string
  readonly href: string | null
  readonly embeddable: boolean | null
  readonly count: number | null
  readonly taxonomy: string | null
  readonly databaseId: number | null
  readonly allow: readonly string[] | null
}

/** An abbreviation used in relation names. */
export interface Curie {
  readonly name: string | null
  readonly href: string | null
  readonly templated: boolean | null
}

const as = <T>(type: string, value: unknown): T | null => (typeof value === type ? (value as T) : null)

const int = (value: unknown): number | null => (typeof value === 'number' && (value | 0) === value ? value : null)

const everyLink = (raw: object): [rel: string, link: Record<string, unknown>][] =>
  Object.entries(raw).flatMap(([rel, links]) =>
    (Array.isArray(links) ? links : [links]).filter(isObject).map((link) => [rel, link] as const as never),
  )

/** Makes an `href` null that no page should use as a link. */
function checkHref<T extends { href: string | null }>(type: string, record: T, onRepair: OnMemberRepair | undefined): T {
  if (record.href === null || url(record.href) !== UNDECODABLE) return record
  record.href = null
  onRepair?.(type, record, 'href')
  return record
}

/** `_links` as one list, in the site's order, without the curies. */
export const links: Decode<readonly Link[]> = (raw, onRepair) => {
  if (!isObject(raw)) return Array.isArray(raw) && raw.length === 0 ? [] : UNDECODABLE
  return everyLink(raw)
    .filter(([rel]) => rel !== 'curies')
    .map(([rel, link]) => {
      const made = {
        rel,
        href: as<string>('string', link.href),
        embeddable: as<boolean>('boolean', link.embeddable),
        count: int(link.count),
        taxonomy: as<string>('string', link.taxonomy),
        databaseId: int(link.id),
        allow:
          isObject(link.targetHints) && Array.isArray(link.targetHints.allow)
            ? link.targetHints.allow.filter((each) => typeof each === 'string')
            : null,
      }
      return checkHref('RestLink', made, onRepair)
    })
}

/** The curies among `_links`. */
export const curies: Decode<readonly Curie[]> = (raw, onRepair) => {
  if (!isObject(raw)) return Array.isArray(raw) && raw.length === 0 ? [] : UNDECODABLE
  return everyLink(raw)
    .filter(([rel]) => rel === 'curies')
    .map(([, curie]) => {
      const made = {
        name: as<string>('string', curie.name),
        href: as<string>('string', curie.href),
        templated: as<boolean>('boolean', curie.templated),
      }
      return checkHref('RestCurie', made, onRepair)
    })
}
