import { SAMPLES } from '../../src/lms/index.js'
import { globalId } from '../support/global-id.js'

/** A bad input and the fields of it that are wrong. */
export type Bad = readonly [input: unknown, ...fields: string[]]

const long = (characters: number): string => 'x'.repeat(characters)
export const COURSE = 10_001
export const MISSING = 999_999
/** No ids, of any kind of record. */
const NO_IDS: readonly unknown[] = [
  0,
  '0',
  -5,
  '-5',
  99_999_999_999,
  '2147483648',
  '',
  ' 7',
  '7.0',
  '1e3',
  'abc',
  '../7',
  globalId('Nothing', 7),
]

const each = (field: string, values: readonly unknown[], more: object = {}): Bad[] =>
  values.map((value) => [{ ...more, [field]: value }, field])

/** Bad values of an id of `type`; ids of records that do not exist are good ones, but for the site. */
const badIds = (field: string, type: string, more: object = {}, orNone = false): Bad[] => {
  const noIds = orNone ? NO_IDS.filter((id) => String(id) !== '0') : NO_IDS
  const foreign = ['Group', 'Course', 'Lesson', 'User'].filter((other) => other !== type).map((other) => globalId(other, 7))
  return each(field, [...noIds, ...foreign, globalId(type, 0), globalId(type, 'x'), true, 1.5, [7, 8], {}], more)
}

/** Bad values of fields that all kinds of records have. */
const POST: readonly Bad[] = [
  [null, 'input'],
  ...each('title', [5, true, ['x'], { raw: 'x' }]),
  ...each('status', ['NOPE', 'publish', '', 'TRASH', 'UNKNOWN', 1, null]),
  ...each('nothing', [1]),
  ...each('course_price_type', ['open']),
  ...each('modified', ['2026-11-20T13:12:23']),
  ...each('slug', [long(201), 7]),
  ...each('password', [long(256)]),
  ...badIds('authorId', 'User'),
  ...each('authorId', [null, MISSING, globalId('User', MISSING)]),
  ...each('date', [
    '2026-02-30T10:00:00',
    '2026-11-20',
    '2026-11-20T25:00:00',
    '2026-11-20T18:12',
    '2026-11-20T18:12:23Z',
    '2026-11-20T18:12:23+02:00',
    '20.11.2026',
    'soon',
    '',
    1_795_198_343,
  ]),
  ...each('dateGmt', [
    '2026-11-20T18:12:23',
    '2026-02-30T10:00:00Z',
    '2026-11-20',
    '2026-11-20T18:12:23 CET',
    '2026-11-20T18:12:23+99:00',
    '',
    5,
  ]),
  ...each('dateGmt', ['2026-11-20T18:12:23Z', null], { date: '2026-11-20T18:12:23' }),
  ...each('featuredMediaId', [-1, 1.5, 2_147_483_648, 'x']),
  ...each('template', [5, false]),
  // All that is wrong is named at once.
  [{ title: 1, status: 'NOPE', featuredMediaId: 'x', date: 'soon' }, 'title', 'status', 'featuredMediaId', 'date'],
  [
    { slug: long(201), password: long(256), authorId: globalId('Course', 1), featuredMediaId: -1, dateGmt: '2026-11-20T18:12:23' },
    'slug',
    'password',
    'authorId',
    'featuredMediaId',
    'dateGmt',
  ],
]

const badTerms = (...fields: string[]): Bad[] =>
  fields.flatMap((field) => each(field, [[0], [-1], ['x'], [1.5], [null], MISSING, [MISSING]]))
const badMeta: readonly Bad[] = each('meta', ['x', 5, true, ['x'], null])
const badMenuOrder: readonly Bad[] = each('menuOrder', [-1, 1.5, '3', null, 2_147_483_648])
const badCount = (...fields: string[]): Bad[] => fields.flatMap((field) => each(field, [-1, 1.5, '3', null]))
const badToggle = (...fields: string[]): Bad[] => fields.flatMap((field) => each(field, ['yes', 1, 'on', null]))

