import { courseColumns } from '../graph/course/columns.js'
import { courseList } from '../graph/course/routes.js'
import { courseProgressColumns } from '../graph/course-progress/columns.js'
import { progressList, progressRoute } from '../graph/course-progress/routes.js'
import { groupColumns } from '../graph/group/columns.js'
import { groupList } from '../graph/group/routes.js'
import { courseInGroupColumns, groupCourseColumns } from '../graph/group-course/columns.js'
import { groupCourseList } from '../graph/group-course/routes.js'
import { lessonColumns } from '../graph/lesson/columns.js'
import { lessonList } from '../graph/lesson/routes.js'
import { priceTypeColumns } from '../graph/price-type/columns.js'
import { priceTypeRoute, priceTypeTable } from '../graph/price-type/routes.js'
import { questionColumns } from '../graph/question/columns.js'
import { questionRoute } from '../graph/question/routes.js'
import { quizColumns } from '../graph/quiz/columns.js'
import { quizList } from '../graph/quiz/routes.js'
import type { Columns } from '../upstream/codec/columns.js'
import { Shape } from '../upstream/codec/records.js'
import { type ListRoute, type Route, recordRoute } from '../upstream/routes.js'

/** A kind of record: its columns in the graph, and its routes. */
export interface Resource {
  /** Name of its type in the graph. */
  readonly name: string
  readonly plural: string
  readonly shape: Shape
  readonly list?: ListRoute
  readonly one?: Route
  /** Wire name of the column that identifies a record. */
  readonly key?: string
  /** Columns that the graph reads from the rows of the list in place of another record, by their names there. */
  readonly also?: Columns
}

type Routes = Omit<Resource, 'name' | 'plural' | 'shape'>

const resource = <R extends Routes>(name: string, plural: string, columns: Columns, rest: R): Resource & R => ({
  name,
  plural,
  shape: new Shape(name, columns),
  ...rest,
})

export const PRICE_TYPE = resource('PriceType', 'price types', priceTypeColumns, {
  list: priceTypeTable,
  one: priceTypeRoute,
  key: 'slug',
})
export const GROUP = resource('Group', 'groups', groupColumns, { list: groupList, one: recordRoute(groupList), key: 'id' })
export const COURSE = resource('Course', 'courses', courseColumns, { list: courseList, one: recordRoute(courseList), key: 'id' })
export const LESSON = resource('Lesson', 'lessons', lessonColumns, { list: lessonList, one: recordRoute(lessonList), key: 'id' })
export const QUIZ = resource('Quiz', 'quizzes', quizColumns, { list: quizList, one: recordRoute(quizList), key: 'id' })
export const GROUP_COURSE = resource('GroupCourse', 'courses of a group', groupCourseColumns, {
  list: groupCourseList,
  key: 'id',
  also: courseInGroupColumns,
})
export const PROGRESS = resource('CourseProgress', 'course progress', courseProgressColumns, {
  list: progressList,
  one: progressRoute,
  key: 'course',
})
export const QUESTION = resource('Question', 'questions', questionColumns, { one: questionRoute })

/** All kinds of records, in the order of the registry. */
export const RESOURCES: readonly Resource[] = [PRICE_TYPE, GROUP, COURSE, GROUP_COURSE, LESSON, QUIZ, QUESTION, PROGRESS]

/** Columns that sites may omit because of their settings. */
export const OPTIONAL: ReadonlySet<string> = new Set([
  'categories',
  'tags',
  'meta',
  'class_list',
  'comment_status',
  'ping_status',
  'parent',
  'featured_media',
  'template',
  'permalink_template',
  'generated_slug',
  'course_start_date',
  'course_end_date',
  'course_seats_limit',
  ...['group', 'course', 'lesson'].flatMap((name) => [`lms_${name}_category`, `lms_${name}_tag`]),
])

/** Fields that WordPress and plugins add to records, and that the graph does not use. */
export const EXTRAS: ReadonlySet<string> = new Set([
  '_links',
  '_embedded',
  'excerpt',
  'class_list',
  'sticky',
  'format',
  'featured_media_src_url',
])
