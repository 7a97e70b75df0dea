import { afterEach, expect, it } from 'vitest'
import type { Examination } from '../../src/doctor/examine.js'
import { type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'
import { QUIRKS } from '../../src/options/site.js'
import { PRESETS, siteOf } from '../../src/upstream/site/presets.js'
import { authorizationOf, World } from '../support/world.js'
import { alarms, examineAs, findingOf, OF_LEARNDASH, optionsOf, QUESTION, settingsOf, WITHOUT_ADDITIONS } from './patient.js'

// Sites better than their preset, and sites worse: the settings that the doctor writes, and the behaviour of a gateway with them.

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const methods = new Set<string>()
async function start(options: LmsOptions): Promise<RunningLms> {
  const lms = await startLms({ ...options, onCall: ({ method }) => methods.add(method) })
  closers.push(() => lms.close())
  return lms
}

/** A gateway with the written settings, in front of the same kind of site. */
async function worldOf(examination: Examination, school: LmsOptions): Promise<World> {
  const world = await World.start({}, { profile: 'lms', ...school }, { ...siteOf(optionsOf(examination).site) })
  closers.push(() => world.close())
  return world
}

const learndash = PRESETS.learndash
const without = (...settings: RegExp[]): string[] =>
  learndash.ignoredFilters.filter((each) => !settings.some((setting) => setting.test(each)))

/** Switches of a LearnDash site better than its preset, with the written settings. */
const BETTER: readonly (readonly [string, NonNullable<LmsOptions['switches']>, Record<string, unknown>])[] = [
  ['groups have parents', { withoutHierarchy: false }, { ignoredFilters: without(/^v1\/groups parent/) }],
  ['courses and lessons have categories', { withoutCategories: false }, { ignoredFilters: without(/(categories|tags)(_exclude)?$/) }],
  ['groups list drafts', { groupCoursesPublished: false }, { ignoredFilters: without(/courses status$/) }],
  ['courses of a group keep to ids', { groupCoursesIgnoreIds: false }, { ignoredFilters: without(/courses (include|exclude)$/) }],
  ['an unknown course has no lessons', { unknownCourseDropped: false }, { droppedFilters: ['v1/groups include'] }],
  ['quizzes keep to ids', { quizIncludeFallback: false }, { unbatched: [] }],
  ['lessons keep to the size of pages', { lessonsPerPage: 0 }, { pageSizeParams: [] }],
  [
    'questions name quizzes',
    { engineQuizIds: false },
    { unusableColumns: learndash.unusableColumns.filter((column) => column !== 'Question.quizId') },
  ],
  ['courses say paynow', { buyNow: false }, { payNowSpelling: 'paynow' }],
  ['the current user is not returned', { siteRoutes: false }, { routes: ['users/course-progress/steps'] }],
  ['steps cannot be read', { progressSteps: false }, { routes: ['users/me', 'users', 'media', 'terms'] }],
  [
    'enrolments can be read',
    { enrolments: true },
    { routes: [...learndash.routes, 'users/courses', 'sfwd-courses/users', 'sfwd-courses/groups'] },
  ],
  ['price types are a list', { priceTypesBySlug: false }, { unfilteredRoutes: [] }],
  ['courses of a group are whole', { groupCoursesPlain: false }, { missingColumns: [] }],
]

it.each(BETTER)('a LearnDash site better than its preset is written so: %s', { timeout: 60_000 }, async (_, switches, written) => {
  const { url } = await start({ profile: 'learndash', switches })
  const examination = await examineAs(url, 'admin', { question: QUESTION })
  const { preset, url: root, ...rest } = settingsOf(examination)
  expect([preset, root]).toEqual(['learndash', url])
  const { timeZone, ...others } = OF_LEARNDASH
  const expected = { ...written, ...(switches.siteRoutes === false ? {} : { timeZone }), ...others }
  expect(Object.keys(rest).sort()).toEqual(Object.keys(expected).sort())
  for (const [name, value] of Object.entries(expected))
    expect(Array.isArray(value) ? [...(rest as Record<string, string[]>)[name]!].sort() : rest[name as keyof typeof rest]).toEqual(
      Array.isArray(value) ? [...value].sort() : value,
    )
  expect(alarms(examination)).toEqual([])
})

/** Switches of a site worse than the specification, with the written settings. */
const WORSE: readonly (readonly [string, NonNullable<LmsOptions['switches']>, Record<string, unknown>])[] = [
  ['groups have no parents', { withoutHierarchy: true }, { ignoredFilters: ['v1/groups parent', 'v1/groups parent_exclude'] }],
  [
    'courses and lessons have no categories',
    { withoutCategories: true },
    { ignoredFilters: [...learndash.ignoredFilters.filter((each) => /(categories|tags)(_exclude)?$/.test(each))] },
  ],
  ['groups list published courses only', { groupCoursesPublished: true }, { ignoredFilters: ['v2/groups/:id/courses status'] }],
  [
    'courses of a group ignore ids',
    { groupCoursesIgnoreIds: true },
    { ignoredFilters: ['v2/groups/:id/courses include', 'v2/groups/:id/courses exclude'] },
  ],
  ['an unknown course has all lessons', { unknownCourseDropped: true }, { droppedFilters: ['v2/sfwd-lessons course'] }],
  ['quizzes of courses are left out', { quizIncludeFallback: true }, { unbatched: ['Quiz'] }],
  ['lessons have a page size of their own', { lessonsPerPage: 3 }, { pageSizeParams: ['posts_per_page'] }],
  [
    'questions name the engine’s quizzes',
    { engineQuizIds: true },
    { unusableColumns: [...QUIRKS.unusableColumns.specified, 'Question.quizId'] },
  ],
  ['courses say buynow', { buyNow: true }, { payNowSpelling: 'buynow' }],
  ['WordPress’s own routes exist', { siteRoutes: true }, { routes: ['users/me', 'users', 'media', 'terms'], timeZone: 'Europe/Berlin' }],
  ['steps can be read', { progressSteps: true }, { routes: ['users/course-progress/steps'] }],
  [
    'the users, groups and courses of enrolments can be read',
    { enrolments: true },
    { routes: ['users/courses', 'sfwd-courses/users', 'sfwd-courses/groups'] },
  ],
  [
    'the outline, topics and questions can be read',
    { courseSteps: true, topics: true, questionList: true },
    { routes: ['sfwd-courses/steps', 'sfwd-topic', 'sfwd-question'] },
  ],
]

it.each(WORSE)('a site worse than the specification is written so: %s', { timeout: 60_000 }, async (_, switches, written) => {
  const { url } = await start({ switches: { ...WITHOUT_ADDITIONS, ...switches } })
  const examination = await examineAs(url, 'admin', { question: QUESTION })
  const { preset, url: root, ...rest } = settingsOf(examination)
  expect([preset, root]).toEqual(['lms', url])
  expect(Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]))).toEqual(
    Object.fromEntries(Object.entries(written).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value])),
  )
})

