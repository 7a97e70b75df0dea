import { describe, expect, it } from 'vitest'
import { courseList } from '../../src/graph/course/routes.js'
import { progressList, progressRoute } from '../../src/graph/course-progress/routes.js'
import { courseGroupList, enrolmentList, memberList } from '../../src/graph/enrolment/routes.js'
import { groupList } from '../../src/graph/group/routes.js'
import { groupCourseList } from '../../src/graph/group-course/routes.js'
import { lessonList } from '../../src/graph/lesson/routes.js'
import { priceTypeRoute, priceTypeTable } from '../../src/graph/price-type/routes.js'
import { quizList } from '../../src/graph/quiz/routes.js'
import { TAGGING } from '../../src/graph/schema.js'
import { changeOf, tagsOfRead } from '../../src/upstream/cache/record-tags.js'
import type { SiteChange } from '../../src/upstream/cache/tags.js'
import { type Params, type Route, recordRoute } from '../../src/upstream/routes.js'

type Read = readonly [route: Route, params?: Params, query?: Readonly<Record<string, unknown>>]

const ASSIGNMENT: Route = { path: 'v2/sfwd-assignments/:id' }

const READS = {
  course: [recordRoute(courseList), { id: 12 }],
  'other course': [recordRoute(courseList), { id: 13 }],
  'batch of courses': [courseList, {}, { include: [12, 14], _filter: ['id', 'class_list', 'content.protected'] }],
  'list of courses': [courseList, {}, { per_page: 10 }],
  'courses of group 7': [groupCourseList, { id: 7 }],
  'courses of group 8': [groupCourseList, { id: 8 }],
  group: [recordRoute(groupList), { id: 7 }],
  'list of groups': [groupList],
  lesson: [recordRoute(lessonList), { id: 5 }],
  'lessons of a course': [lessonList, {}, { course: 12 }],
  'quizzes of a course': [quizList, {}, { course: 12 }],
  'price types': [priceTypeTable],
  'price type': [priceTypeRoute, { slug: 'free' }],
  'progress of 3': [progressList, { user: 3 }],
  'progress of 4': [progressRoute, { user: '4', course: '12' }],
  'another resource': [ASSIGNMENT, { id: 1 }],
} as const satisfies Record<string, Read>

/** The reads that a change drops. */
const droppedBy = (change: SiteChange): string[] => {
  const raised = TAGGING.ofChange(change)
  return Object.entries(READS as Record<string, Read>).flatMap(([name, [route, params = {}, query = {}]]) => {
    const { tags, whenIncomplete } = tagsOfRead(route, params, query, query._filter)
    return [...tags, whenIncomplete].some((tag) => tag !== undefined && raised.includes(tag)) ? [name] : []
  })
}

const ALL = Object.keys(READS)
/** What depends on the access to courses. */
const GUARDED = ['lesson', 'lessons of a course', 'quizzes of a course', 'progress of 3', 'progress of 4']
const PROGRESS = GUARDED.slice(-2)
const COURSE = ['course', 'batch of courses', 'list of courses', 'courses of group 7', 'courses of group 8']
/** What shows terms and blocks. */
const POSTS = ALL.filter((name) => !/price|progress|resource/.test(name))
const dropped = (...names: string[]): string[] => ALL.filter((name) => names.includes(name) || name === 'another resource')

