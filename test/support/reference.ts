import type { Shown } from './coverage.js'

type Row = Readonly<Record<string, any>>

const on = (value: unknown): boolean => value === true || value === 'on'
const number = (value: unknown): number | null => (value === '' || value == null ? null : Number(value))
const reference = (value: unknown): number | null => number(value) || null
const same = (value: unknown): unknown => value ?? null
const none = (value: unknown): unknown => (value === '' ? null : (value ?? null))

type Column = readonly [wire: string, decode: (value: any) => unknown]

const post: Readonly<Record<string, Column>> = {
  databaseId: ['id', same],
  slug: ['slug', same],
  link: ['link', same],
  type: ['type', same],
  template: ['template', same],
  date: ['date', same],
  modified: ['modified', same],
  titleHtml: ['title', (title) => title.rendered],
  guid: ['guid', (guid) => guid.rendered],
  statusValue: ['status', same],
  authorId: ['author', reference],
  contentProtected: ['content', (content) => content.protected],
}
const v2 = {
  materialsEnabled: ['materials_enabled', same],
  materials: ['materials', same],
  commentStatusValue: ['comment_status', none],
} as const

/** Columns whose value follows from the record: a second table, to find errors in the first. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  Group: {
    ...post,
    parentId: ['parent', reference],
    classList: ['class_list', same],
    meta: ['meta', (meta) => (Array.isArray(meta) ? {} : meta)],
    groupTagIds: ['lms_group_tag', same],
  },
  Course: {
    ...post,
    featuredMediaId: ['featured_media', reference],
    materials: ['course_materials', same],
    priceTypeSlug: ['course_price_type', (slug) => (slug === 'buynow' ? 'paynow' : none(slug))],
    price: ['course_price', same],
    prerequisiteEnabled: ['course_prerequisite_enabled', on],
    prerequisiteIds: ['course_prerequisite', (ids) => ids || []],
    pointsEnabled: ['course_points_enabled', on],
    points: ['course_points', number],
    pointsAccess: ['course_points_access', number],
    expireAccess: ['expire_access', on],
    expireAccessDays: ['expire_access_days', number],
    courseTagIds: ['lms_course_tag', same],
    customButtonUrl: ['custom_button_url', same],
  },
  Lesson: {
    ...post,
    courseId: ['course', reference],
    materials: v2.materials,
    videoEnabled: ['video_enabled', same],
    assignmentUploadLimitCount: ['assignment_upload_limit_count', number],
    forcedTimerAmount: ['forced_timer_amount', number],
    visibleTypeValue: ['visible_type', none],
    visibleAfter: ['visible_after', number],
    isSample: ['is_sample', same],
  },
  Topic: {
    ...post,
    materials: v2.materials,
    courseId: ['course', reference],
    lessonId: ['lesson', reference],
  },
  Quiz: {
    ...post,
    materials: ['quiz_materials', same],
    threshold: ['threshold', number],
    passingPercentage: ['passingpercentage', number],
    certificateId: ['certificate', reference],
  },
  Question: {
    internalId: ['_id', same],
    quizId: ['_quizId', reference],
    sort: ['_sort', number],
    titleHtml: ['_title', same],
    question: ['_question', same],
    tipEnabled: ['_tipEnabled', same],
    points: ['_points', number],
    answerTypeValue: ['_answerType', same],
    postId: ['question_id', same],
  },
}
const PATHS: Readonly<Record<string, string>> = {
  Group: 'v1/groups',
  Course: 'v1/sfwd-courses',
  Lesson: 'v2/sfwd-lessons',
  Topic: 'v2/sfwd-topic',
  Quiz: 'v1/sfwd-quiz',
  Question: 'v1/sfwd-questions',
}

/** The path of a record; undefined for objects without a route by id. */
export function pathOf({ type, object, password }: Shown): string | undefined {
  const path = PATHS[type]
  return path && typeof object.databaseId === 'number' && !password ? `/lms/${path}/${object.databaseId}` : undefined
}

/** Leaves of an object that differ from its record: slow, obvious, and without code of the gateway. */
export function* differences({ type, object, leaves }: Shown, row: Row): Iterable<{ field: string; shown: unknown; expected: unknown }> {
  for (const { key, name } of leaves) {
    const column = COLUMNS[type]?.[name]
    if (!column) continue
    const expected = column[1](row[column[0]])
    if (JSON.stringify(object[key]) !== JSON.stringify(expected)) yield { field: `${type}.${name}`, shown: object[key], expected }
  }
}

/** How many leaves of an object can be compared. */
export const comparableLeaves = ({ type, leaves }: Shown): number => leaves.filter(({ name }) => COLUMNS[type]?.[name]).length