const REFUSED_BY_PRESET = {
  parents: '{ groups(first: 20, where: { parent: { in: [1002] } }) { nodes { databaseId parent { databaseId } } } }',
  categories: '{ courses(first: 3, where: { categories: { in: [CATEGORY] } }) { nodes { databaseId categoryIds } } }',
  status: '{ group(id: 1002) { courses(first: 5, where: { status: [DRAFT] }) { nodes { databaseId status } } } }',
}

it('a gateway with the written settings answers what the preset refuses, with one call per list', { timeout: 60_000 }, async () => {
  const school: LmsOptions = {
    profile: 'learndash',
    switches: { withoutHierarchy: false, withoutCategories: false, groupCoursesPublished: false },
  }
  const { url } = await start(school)
  const examination = await examineAs(url, 'admin')
  expect(findingOf(examination, 'filters.better')?.found).toBe(
    'groups by parent; courses by categories, tags; courses of a group by status, categories, tags; lessons by categories, tags',
  )
  expect(findingOf(examination, 'filters.refused')).toMatchObject({ state: 'ok', found: 'none' })
  const world = await worldOf(examination, school)
  const headers = { authorization: authorizationOf('admin'), 'content-type': 'application/json' }
  const sent = (path: string, init: RequestInit = {}): Promise<any> =>
    fetch(`${world.lms.url}/ldlms/${path}`, { headers, ...init }).then((response) => response.json())
  const [course] = await sent('v2/groups/1002/courses?per_page=1')
  await sent(`v1/sfwd-courses/${course.id}`, { method: 'POST', body: JSON.stringify({ status: 'draft' }) })
  const categoryOf = (await sent('v1/sfwd-courses?per_page=20&_fields=categories')).flatMap(({ categories }: any) => categories)[0]

  const groups = await world.query(REFUSED_BY_PRESET.parents, { as: 'admin' })
  expect(groups.data.groups.nodes.map(({ databaseId }: any) => databaseId).sort()).toEqual([1012, 1013, 1014])
  expect(groups.data.groups.nodes[0].parent).toEqual({ databaseId: 1002 })
  expect(groups.calls.filter((call) => /\/v1\/groups\?.*parent=1002/.test(call))).toHaveLength(1)
  expect(groups.calls.length).toBeLessThanOrEqual(2)

  const courses = await world.query(REFUSED_BY_PRESET.categories.replace('CATEGORY', categoryOf), { as: 'admin' })
  expect(courses.data.courses.nodes).toHaveLength(3)
  for (const { categoryIds } of courses.data.courses.nodes) expect(categoryIds).toContain(categoryOf)
  expect(courses.calls).toHaveLength(1)

  const drafts = await world.query(REFUSED_BY_PRESET.status, { as: 'admin' })
  expect(drafts.data.group.courses.nodes).toEqual([{ databaseId: course.id, status: 'DRAFT' }])
  expect(drafts.calls).toHaveLength(2)
  expect(drafts.calls.filter((call) => /\/v2\/groups\/1002\/courses\?.*status=draft/.test(call))).toHaveLength(1)
})

