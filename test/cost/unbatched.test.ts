import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { AUDIENCE, ISSUER, makeSigner, sign } from '../server/issuer.js'
import { globalId } from '../support/global-id.js'
import { serve } from '../support/served.js'
import { authorizationOf, type Login, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start({ observe: { explainFor: ['everybody'] } }, { profile: 'lms' }, {})
})
afterAll(() => world.close())

async function ask(query: string, as?: Login): Promise<any> {
  const headers = as ? { authorization: authorizationOf(as) } : {}
  const response = await world.gateway.post({ query, extensions: { explain: 'run' } }, headers)
  return response.json()
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const course = (id: number): string => globalId('Course', id)

/** Operations, who asks, and the calls without batches: by hand, from the data. */
it.each<[string, string, Login | undefined, (data: any) => number]>([
  ['a record', '{ course(id: 10001) { title } }', undefined, () => 1],
  ['a list of one page', '{ courses(first: 20) { nodes { title } } }', undefined, () => 1],
  ['a list of three pages', '{ lessons(first: 250) { nodes { title } } }', 'admin', () => 3],
  ['the length of a list', '{ courses { totalCount } }', undefined, () => 1],
  // The length, and then the last rows.
  ['the end of a list', '{ courses(last: 5) { nodes { title } } }', undefined, () => 2],
  [
    'two aliases of one list',
    '{ a: courses(first: 5) { nodes { title } } b: courses(first: 5) { nodes { databaseId } totalCount } }',
    undefined,
    () => 2,
  ],
  [
    'two fragments with one field',
    '{ ...A ...B } fragment A on Query { courses(first: 5) { nodes { title } } } fragment B on Query { courses(first: 5) { nodes { databaseId } } }',
    undefined,
    () => 1,
  ],
  [
    'records by id, one of them twice, one of them missing',
    `{ nodes(ids: ["${course(10_001)}", "${course(10_002)}", "${course(10_001)}", "${course(SAMPLES.missingCourse)}"]) { ... on Course { title } } }`,
    undefined,
    () => 4,
  ],
  [
    'lists below a list, and a table',
    '{ groups(first: 5) { nodes { title courses(first: 3) { nodes { title prerequisites { title } priceType { name } } } } } }',
    undefined,
    ({ groups: { nodes } }) => {
      const courses = nodes.flatMap((group: any) => group.courses.nodes)
      return 1 + nodes.length + sum(courses.map(({ prerequisites, priceType }: any) => prerequisites.length + (priceType ? 1 : 0)))
    },
  ],
  [
    'a field in `nodes` and in `edges`',
    '{ courses(first: 4) { nodes { lessons(first: 1) { totalCount } } edges { node { lessons(first: 1) { totalCount } } } } }',
    undefined,
    () => 1 + 4 + 4,
  ],
  [
    'records that the list has shown',
    '{ course(id: 10001) { lessons(first: 5) { nodes { title course { title } } } } }',
    'admin',
    ({ course: { lessons } }) => 1 + 1 + lessons.nodes.length,
  ],
  ['records of the gateway itself', '{ courses(first: 3) { nodes { author { id } } } user(id: 3) { id } }', 'admin', () => 1],
  // The list, and a check of the credentials.
  ['the viewer', '{ courses(first: 3) { nodes { author { id } } } viewer { id } }', 'admin', () => 2],
  ['the whole table', '{ priceTypes { name } priceType(slug: "free") { name } }', undefined, () => 2],
  // One of them does not exist.
  ['slugs', '{ a: course(slug: "no-such-course") { title } b: courses(first: 1) { nodes { slug } } }', undefined, () => 2],
  // The course, and its price type by the record of the group.
  [
    'records that lists carry with their own columns',
    '{ group(id: 1002) { courses(first: 3) { edges { groupCourse { priceType { name } } node { priceType { name } } } } } }',
    undefined,
    ({ group }) =>
      2 + sum(group.courses.edges.map(({ groupCourse, node }: any) => (groupCourse.priceType ? 1 : 0) + (node.priceType ? 1 : 0))),
  ],
  ['nothing at all', '{ __typename courses(where: { id: { in: [] } }) { nodes { title } } }', undefined, () => 0],
  ['arguments that the gateway refuses', '{ courses(first: -1) { nodes { title } } }', undefined, () => 0],
  [
    'a write, and the reads below it',
    'mutation { updateCourse(input: { id: 10001, title: "Other" }) { ... on UpdateCourseSuccess { course { title priceType { name } lessons(first: 2) { nodes { title course { title } } } } } } }',
    'admin',
    // The answer of the write shows the course: a gateway without reuse reads it.
    ({ updateCourse: { course } }) => 1 + 1 + 1 + 1 + course.lessons.nodes.length,
  ],
])('counts the calls of %s', async (_, query, as, expected) => {
  const { data, extensions } = await ask(query, as)
  const { unbatched, calls } = extensions.explain.actual
  expect(unbatched).toBe(expected(data))
  expect(unbatched).toBeGreaterThanOrEqual(calls)
})

it('counts a record again wherever it is in the response', async () => {
  const query =
    '{ groups(first: 10) { nodes { courses(first: 20) { nodes { databaseId prerequisites { databaseId lessons(first: 1) { totalCount } } } } } } }'
  const { data, extensions } = await ask(query)
  const courses = data.groups.nodes.flatMap((group: any) => group.courses.nodes)
  expect(new Set(courses.map(({ databaseId }: any) => databaseId)).size).toBeLessThan(courses.length)
  const followed = courses.flatMap(({ prerequisites }: any) => prerequisites)
  const shown = followed.filter((prerequisite: unknown) => prerequisite !== null)
  // Each prerequisite, and the lessons of those that exist.
  expect(extensions.explain.actual.unbatched).toBe(1 + data.groups.nodes.length + followed.length + shown.length)
})

it('counts no call for data that the gateway refuses', async () => {
  const signer = await makeSigner('one')
  const gateway = await serve({
    site: { url: world.lms.url, user: 'admin', password: 'admin-demo' },
    observe: { explainFor: ['everybody'] },
    access: { jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
  })
  const query =
    '{ a: user(id: 3) { courseProgress(first: 2) { nodes { status } } } b: user(id: 4) { courseProgress(first: 2) { nodes { status } } } }'
  const headers = { authorization: `Bearer ${await sign(signer, { sub: '3' })}` }
  const { errors, extensions } = (await (await gateway.post({ query, extensions: { explain: 'run' } }, headers)).json()) as any
  await gateway.close()
  expect(errors.map(({ path }: any) => path.join('.'))).toEqual(['b.courseProgress'])
  expect(extensions.explain.actual).toMatchObject({ calls: 1, unbatched: 1 })
})

it('counts a read of each record for fields that a list does not carry', async () => {
  const query = '{ courses(first: 6) { nodes { title titleRaw } } other: courses(first: 6) { nodes { title } } }'
  const unbatched = async (): Promise<number> => (await ask(query, 'learner')).extensions.explain.actual.unbatched
  // The list is read, and then its records for editors; the other list shows all that it needs.
  expect(await unbatched()).toBe(1 + 6 + 1)
})

it('counts no such read when the list is asked as an editor, which columns that a password guards prevent', async () => {
  const queries = ['title titleRaw', 'content titleRaw'].map((columns) => `{ courses(first: 6) { nodes { ${columns} } } }`)
  const runs = [await ask(queries[0] as string, 'admin'), await ask(queries[1] as string, 'admin')]
  expect(runs.map(({ extensions: { explain } }) => [explain.actual.calls, explain.actual.unbatched])).toEqual([
    [1, 1],
    [2, 7],
  ])
})

it('is not below the number of calls', async () => {
  // The first lookup looks among published records, and the second one among the others.
  const { extensions } = await ask('{ course(slug: "no-such-course") { title } }', 'leader')
  expect(extensions.explain.actual).toMatchObject({ calls: 2, unbatched: 2 })
})

it('counts a read of a record that a lookup by slug does not show completely', async () => {
  const { data } = await ask('{ a: course(id: 10002) { slug } b: course(id: 10003) { slug } }', 'admin')
  const unbatched = async (columns: string): Promise<number> => {
    const query = `{ a: course(slug: "${data.a.slug}") { ${columns} } b: course(slug: "${data.b.slug}") { ${columns} } }`
    return (await ask(query, 'admin')).extensions.explain.actual.unbatched
  }
  expect([await unbatched('title'), await unbatched('titleRaw')]).toEqual([2, 4])
})
