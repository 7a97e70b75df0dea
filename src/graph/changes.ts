import { listsOf } from '../upstream/cache/record-tags.js'
import { ACCESS, ANY, EVERYTHING, type SiteChange, type Tag, type Tagging, USERS } from '../upstream/cache/tags.js'

/** The types of records that a change can name. Resources from outside add their own. */
export const CHANGE_TYPES = [
  'group',
  'course',
  'lesson',
  'topic',
  'quiz',
  'question',
  'priceType',
  'progress',
  'user',
  'media',
  'term',
  'block',
  'site',
] as const

/** Types whose records nothing else depends on: neither the access to other records, nor their addresses. */
const ALONE = ['question', 'priceType']

/**
 * Columns that show nothing but the record itself: a change of them changes neither who may see what, nor the address of another record. Plugins
 * keep in `meta` who may see a course or group, so that it is such a column of the others only.
 */
const HARMLESS = [
  ...['title', 'content', 'excerpt', 'materials', 'course_materials', 'quiz_materials', 'featured_media', 'template'],
  ...['comment_status', 'ping_status', 'custom_button_label', 'custom_button_url'],
]
const isHarmlessIn = (type: string, column: string): boolean =>
  HARMLESS.includes(column) || (column === 'meta' && type !== 'course' && type !== 'group')

function tagsOfChange({ type, id, kind, columns }: SiteChange): readonly Tag[] {
  switch (type) {
    case 'site':
      return [EVERYTHING]
    case 'term':
      return kind === 'deleted' ? [EVERYTHING] : [ANY, kind === 'created' ? 'newTerms' : 'terms']
    case 'block':
      return [ANY, 'blocks']
    case 'progress':
      return id === undefined ? [ANY, 'progress', ACCESS] : [ANY, `progress:${id}`, `user:${id}`, USERS]
    case 'user':
      return id === undefined
        ? [ANY, 'progress', ACCESS]
        : [ANY, `progress:${id}`, `user:${id}`, USERS, ...(kind === 'updated' || kind === 'created' ? [] : [ACCESS])]
  }
  const lists = listsOf(type)
  const isHarmless = kind === 'updated' && (columns?.every((name) => isHarmlessIn(type, name)) ?? ALONE.includes(type))
  // Price types have no numbers. The addresses of groups have those of their parents.
  const record = id === undefined || type === 'priceType' || (type === 'group' && !isHarmless) ? type : `${type}:${id}`
  if (type === 'group' && kind === 'members') return [ANY, ACCESS, id === undefined ? 'group' : `courses:of:group:${id}`]
  const changed = kind === 'created' && id === undefined ? [lists] : [record, lists]
  return isHarmless ? [ANY, ...changed] : [ANY, ACCESS, ...changed]
}

function widerThan(tag: Tag): Tag {
  const [type = '', id] = tag.split(':')
  if (id === undefined) return tag
  if (type === 'progress') return USERS
  return tag.includes(':of:') ? ACCESS : listsOf(type)
}

/** The tags of changes. The routes of the resources say which tags their reads have, and which changes their writes make. */
export const TAGGING: Tagging = { ofChange: tagsOfChange, widerThan }
