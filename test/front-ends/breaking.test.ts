import { readFileSync } from 'node:fs'
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const released = read('schema/released.graphql')
const current = read('schema/schema.graphql')

const breaking = async (before: GraphQLSchema, after: GraphQLSchema): Promise<string[]> =>
  (await diff(before, after))
    .filter(({ criticality }: Change) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }: Change) => message)
    .sort()

/** Breaking changes since the last release, each with its reason. A release empties this list. */
const ACCEPTED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['ConflictError', 'ForbiddenError', 'InvalidInputError', 'LmsError', 'NotFoundError', 'UnauthenticatedError', 'UpstreamError'].map(
      (type) => [
        `Field '${type}.code' changed type from 'String!' to 'ErrorCode!'`,
        'The same words are sent. Generated types have the codes as a union.',
      ],
    ),
  ),
  "Input field 'TermFilter.in' changed type from '[Int!]' to '[ID!]'":
    'Numbers are still accepted. Variables of the type `[Int!]` become `[ID!]`.',
  "Input field 'TermFilter.notIn' changed type from '[Int!]' to '[ID!]'": 'The same.',
}

it('the graph has no breaking change since the last release, except those with a reason', async () => {
  expect(await breaking(buildSchema(released), graphSchema())).toEqual(Object.keys(ACCEPTED).sort())
})

it.each([
  [
    'a field is gone',
    (sdl: string) => sdl.replace(/^ {2}progressIn\(/m, '  progressWithin('),
    "Field 'progressIn' was removed from object type 'User'",
  ],
  [
    'a type is another',
    (sdl: string) => sdl.replace('totalCount: Int\n', 'totalCount: Float\n'),
    /Field '\w+\.totalCount' changed type from 'Int' to 'Float'/,
  ],
  [
    'a field may be null',
    (sdl: string) => sdl.replace('deletedId: ID!', 'deletedId: ID'),
    "Field 'DeleteGroupSuccess.deletedId' changed type from 'ID!' to 'ID'",
  ],
  [
    'an argument must be given',
    (sdl: string) => sdl.replace(/^ {4}course: ID$/gm, '    course: ID!'),
    /argument 'course' .*'ID' to 'ID!'/i,
  ],
  ['an input wants more', (sdl: string) => sdl.replace('force: Boolean = false', 'force: Boolean!'), /force/],
  ['a value is gone', (sdl: string) => sdl.replace(/^ {2}RELEVANCE$/m, '  RELEVANT'), /RELEVANCE/],
])('is noticed where %s', async (_, change, message) => {
  const changed = change(current)
  expect(changed).not.toBe(current)
  const found = await breaking(buildSchema(released), buildSchema(changed))
  expect(found).toContainEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})

it('the package has the version of the last release in the changelog', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const changes = read('CHANGELOG.md')
  expect([...changes.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).filter((heading) => heading !== 'Unreleased')[0]).toBe(version)
})
