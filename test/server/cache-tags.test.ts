import { describe, expect, it } from 'vitest'
import { TAGGING } from '../../src/graph/schema.js'
import type { SiteChange } from '../../src/upstream/cache/tags.js'
import type { Params, Route } from '../../src/upstream/routes.js'

type Read = readonly [path: Route['path'], params?: Params, query?: Readonly<Record<string, unknown>>]

const READS = {
  course: ['v1/sfwd-courses/:id', { id: 12 }],
  'other course': ['v1/sfwd-courses/:id', { id: 13 }],
  'batch of courses': ['v1/sfwd-courses', {}, { include: [12, 14], _filter: ['id', 'class_list', 'content.protected'] }],
  'list of courses': ['v1/sfwd-courses', {}, { per_page: 10 }],
  'courses of group 7': ['v2/groups/:id/courses', { id: 7 }],
  'courses of group 8': ['v2/groups/:id/courses', { id: 8 }],
  group: ['v1/groups/:id', { id: 7 }],
  'list of groups': ['v1/groups'],
  lesson: ['v2/sfwd-lessons/:id', { id: 5 }],
  'lessons of a course': ['v2/sfwd-lessons', {}, { course: 12 }],
  'quizzes of a course': ['v1/sfwd-quiz', {}, { course: 12 }],
  'price types': ['v2/price-types'],
  'price type': ['v2/price-types/:slug', { slug: 'free' }],
  'progress of 3': ['v2/users/:user/course-progress', { user: 3 }],
  'progress of 4': ['v2/users/:user/course-progress/:course', { user: '4', course: '12' }],
  'another resource': ['v2/sfwd-assignments/:id', { id: 1 }],
} as const satisfies Record<string, Read>

/** The reads that a change drops. */
const droppedBy = (change: SiteChange): string[] => {
  const raised = TAGGING.ofChange(change)
  return Object.entries(READS as Record<string, Read>).flatMap(([name, [path, params = {}, query = {}]]) => {
    const { tags, whenIncomplete } = TAGGING.ofRead({ path }, params, query, '_filter')
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

describe('a write', () => {
  it.each<[Parameters<typeof TAGGING.changeOf>, SiteChange]>([
    [['POST', { path: 'v1/sfwd-courses' }, {}], { type: 'course', id: undefined, kind: 'created' }],
    [['POST', { path: 'v1/sfwd-courses' }, {}, { title: 'New' }, 99], { type: 'course', id: 99, kind: 'created' }],
    [['POST', { path: 'v1/sfwd-courses/:id' }, { id: 12 }], { type: 'course', id: 12, kind: 'updated' }],
    [['DELETE', { path: 'v1/groups/:id' }, { id: '7' }], { type: 'group', id: 7, kind: 'deleted' }],
    [['POST', { path: 'v2/groups/:id/courses' }, { id: 7 }], { type: 'group', id: 7, kind: 'members' }],
    [['POST', { path: 'v2/sfwd-assignments/:id' }, { id: 7 }], { type: 'site', kind: 'updated' }],
  ])('%j makes the change %j', (write, change) => {
    expect(TAGGING.changeOf(...write)).toEqual(change)
  })
})
