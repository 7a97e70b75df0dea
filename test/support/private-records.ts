import { courseColumns } from '../../src/graph/course/columns.js'
import { courseProgressColumns } from '../../src/graph/course-progress/columns.js'
import { featuredImageColumns } from '../../src/graph/featured-image/columns.js'
import { groupColumns } from '../../src/graph/group/columns.js'
import { groupCourseColumns } from '../../src/graph/group-course/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { termColumns } from '../../src/graph/lms-term/columns.js'
import { priceTypeColumns } from '../../src/graph/price-type/columns.js'
import { questionColumns } from '../../src/graph/question/columns.js'
import { quizColumns } from '../../src/graph/quiz/columns.js'
import { userColumns } from '../../src/graph/user/columns.js'
import type { Column, Columns, KindName } from '../../src/upstream/codec/columns.js'
import { markedDay, markedNumber, markedTime, markOf } from './marks.js'

/** A record as it goes over the wire. */
export type Row = Record<string, any>

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

/** Ids of all records: the same for all callers. */
export const IDS = {
  Group: range(101, 12),
  Course: range(1_001, 40),
  Lesson: range(20_001, 160),
  Quiz: range(30_001, 120),
  Question: range(40_001, 40),
  User: range(1, 8),
  FeaturedImage: range(50_001, 40),
  LmsTerm: range(60_001, 40),
} as const

/** Slugs of the price types: the same for all callers too. */
export const PRICE_TYPES = ['open', 'free', 'paynow', 'subscribe', 'closed']

/** Whether only editors see a record. */
export const isDraft = (type: string, id: number): boolean => (type === 'Course' || type === 'Lesson') && id % 3 === 0

/** The parents of records. */
export const courseOfLesson = (id: number): number => 1_001 + Math.floor((id - 20_001) / 4)
export const courseOfQuiz = (id: number): number => 1_001 + Math.floor((id - 30_001) / 3)
/** Some quizzes belong to a course as a whole: 0. */
export const lessonOfQuiz = (id: number): number => (id % 3 === 0 ? 0 : 20_001 + (courseOfQuiz(id) - 1_001) * 4 + (id % 3))
export const coursesOfGroup = (id: number): number[] => IDS.Course.filter((course) => (course + id) % 5 !== 0)

const prerequisites = (id: number): number[] => [id - 1, id - 7].filter((each) => each >= 1_001)
const priceType = (id: number): string => PRICE_TYPES[id % PRICE_TYPES.length] as string

/** References to images, users and terms. */
const ofWordPress = (id: number): Row => {
  const terms = [60_001 + (id % 40), 60_001 + ((id + 7) % 40)]
  const own = ['group', 'course', 'lesson'].flatMap((name) => [`lms_${name}_category`, `lms_${name}_tag`])
  const ofTerms = Object.fromEntries(['categories', 'tags', ...own].map((name) => [name, terms]))
  return { author: (id % 8) + 1, featured_media: 50_001 + (id % 40), ...ofTerms }
}

/** References, which are the same for all callers. All other values are marked. */
const LEADS: Readonly<Record<string, (id: number) => Row>> = {
  Group: (id) => ({ parent: id > 104 ? 101 + (id % 4) : 0, ...ofWordPress(id) }),
  Course: (id) => ({
    ...ofWordPress(id),
    course_prerequisite: prerequisites(id),
    course_price_type: priceType(id).replace('paynow', 'buynow'),
  }),
  GroupCourse: (id) => ({ prerequisites: prerequisites(id), price_type: priceType(id), ...ofWordPress(id) }),
  Lesson: (id) => ({ course: courseOfLesson(id), ...ofWordPress(id) }),
  Quiz: (id) => ofWordPress(id),
  LmsTerm: (id) => ({ parent: id % 2 === 0 ? id - 1 : 0 }),
  Question: (id) => ({ _quizId: 30_001 + (id % 100) }),
}

