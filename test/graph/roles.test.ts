import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { type Login, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const ROLES: readonly (Login | null)[] = [null, 'newcomer', 'learner', 'leader', 'admin']

const { draftCourse, privateCourse, futureCourse, trashedCourse, protectedCourse, password, ledGroups } = SAMPLES

/** What is asked, and what of the answer is looked at: data that is there, or null. */
const CASES: Readonly<Record<string, readonly [query: string, read: (data: any) => unknown]>> = {
  'single: edit-only field': ['{ course(id: 10001) { title titleRaw } }', (data) => data.course.titleRaw],
  'single: its other fields': ['{ course(id: 10001) { title titleRaw } }', (data) => data.course.title],
  'list: edit-only field': ['{ courses(first: 2) { nodes { title contentRaw } } }', (data) => data.courses.nodes[1].contentRaw],
  'list: its other fields': ['{ courses(first: 2) { nodes { title contentRaw } } }', (data) => data.courses.nodes[1].title],
  'side of a list: edit-only field': [
    '{ group(id: 1009) { courses(first: 1) { edges { groupCourse { generatedSlug } } } } }',
    (data) => data.group.courses.edges[0].groupCourse.generatedSlug,
  ],
  'draft by id': [`{ course(id: ${draftCourse}) { title } }`, (data) => data.course],
  'private by id': [`{ course(id: ${privateCourse}) { title } }`, (data) => data.course],
  'future by id': [`{ course(id: ${futureCourse}) { title } }`, (data) => data.course],
  'trashed by id': [`{ course(id: ${trashedCourse}) { title } }`, (data) => data.course],
  'drafts by list': ['{ courses(first: 5, where: { status: [DRAFT] }) { nodes { title } } }', (data) => data.courses?.nodes[0]],
  'any status by list': ['{ courses(first: 5, where: { status: [ANY] }) { totalCount } }', (data) => data.courses?.totalCount],
  'protected, no password': [`{ course(id: ${protectedCourse}) { content } }`, (data) => data.course.content || null],
  'protected, right password': [`{ course(id: ${protectedCourse}, password: "${password}") { content } }`, (data) => data.course?.content],
  'protected, wrong password': [`{ course(id: ${protectedCourse}, password: "wrong") { content } }`, (data) => data.course?.content],
  'needless password': [`{ course(id: 10001, password: "${password}") { content } }`, (data) => data.course?.content],
  'lessons of a course': ['{ course(id: 10001) { lessons(first: 1) { nodes { title } } } }', (data) => data.course.lessons?.nodes[0]],
  'lessons of the site': ['{ lessons(first: 1) { nodes { title } } }', (data) => data.lessons?.nodes[0]],
  'quizzes of the site': ['{ quizzes(first: 1) { nodes { title } } }', (data) => data.quizzes?.nodes[0]],
  "a group's courses": [`{ group(id: ${ledGroups[0]}) { courses(first: 1) { nodes { title } } } }`, (data) => data.group.courses?.nodes[0]],
  'a question': ['{ question(id: 500001) { answers { correct } } }', (data) => data.question?.answers],
  "the learner's progress": [
    '{ user(id: 3) { courseProgress(first: 1) { nodes { status } } } }',
    (data) => data.user.courseProgress?.nodes[0],
  ],
  'price types': ['{ priceTypes { slug } }', (data) => data.priceTypes?.[0]],
}

const DATA = 'data'
const [U, F, B] = ['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT']
const EDITORS = [U, F, F, F, DATA]
const EVERYONE = [DATA, DATA, DATA, DATA, DATA]

/** What each role gets, in the order of ROLES. `null` is nothing without an error. */
const EXPECTED: Readonly<Record<keyof typeof CASES, readonly (string | null | undefined)[]>> = {
  'single: edit-only field': EDITORS,
  'single: its other fields': EVERYONE,
  'list: edit-only field': EDITORS,
  'list: its other fields': EVERYONE,
  'side of a list: edit-only field': EDITORS,
  'draft by id': EDITORS,
  'private by id': EDITORS,
  'future by id': EDITORS,
  'trashed by id': EDITORS,
  'drafts by list': [F, F, F, F, DATA],
  'any status by list': [F, F, F, F, DATA],
  'protected, no password': ['null', 'null', 'null', 'null', 'null'],
  'protected, right password': EVERYONE,
  'protected, wrong password': [F, F, F, F, F],
  'needless password': [F, F, F, F, F],
  'lessons of a course': EVERYONE,
  'lessons of the site': [B, B, B, B, DATA],
  'quizzes of the site': [B, B, B, B, DATA],
  "a group's courses": EVERYONE,
  'a question': EDITORS,
  "the learner's progress": [U, F, DATA, DATA, DATA],
  'price types': EVERYONE,
}

it('what each role may see, by list and by id', async () => {
  const table: Record<string, string[]> = {}
  for (const [name, [query, read]] of Object.entries(CASES)) {
    table[name] = []
    for (const as of ROLES) {
      const { data, errors } = await world.query(query, as ? { as } : {})
      const found = read(data) ?? null
      const codes = [...new Set(errors.map(({ extensions }) => extensions.code))]
      table[name].push(found === null ? codes.join() || 'null' : DATA)
    }
  }
  const width = Math.max(...Object.keys(table).map((name) => name.length))
  const row = (name: string, cells: readonly (string | null | undefined)[]) =>
    `| ${name.padEnd(width)} | ${cells.map((cell) => `${cell}`.padEnd(17)).join(' | ')} |`
  console.log(
    [
      row(
        '',
        ROLES.map((role) => role ?? 'anonymous'),
      ),
      ...Object.entries(table).map(([name, cells]) => row(name, cells)),
    ].join('\n'),
  )
  expect(table).toEqual(EXPECTED)
})
