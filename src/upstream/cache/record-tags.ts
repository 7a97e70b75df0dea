import { reference } from '../codec/kinds.js'
import { ACCESS, ANY, EVERYTHING, type ReadTags, type RouteTags, type SiteChange, type Tag } from './tags.js'

/** The tag of all lists of a type of records: the plural of its name in changes. */
export const listsOf = (change: string): Tag => (change.endsWith('z') ? `${change}zes` : `${change}s`)

/** Types of changes that are not named after one type of records. */
const OTHERS = ['site', 'term', 'block', 'progress', 'user']

export interface RecordTagsOptions {
  /** Whether the site shows the records to all callers alike, apart from drafts. By default that depends on their access. */
  readonly isOpen?: boolean
  /** The name of the type in changes. By default its name in the graph with a lower-case first letter. */
  readonly change?: string
  /** Further tags of the lists. */
  readonly ofLists?: readonly Tag[]
  /** Returns the tags of other records that some columns show. `columns` lists the columns that are read; without it, all columns are read. */
  readonly shownIn?: (columns: unknown) => readonly Tag[]
}

/**
 * The tags of the routes with the records of a type of the graph: of their list, and of the route by key, whose first parameter is the key.
 */
export function recordTags(type: string, options: RecordTagsOptions = {}): RouteTags {
  const { isOpen = false, change = type.charAt(0).toLowerCase() + type.slice(1), ofLists = [], shownIn = () => [] } = options
  if (OTHERS.includes(change)) throw new Error(`\`${change}\` names other changes than those of ${type} records.`)
  const lists = listsOf(change)
  return {
    change,
    ofRead(params, { include }, columns) {
      const tags: Tag[] = [change, ...shownIn(columns)]
      if (!isOpen) tags.push(ACCESS)
      const [key] = Object.values(params)
      if (key !== undefined) {
        tags.push(`${change}:${key}`)
        return { type, tags }
      }
      if (Array.isArray(include) && include.length > 0) {
        for (const id of include) tags.push(`${change}:${id}`)
        return { type, tags, whenIncomplete: lists, requested: include.length }
      }
      tags.push(lists, ...ofLists)
      return { type, tags }
    },
    ofWrite(method, params, body, id) {
      const [key] = Object.values(params)
      if (method === 'DELETE') return { type: change, id: idIn(key), kind: 'deleted' }
      return key === undefined
        ? { type: change, id, kind: 'created' }
        : { type: change, id: idIn(key), kind: 'updated', columns: body && Object.keys(body) }
    },
  }
}

/** The id in a path parameter. */
export function idIn(value: string | number | undefined): number | undefined {
  const id = value === undefined ? undefined : reference(value)
  return typeof id === 'number' ? id : undefined
}

const UNKNOWN: ReadTags = { type: undefined, tags: [EVERYTHING, ANY, ACCESS] }

type Tagged = { readonly tags?: RouteTags }

/** What a read depends on. Answers of routes without tags are dropped by each change. */
export function tagsOfRead({ tags: own }: Tagged, ...read: Parameters<RouteTags['ofRead']>): ReadTags {
  if (!own) return UNKNOWN
  const found = own.ofRead(...read)
  return { ...found, tags: [EVERYTHING, ...found.tags] }
}

/** The change that a write makes. Writes to routes that do not say it may change anything. */
export const changeOf = ({ tags }: Tagged, ...write: Parameters<NonNullable<RouteTags['ofWrite']>>): SiteChange =>
  tags?.ofWrite?.(...write) ?? { type: 'site', kind: 'updated' }