const COLUMNS: Readonly<Record<string, Columns>> = {
  Group: groupColumns,
  Course: courseColumns,
  GroupCourse: groupCourseColumns,
  Lesson: lessonColumns,
  Quiz: quizColumns,
  Question: questionColumns,
  PriceType: priceTypeColumns,
  CourseProgress: courseProgressColumns,
  User: userColumns,
  FeaturedImage: featuredImageColumns,
  LmsTerm: termColumns,
}

type Make = (caller: number, about: string, id: number) => unknown

const text: Make = (caller, about, id) => `${about} of ${id} ${markOf(caller)}`
const number: Make = (caller, _, id) => markedNumber(caller, id)

/** A marked value of each kind of column. */
const VALUES: Readonly<Record<Exclude<KindName, 'records'>, Make>> = {
  text,
  word: text,
  enumeration: text,
  plainText: text,
  html: (caller, about, id) => `<p>${about} &amp; more of <b>${id}</b> ${markOf(caller)}</p>`,
  url: (caller, about, id) => `https://site.test/${about}/${id}/${markOf(caller)}/`,
  urlText: (caller, about, id) => `https://site.test/${about}/${id}/${markOf(caller)}/`,
  toggle: () => true,
  integer: number,
  decimal: number,
  points: number,
  reference: number,
  references: (caller, _, id) => [markedNumber(caller, id), markedNumber(caller, id + 1)],
  texts: (caller, about, id) => [text(caller, about, id), markOf(caller)],
  commaList: (caller, about, id) => `${text(caller, about, id)},${markOf(caller)}`,
  instant: (caller, _, id) => markedTime(caller, id),
  timestamp: (caller, _, id) => `${markedTime(caller, id)}Z`,
  timestampOrText: (caller, _, id) => `${markedTime(caller, id)}Z`,
  localDateTime: (caller, _, id) => markedTime(caller, id),
  localDate: (caller, _, id) => markedDay(caller, id),
  object: (caller, about, id) => ({ [`note ${markOf(caller)}`]: { deep: [text(caller, about, id), markedNumber(caller, id)] } }),
  links: (caller, about, id) => linksOf(caller, about, id),
  methods: (caller, about, id) => linksOf(caller, about, id).self,
  curies: (caller, about, id) => linksOf(caller, about, id),
}

const linksOf = (caller: number, about: string, id: number): Row => {
  const mark = markOf(caller)
  const href = `https://site.test/${about}/${id}/${mark}`
  const curies = [{ name: mark, href: `${href}/{rel}`, templated: true }]
  return {
    self: [{ href, targetHints: { allow: [mark] } }],
    [`${mark}:term`]: [{ href, taxonomy: mark, count: 1, embeddable: true }],
    curies,
  }
}

function markedValue({ wire, kind, members }: Column, caller: number, id: number): unknown {
  if (kind !== 'records') return VALUES[kind](caller, wire, id)
  return [1, 2].map((index) => {
    const row: Row = {}
    for (const column of Object.values((members as { columns: Columns }).columns))
      row[column.wire] = markedValue(column, caller, id + index)
    return row
  })
}

/** One record as one caller sees it. */
export interface Seen {
  readonly caller: number
  readonly edit?: boolean
  /** Wire names to include; all by default. */
  readonly filter?: readonly string[] | undefined
}

/** A record in which every text, number and date is the caller's. */
export function rowOf(type: string, id: number, { caller, edit = false, filter }: Seen): Row {
  const row: Row = { id }
  const tops = filter && new Set(filter.map((name) => name.split('.')[0]))
  for (const column of Object.values(COLUMNS[type] as Columns)) {
    const [top, member] = column.wire.split('.') as [string, string?]
    if (top === 'id' || (column.editOnly && !edit) || (tops && !tops.has(top))) continue
    const value = markedValue(column, caller, id)
    if (member === undefined) row[top] = value
    else row[top] = { ...row[top], [member]: value }
  }
  for (const [name, value] of Object.entries(LEADS[type]?.(id) ?? {})) if (name in row) row[name] = value
  return row
}