describe('a change', () => {
  it.each<[string, SiteChange, string[]]>([
    [
      'of a course',
      { type: 'course', id: 12, kind: 'updated' },
      dropped('course', 'batch of courses', 'list of courses', 'courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    [
      'of a new course',
      { type: 'course', id: 99, kind: 'created' },
      dropped('batch of courses', 'list of courses', 'courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    [
      'of any course',
      { type: 'course', kind: 'deleted' },
      dropped('course', 'other course', 'batch of courses', 'list of courses', 'courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    ['of the title of a course', { type: 'course', id: 12, kind: 'updated', columns: ['title'] }, dropped(...COURSE, ...PROGRESS)],
    ['of no column of a course', { type: 'course', id: 12, kind: 'updated', columns: [] }, dropped(...COURSE, ...PROGRESS)],
    ['of the meta of a course', { type: 'course', id: 12, kind: 'updated', columns: ['title', 'meta'] }, dropped(...COURSE, ...GUARDED)],
    [
      'of the title of a group',
      { type: 'group', id: 8, kind: 'updated', columns: ['title'] },
      dropped('list of groups', 'courses of group 8'),
    ],
    // The addresses of groups have those of their parents.
    [
      'of the slug of a group',
      { type: 'group', id: 8, kind: 'updated', columns: ['slug'] },
      dropped('group', 'list of groups', 'courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    ['of a lesson', { type: 'lesson', id: 5, kind: 'updated' }, dropped('courses of group 7', 'courses of group 8', ...GUARDED)],
    ['of the title of a lesson', { type: 'lesson', id: 5, kind: 'updated', columns: ['title', 'meta'] }, dropped(...GUARDED)],
    [
      'of the title of another lesson',
      { type: 'lesson', id: 6, kind: 'updated', columns: ['title'] },
      dropped(...GUARDED.filter((name) => name !== 'lesson')),
    ],
    ['of a question', { type: 'question', id: 6, kind: 'updated' }, dropped()],
    [
      'of a group',
      { type: 'group', id: 7, kind: 'updated' },
      dropped('group', 'list of groups', 'courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    [
      'of the courses of a group',
      { type: 'group', id: 7, kind: 'members' },
      dropped('courses of group 7', 'courses of group 8', ...GUARDED),
    ],
    ['of progress', { type: 'progress', id: 3, kind: 'updated' }, dropped('progress of 3')],
    ['of all progress', { type: 'progress', kind: 'updated' }, dropped('courses of group 7', 'courses of group 8', ...GUARDED)],
    ['of a price type', { type: 'priceType', id: 1, kind: 'updated' }, dropped('price types', 'price type')],
    ['of a new term', { type: 'term', id: 1, kind: 'created' }, dropped()],
    ['of a term', { type: 'term', id: 1, kind: 'updated' }, dropped(...POSTS)],
    ['of a block', { type: 'block', id: 1, kind: 'updated' }, dropped(...POSTS.filter((name) => name !== 'batch of courses'))],
    ['of a deleted term', { type: 'term', id: 1, kind: 'deleted' }, ALL],
    ['of the site', { type: 'site', kind: 'updated' }, ALL],
  ])('%s drops what depends on it', (_, change, names) => {
    expect(droppedBy(change)).toEqual(names)
  })
})

describe('reads of who is in a course', () => {
  const read = (route: Route, params: Params): readonly string[] => tagsOfRead(route, params, {}, undefined).tags
  const LISTS = {
    'courses of user 3': read(enrolmentList, { user: 3 }),
    'courses of user 4': read(enrolmentList, { user: 4 }),
    'users of course 12': read(memberList, { id: 12 }),
    'groups of course 12': read(courseGroupList, { id: 12 }),
  }
  const ALL_LISTS = Object.keys(LISTS)

  it.each<[string, SiteChange, string[]]>([
    ['the enrolment of a user', { type: 'user', id: 3, kind: 'members' }, ALL_LISTS],
    ['the enrolment of any user', { type: 'user', kind: 'members' }, ALL_LISTS],
    ['the courses of a group', { type: 'group', id: 7, kind: 'members' }, ALL_LISTS],
    ['the settings of a course', { type: 'course', id: 12, kind: 'updated' }, ALL_LISTS],
    ['the progress of a user', { type: 'progress', id: 3, kind: 'updated' }, ['courses of user 3']],
    ['the title of another course', { type: 'course', id: 13, kind: 'updated', columns: ['title'] }, ALL_LISTS.slice(0, 2)],
    ['the title of a group', { type: 'group', id: 7, kind: 'updated', columns: ['title'] }, ['groups of course 12']],
    ['a question', { type: 'question', id: 6, kind: 'updated' }, []],
  ])('%s drops those that depend on it', (_, change, names) => {
    const raised = TAGGING.ofChange(change)
    expect(Object.entries(LISTS).flatMap(([name, tags]) => (tags.some((tag) => raised.includes(tag)) ? [name] : []))).toEqual(names)
  })
})

describe('a write', () => {
  it.each<[name: string, write: Parameters<typeof changeOf>, change: SiteChange]>([
    ['of a new course', [courseList, 'POST', {}], { type: 'course', id: undefined, kind: 'created' }],
    ['of a new course with its id', [courseList, 'POST', {}, { title: 'New' }, 99], { type: 'course', id: 99, kind: 'created' }],
    ['to a course', [recordRoute(courseList), 'POST', { id: 12 }], { type: 'course', id: 12, kind: 'updated' }],
    [
      'to the title of a course',
      [recordRoute(courseList), 'POST', { id: 12 }, { title: 'New' }],
      { type: 'course', id: 12, kind: 'updated', columns: ['title'] },
    ],
    ['that deletes a group', [recordRoute(groupList), 'DELETE', { id: '7' }], { type: 'group', id: 7, kind: 'deleted' }],
    ['to the courses of a group', [groupCourseList, 'POST', { id: 7 }], { type: 'group', id: 7, kind: 'members' }],
    ['to the users of a course', [memberList, 'DELETE', { id: 12 }, { user_ids: [3] }], { type: 'user', kind: 'members' }],
    ['to progress', [progressRoute, 'POST', { user: 3, course: 12 }], { type: 'site', kind: 'updated' }],
    ['to another resource', [ASSIGNMENT, 'POST', { id: 7 }], { type: 'site', kind: 'updated' }],
  ])('%s makes its change', (_, write, change) => {
    expect(changeOf(...write)).toEqual(change)
  })
})
