import { getNullableType, isListType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { globalId } from '../support/global-id.js'
import { IS_PLUGIN, otherwise, SITE_NAMES } from '../support/profile.js'
import { type Matrix, ROLE_NAMES, type RoleName, subjectsOf, tableOf } from '../support/roles/matrix.js'
import { postCases } from '../support/roles/posts.js'
import { enrolmentCases, ownRouteCases, progressCases, relationCases, rootCases, stepCases } from '../support/roles/relations.js'
import { ask, cellsWhere, readAll, writeAll } from '../support/roles/run.js'
import { coursesTaken, HIDDEN, hideRecords, PEOPLE, TYPES, UNKNOWN } from '../support/roles/site.js'
import { WRITE_CASES } from '../support/roles/writes.js'
import { SOAK, World } from '../support/world.js'

/** Sites of the plugin have a table of their own. */
const [TABLE, WHERE] = IS_PLUGIN ? ['../../docs/roles.md', ' on sites of the plugin'] : ['roles.md', '']
const SUBJECTS = subjectsOf(graphSchema())
const HEAD = `# What each role gets${WHERE}

Each row is one request, made by everybody. \`data\` is what was asked for, the same for all who get it; \`null\`, \`[]\` and \`""\` are nothing, an
empty list and an empty text without an error; all else are error codes. Several words stand for the items of a list in their order, and
\`beside\` is an error of another field of the same request. Written by \`roles.test.ts\`: run vitest with \`-u\`.

`

/** Older sites have no such routes. */
const SERVED = { switches: { progressSteps: true, enrolments: true, courseSteps: true, topics: true, questionList: true } }

let world: World
let taken: Awaited<ReturnType<typeof coursesTaken>>
let reads: Matrix = []
let again: Matrix = []
let writes: Matrix = []
let faults: readonly string[] = []

beforeAll(async () => {
  const steps = ['users/course-progress/steps', 'sfwd-courses/steps', 'sfwd-topic', 'sfwd-question'] as const
  const members = ['users/courses', 'sfwd-courses/users', 'sfwd-courses/groups'] as const
  const routes = [...(SITE_NAMES.routes ?? []), ...steps, ...members]
  world = await World.start({}, SERVED, { ...SITE_NAMES, routes })
  await hideRecords(world)
  taken = await coursesTaken(world)
  const editOnly = SUBJECTS['edit-only fields']
  const cases = [
    ...postCases(editOnly),
    ...rootCases(),
    ...relationCases(editOnly),
    ...progressCases(taken),
    ...ownRouteCases(),
    ...stepCases(editOnly, taken),
    ...enrolmentCases(),
  ]
  reads = await readAll(world, cases)
  if (SOAK) again = await readAll(world, [...cases].reverse())
  ;({ matrix: writes, faults } = await writeAll(world, WRITE_CASES))
})
afterAll(() => world.close())

describe('the matrix of roles', () => {
  it('equals the committed one', async () => {
    await expect(`${HEAD}${tableOf([...reads, ...writes])}\n`).toMatchFileSnapshot(TABLE)
  })

  it('has every root field, relation, mutation and edit-only field, each with a role that gets data', () => {
    const all = [...reads, ...writes]
    const met = new Set(all.map(([{ about }]) => about))
    // A site as specified does not return the current user, and quizzes of the school have no images, and topics no passwords.
    const given = new Set([
      'Query.viewer',
      'Quiz.featuredImage',
      'Topic.password',
      ...all.filter(([, cells]) => /\bdata\b/.test(cells.join())).map(([{ about }]) => about),
    ])
    const names = Object.values(SUBJECTS).flat()
    expect(names.filter((name) => !met.has(name))).toEqual([])
    expect(names.filter((name) => !given.has(name))).toEqual(otherwise('what nobody gets', []))
    const counts = Object.entries(SUBJECTS).map(([kind, { length }]) => `${length} ${kind}`)
    console.log(`${counts.join(', ')} covered, by ${all.length} cases for ${ROLE_NAMES.length} roles`)
  })

  it('has each case once, and only codes of rights, records and input', () => {
    const names = [...reads, ...writes].map(([{ about, name }]) => `${about}, ${name}`)
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
    const known = ['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND', 'CONFLICT']
    const codes = (cell: string): string[] => cell.match(/[A-Z][A-Z_]+/g) ?? []
    expect(cellsWhere([...reads, ...writes], (cell) => codes(cell).some((code) => !known.includes(code)))).toEqual([])
  })

  it('distinguishes unauthenticated callers from those without the right', () => {
    const all = [...reads, ...writes]
    expect(cellsWhere(all, (cell, role) => role !== 'anonymous' && cell.includes('UNAUTHENTICATED'))).toEqual([])
    // Passwords are independent of the caller.
    const alike = /password/
    const forbidden = (role: string) => cellsWhere(all, (cell, of, { name }) => of === role && /FORBIDDEN/.test(cell) && !alike.test(name))
    expect(forbidden('anonymous')).toEqual([])
    expect(forbidden('admin')).toEqual(otherwise('what is forbidden to administrators', []))
  })

  it('gives no role more than administrators', () => {
    expect(cellsWhere(reads, (cell) => cell.includes('other data'))).toEqual(otherwise('what is other than administrators get', []))
    expect(cellsWhere(reads, (cell, _, __, cells) => cell === 'data' && cells[ROLE_NAMES.indexOf('admin')] !== 'data')).toEqual([])
  })

  it.runIf(SOAK)('is the same in reverse order, after all that was learned of the site', () => {
    expect([...again].reverse()).toEqual(reads)
  })
})

describe('mutations', () => {
  it('make one call and write nothing if they are refused, and write otherwise', () => {
    expect(faults).toEqual([])
  })

  it('are for administrators only', () => {
    expect(cellsWhere(writes, (cell, role) => role !== 'admin' && /data|null/.test(cell))).toEqual([])
  })
})

type Told = Readonly<Record<string, readonly RoleName[]>>

describe('forbidden and missing records', () => {
  const of = (type: string, key: number | string): string => `id: "${globalId(type, key)}"`
  const question = [of('Question', 500_001), of('Question', UNKNOWN)] as const
  /** Arguments that name what only administrators may see, where there is such a thing, and what does not exist. */
  const ROOTS: readonly (readonly [root: string, type: string, hidden: string | null, unknown: string])[] = [
    ...TYPES.map((type) => [type.toLowerCase(), type, of(type, HIDDEN[type].private), of(type, UNKNOWN)] as const),
    ...TYPES.map((type) => ['node', type, of(type, HIDDEN[type].private), of(type, UNKNOWN)] as const),
    ['question', 'Question', ...question],
    ['node', 'Question', ...question],
    ['priceType', 'PriceType', null, 'slug: "nothing"'],
  ]

  const refusal = (role: string) => {
    const [code, status] = role === 'anonymous' ? ['UNAUTHENTICATED', 401] : ['FORBIDDEN', 403]
    return { data: { it: null }, errors: [{ path: ['it'], extensions: { code, upstream: { status } } }] }
  }
  const nothing = { data: { it: null }, errors: [] }
  /** Who learns that there is no such record, by its type; others are refused as if there was one. */
  const whoIsTold = (): Told => otherwise<Told>('who learns that there is no such record', { Question: ['admin'] })

  it.each(ROOTS)('are distinguished by `%s` of a %s', async (root, type, hidden, unknown) => {
    const told = type === 'PriceType' ? ROLE_NAMES : (whoIsTold()[type] ?? ROLE_NAMES)
    for (const role of ROLE_NAMES) {
      const look = (args: string) => ask(world, role, `{ it: ${root}(${args}) { __typename id } }`)
      if (hidden !== null) expect(await look(hidden)).toMatchObject(role === 'admin' ? { data: { it: {} }, errors: [] } : refusal(role))
      const isTold = told.includes(role)
      expect(await look(unknown)).toMatchObject(isTold ? nothing : refusal(role))
      expect(world.calls).toMatchObject([{ status: isTold ? 404 : role === 'anonymous' ? 401 : 403 }])
    }
  })

  it('are distinguished for progress', async () => {
    const progress = (user: number, course: number): string => `{ it: node(${of('CourseProgress', `${user}:${course}`)}) { id } }`
    const { learner, newcomer } = PEOPLE
    expect(await ask(world, 'enrolled', progress(learner, taken.by.learner))).toMatchObject({ data: { it: {} }, errors: [] })
    expect(await ask(world, 'enrolled', progress(learner, UNKNOWN))).toMatchObject(nothing)
    expect(await ask(world, 'enrolled', progress(newcomer, UNKNOWN))).toMatchObject(refusal('enrolled'))
    expect(await ask(world, 'anonymous', progress(learner, UNKNOWN))).toMatchObject(refusal('anonymous'))
  })

  it('are distinguished by every root field of one record', () => {
    const single = Object.values(graphSchema().getQueryType()!.getFields())
      .filter(({ type }) => !isListType(getNullableType(type)) && !String(type).endsWith('Connection'))
      .map(({ name }) => name)
    // Users are nothing but their ids.
    expect(single.sort()).toEqual([...new Set([...ROOTS.map(([root]) => root), 'user', 'viewer'])].sort())
  })
})