/** Bad inputs to make or change a record of each type. */
export const SAVING: Readonly<Record<string, readonly Bad[]>> = {
  Group: [
    ...POST,
    ...badTerms('categoryIds', 'groupTagIds'),
    ...badMeta,
    ...badIds('parentId', 'Group', {}, true),
    ...each('parentId', [MISSING]),
    [{ parentId: MISSING, authorId: MISSING, groupTagIds: [MISSING] }, 'parentId', 'authorId', 'groupTagIds'],
  ],
  Course: [
    ...POST,
    ...badTerms('tagIds', 'courseCategoryIds'),
    ...badMeta,
    ...badMenuOrder,
    ...badToggle('pointsEnabled', 'prerequisiteEnabled'),
    ...each('priceTypeSlug', ['nothing', '', long(201), 5, null]),
    ...each('prerequisiteCompare', ['SOME', 'any']),
    ...each('prerequisiteIds', [[globalId('Lesson', 7)], [0], [7, 'x'], [null], 'x']),
    ...each('points', [-1, 'x', '3', null]),
    ...each('expireAccessDays', [-0.5, 1.5]),
    [
      { priceTypeSlug: 'nothing', authorId: MISSING, courseTagIds: [MISSING], expireAccessDays: 1.5 },
      'priceTypeSlug',
      'authorId',
      'courseTagIds',
      'expireAccessDays',
    ],
    [{ points: -1, pointsAccess: -2, prerequisiteIds: [globalId('Quiz', 1)] }, 'points', 'pointsAccess', 'prerequisiteIds'],
  ],
  Quiz: [
    ...POST,
    ...badMenuOrder,
    ...each('threshold', [7, 1.01, -0.1, '0.8', 'x', true, [1, 2]]),
    ...each('passingPercentage', [100.5, -1, '80%', {}]),
    ...each('certificateId', [-1, 'x', 1.5]),
    [{ certificateId: -1, slug: long(300) }, 'certificateId', 'slug'],
  ],
  Lesson: [
    ...POST,
    ...badTerms('lessonTagIds'),
    ...badMeta,
    ...badMenuOrder,
    ...badToggle('isSample', 'videoEnabled'),
    ...badCount('visibleAfter', 'assignmentUploadLimitCount', 'assignmentPointsAmount', 'forcedTimerAmount', 'videoAutoCompleteDelay'),
    ...badIds('courseId', 'Course', {}, true),
    ...each('courseId', [MISSING]),
    ...each('visibleType', ['LATER', 'visible_after']),
    ...each('videoShown', ['DURING', null]),
    ...each('commentStatus', ['MAYBE', true]),
    ...each('visibleAfterSpecificDate', ['2026-02-30', '2026-11-20T10:00:00', '20.11.2026', '2026-11', '', 5]),
    ...each('assignmentUploadLimitSize', ['64M', '33554433', '1G', 'big', '-1', '0', 32]),
    ...each('assignmentUploadLimitExtensions', [['pdf,zip'], [''], [' '], ['.pdf'], ['p df'], [null], [5]]),
    [
      { visibleAfter: -1, forcedTimerAmount: -1, courseId: globalId('Group', 1), assignmentUploadLimitExtensions: ['a,b'] },
      'visibleAfter',
      'forcedTimerAmount',
      'courseId',
      'assignmentUploadLimitExtensions',
    ],
    [{ courseId: MISSING, authorId: MISSING }, 'courseId', 'authorId'],
    [{ assignmentUploadLimitSize: '64M', menuOrder: -1 }, 'assignmentUploadLimitSize', 'menuOrder'],
  ],
}

/** Ids of records that exist. */
export const EXISTING: Readonly<Record<string, number>> = { Group: 1_001, Course: COURSE, Lesson: 100_001, Quiz: 300_001 }

const withId = (type: string, bad: readonly Bad[]): Bad[] => [
  ...bad.map(([input, ...fields]): Bad => [input === null ? null : { id: EXISTING[type], ...(input as object) }, ...fields]),
  ...badIds('id', type, { title: 'x' }),
  ...each('id', [null]),
  [{ title: 'x' }, 'id'],
  [{ id: globalId('Nothing', 1), slug: long(201), authorId: 'x' }, 'id', 'slug', 'authorId'],
]

const group = EXISTING.Group as number
const parents: readonly Bad[] = [
  [{ id: group, parentId: group }, 'parentId'],
  [{ id: group, parentId: globalId('Group', group) }, 'parentId'],
]

/** Bad inputs of each mutation. */
export const BAD_INPUTS: readonly (readonly [mutation: string, bad: readonly Bad[]])[] = [
  ...Object.entries(SAVING).map(([type, bad]) => [`create${type}`, bad] as const),
  ...Object.entries(SAVING).map(([type, bad]) => [`update${type}`, [...withId(type, bad), ...(type === 'Group' ? parents : [])]] as const),
  [
    'deleteGroup',
    [
      [null, 'input'],
      [{}, 'id'],
      ...badIds('id', 'Group'),
      ...badIds('id', 'Group', { force: true }),
      ...each('id', [null]),
      ...each('force', ['yes', 1, [true, false]], { id: group }),
      [{ id: group, reallyForce: true }, 'reallyForce'],
      [{ id: {}, force: 'no' }, 'id', 'force'],
    ],
  ],
  [
    'addCoursesToGroup',
    [
      [null, 'input'],
      [{ courseIds: [COURSE] }, 'id'],
      [{ id: SAMPLES.emptyGroup }, 'courseIds'],
      ...badIds('id', 'Group', { courseIds: [COURSE] }),
      ...NO_IDS.flatMap((id) => each('courseIds', [[id], [COURSE, id]], { id: SAMPLES.emptyGroup })),
      ...each(
        'courseIds',
        [null, [], [null], [globalId('Group', group)], [[COURSE]], Array.from({ length: 501 }, (_, place) => place + 1)],
        {
          id: SAMPLES.emptyGroup,
        },
      ),
      [{ id: SAMPLES.emptyGroup, courseIds: [COURSE], courses: [COURSE] }, 'courses'],
      [{ id: 'x', courseIds: ['x'] }, 'id', 'courseIds'],
      [{ id: {}, courseIds: [{}] }, 'id', 'courseIds'],
    ],
  ],
]
