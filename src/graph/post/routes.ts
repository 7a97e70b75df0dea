import { getOrMake } from '../../maps.js'
import { type RecordTagsOptions, recordTags } from '../../upstream/cache/record-tags.js'
import type { Tag } from '../../upstream/cache/tags.js'
import type { ListRoute } from '../../upstream/routes.js'
import { postFilters } from './filters.js'

/** A list of post-like records, without what all of them have in common. */
interface PostList extends Omit<ListRoute, 'window' | 'anyStatus'> {
  /** What the tags of the list have in particular. */
  readonly tagged?: Omit<RecordTagsOptions, 'shownIn'>
}

/** The list of the post-like records of a type: with the filters and the cache tags that all such lists have. */
export const postList = (type: string, { tagged, filters, ...list }: PostList): ListRoute => ({
  window: 'offset',
  anyStatus: true,
  filters: { ...postFilters(type), ...filters },
  tags: recordTags(type, { ...tagged, shownIn: termsAndBlocksIn }),
  ...list,
})

/** Columns that show the slugs of terms, and the content of blocks. */
const SHOWING = { terms: ['class_list'], blocks: ['content', 'content.rendered', 'materials', 'course_materials', 'quiz_materials'] }
const ALL = Object.values(SHOWING).flat()
const known = new WeakMap<readonly unknown[], readonly Tag[]>()

/** The tags of what columns show of terms and blocks. Many reads have the same list of columns. */
export const termsAndBlocksIn = (columns: unknown, list = Array.isArray(columns) ? columns : ALL): readonly Tag[] =>
  getOrMake(known, list, () => Object.entries(SHOWING).flatMap(([tag, all]) => (all.some((each) => list.includes(each)) ? tag : [])))