it('a gateway with the settings of a worse site refuses what it would answer wrongly, without a call for the list', {
  timeout: 60_000,
}, async () => {
  const school: LmsOptions = { profile: 'lms', switches: { withoutHierarchy: true, withoutCategories: true, groupCoursesPublished: true } }
  const { url } = await start(school)
  const examination = await examineAs(url, 'admin')
  expect(findingOf(examination, 'filters.refused')?.found).toBe(
    'groups 1 (parent); courses 2 (categories, tags); courses of a group 3 (status, categories, tags); lessons 2 (categories, tags)',
  )
  const world = await worldOf(examination, school)
  for (const query of Object.values(REFUSED_BY_PRESET)) {
    const { errors, calls } = await world.query(query.replace('CATEGORY', '7'), { as: 'admin' })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
    expect(calls.filter((call) => !/\/v1\/groups\/1002\?/.test(call))).toEqual([])
  }
})

it('a setting without proof stays as in the preset, and the report lists what was missing', { timeout: 60_000 }, async () => {
  const { url } = await start({ profile: 'learndash', switches: { withoutHierarchy: false, withoutCategories: false } })
  const examination = await examineAs(url, 'learner')
  // Learners may list only the lessons of a course.
  expect(settingsOf(examination)).toEqual({
    url,
    preset: 'learndash',
    ignoredFilters: without(/^v2\/sfwd-lessons/),
    ...OF_LEARNDASH,
  })
  expect(findingOf(examination, 'filters.untold.refused')).toMatchObject({
    found: expect.stringContaining('groups by parent'),
    meaning: expect.stringContaining('stay refused'),
  })
})

it('a filter that excludes records but has none to keep is not proven', { timeout: 60_000 }, async () => {
  // Groups have the field, but none has a parent.
  const { url } = await start({ profile: 'learndash', switches: { withoutHierarchy: false } })
  const headers = { authorization: authorizationOf('admin'), 'content-type': 'application/json' }
  for (let id = 1001; id <= 1016; id++) await fetch(`${url}/ldlms/v1/groups/${id}`, { method: 'POST', headers, body: '{"parent":0}' })
  methods.clear()
  const examination = await examineAs(url, 'admin')
  expect(settingsOf(examination)).toEqual({ url, preset: 'learndash', ...OF_LEARNDASH })
  expect(findingOf(examination, 'filters.untold.refused')?.found).toBe('no visible record has a value in parent: groups by parent')
  expect([...methods]).toEqual(['GET'])
})
