import { afterAll, beforeAll, expect, it } from 'vitest'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const course = Buffer.from('Course:1/').toString('base64')

it.each([
  ['{ courses(where: { author: { in: ["0"] } }) { totalCount } }', 'where.author.in[0]'],
  ['{ courses(where: { id: { in: ["-3"] } }) { totalCount } }', 'where.id.in[0]'],
  ['{ courses(where: { courseTags: { notIn: [0] } }) { totalCount } }', 'where.courseTags.notIn'],
  ['{ courses(where: { slug: ["a,b"] }) { totalCount } }', 'where.slug'],
  ['{ courses(where: { publishedAfter: "2020-01-01" }) { totalCount } }', 'DateTime'],
  ['{ courses(where: { publishedAfter: "2020-01-01T00:00" }) { totalCount } }', 'DateTime'],
  ['{ quizzes(where: { course: 10001, topic: -1 }) { totalCount } }', 'where.topic'],
  ['{ quizzes(where: { course: 10001, lesson: 100001, courseLevelOnly: true }) { totalCount } }', 'where.'],
  ['{ quizzes(where: { lesson: 100001 }) { totalCount } }', 'where.course'],
  ['{ courses(orderBy: { field: INCLUDE }) { totalCount } }', 'where.id.in'],
  ['{ courses(orderBy: { field: INCLUDE_SLUGS }) { totalCount } }', 'where.slug'],
  ['{ courses(orderBy: { field: RELEVANCE }) { totalCount } }', 'where.search'],
  ['{ courses(after: "zzz") { totalCount } }', 'after'],
  ['{ courses(first: 2, last: 2) { totalCount } }', 'last'],
  ['{ courses(offset: 3) { totalCount } }', 'offset'],
  ['{ courses(first: 5000) { totalCount } }', 'from 0 to 1000'],
  ['{ node(id: "12") { id } }', 'global id'],
  [`{ node(id: "${course}") { id } }`, 'global id'],
  ['{ priceType(slug: "../x") { name } }', 'slug'],
  ['{ question(id: 99999999999) { title } }', 'id'],
  ['{ course(id: 10001, password: "") { title } }', 'password'],
])('%s is refused before any call, with a reason', async (query, why) => {
  const { errors, calls } = await world.query(query, { as: 'admin' })
  expect(errors.map(({ extensions }) => extensions.code)).toEqual([expect.stringMatching(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/)])
  expect(errors[0]?.message).toContain(why)
  expect(calls).toEqual([])
})
