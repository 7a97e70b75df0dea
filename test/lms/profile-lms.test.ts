import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { credentials, type Login, SITE } from './world.js'

/** Prefix of the SHA-256 of status, paging headers and body of each response. They are those of the specification, and must not change. */
const ANSWERS: readonly (readonly [login: Login, path: string, hash: string])[] = [
  ['admin', '/lms/v1/groups?per_page=100&status=any&context=edit', '972a4c4f8ad1190e'],
  ['anonymous', '/lms/v1/groups/1001', '6b12d7a1c4ca129b'],
  ['leader', '/lms/v1/groups?include=1003', 'ad29a22cb66e664a'],
  ['admin', '/lms/v1/sfwd-courses?per_page=100&status=any&context=edit', 'fae87c257237e9c5'],
  ['learner', '/lms/v1/sfwd-courses?per_page=100&page=2', 'c5d9ee42d72a5eb9'],
  ['anonymous', '/lms/v1/sfwd-courses/10001?context=embed', '8818b722d29230ec'],
  ['admin', '/lms/v1/sfwd-courses?_filter=id,title.rendered', '3f87532a8ed14810'],
  ['admin', '/lms/v1/sfwd-courses?offset=9999', 'bf17821fa313e0c9'],
  ['admin', '/lms/v1/sfwd-courses?page=99', '5db549070156e38c'],
  ['admin', '/lms/v1/sfwd-quiz?course=10001&include=300004', 'bf17821fa313e0c9'],
  ['admin', '/lms/v1/sfwd-quiz?per_page=100&context=edit', '19aa2d3e7aeb064d'],
  ['learner', '/lms/v2/sfwd-lessons?course=10009&per_page=100', 'fd37fdfe7512774c'],
  ['anonymous', '/lms/v2/sfwd-lessons', '22a27b0edf1c19ec'],
  ['admin', '/lms/v2/sfwd-lessons?course=77', '5893dfde626109d1'],
  ['learner', '/lms/v2/sfwd-lessons/100001', 'ecf241cf743f8dca'],
  ['anonymous', '/lms/v2/groups/1001/courses?per_page=100', '0c39334349f058ca'],
  ['admin', '/lms/v2/groups/1001/courses?include=10001,10002', 'eaf5a05d7066e427'],
  ['learner', '/lms/v2/users/3/course-progress?per_page=100', '55cd1dd1fbd92840'],
  ['admin', '/lms/v2/users/99/course-progress', '67d2b91000b79ccd'],
  ['learner', '/lms/v2/users/3/course-progress/10001', '7f0600a1f6dfcc63'],
  ['anonymous', '/lms/v2/price-types', 'e4a1d2e43a0e8cb8'],
  ['admin', '/lms/v2/price-types?_filter=slug', '3aaf5a4bba8c13fa'],
  ['admin', '/lms/v1/sfwd-questions/500007', 'dc298ecaf66d06e0'],
  ['admin', '/lms/v1/sfwd-questions/77', '8a740aa179cc89db'],
  ['anonymous', '/wp-json/lms/v1/groups?per_page=0&order=ASC', '783bb6bbb7c624e5'],
  ['anonymous', '/wp-json/', '04b17333189936bb'],
  ['anonymous', '/?rest_route=/lms/v1/groups', '04b17333189936bb'],
  ['admin', '/lms/v1/sfwd-courses/10001?_envelope=1', '3dce9ae8b6dc7829'],
  ['anonymous', '/-/switches', '04b17333189936bb'],
  ['anonymous', '/lms/v2/users/3/course-progress/10001/steps', '04b17333189936bb'],
  ['admin', '/lms/v2/users/3/courses', '04b17333189936bb'],
  ['admin', '/lms/v2/sfwd-courses/10009/users', '04b17333189936bb'],
  ['admin', '/lms/v2/sfwd-courses/10009/groups', '04b17333189936bb'],
  ['admin', '/lms/v2/sfwd-courses/10009/steps', '04b17333189936bb'],
  ['admin', '/lms/v2/sfwd-topic', '04b17333189936bb'],
  ['admin', '/lms/v2/sfwd-question', '04b17333189936bb'],
]

/** Routes that the specification does not have. */
const ADDED = [
  '/wp-json/',
  '/?rest_route=/lms/v1/groups',
  '/lms/v2/users/3/course-progress/10001/steps',
  '/lms/v2/users/3/courses',
  '/lms/v2/sfwd-courses/10009/users',
  '/lms/v2/sfwd-courses/10009/groups',
  '/lms/v2/sfwd-courses/10009/steps',
  '/lms/v2/sfwd-topic',
  '/lms/v2/sfwd-question',
]

const WITHOUT_ADDITIONS = {
  siteRoutes: false,
  progressSteps: false,
  enrolments: false,
  courseSteps: false,
  topics: false,
  questionList: false,
}

/** The methods that links of records have in addition. */
const METHODS = /,"targetHints":\{"allow":\[[^\]]*\]\}/g

const HEADERS = ['content-type', 'link', 'x-wp-total', 'x-wp-totalpages']

describe.each([
  ['by default', {}, ANSWERS.filter(([, path]) => !ADDED.includes(path))],
  ['as profile lms without additions', { profile: 'lms', switches: WITHOUT_ADDITIONS } as const, ANSWERS],
] as const)('the LMS %s', (_name, options, answers) => {
  let lms: RunningLms
  beforeAll(async () => {
    lms = await startLms({ site: SITE, ...options })
  })
  afterAll(() => lms.close())

  it.each(answers)('answers %s on %s as in the specification', async (login, path, hash) => {
    const response = await fetch(lms.url + path, { headers: credentials(login) })
    const text = [
      response.status,
      ...HEADERS.map((name) => response.headers.get(name)),
      (await response.text()).replaceAll(METHODS, ''),
    ].join('\n')
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(hash)
  })
})
