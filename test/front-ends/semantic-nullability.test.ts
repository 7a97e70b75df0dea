import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from '@graphql-codegen/cli'
import {
  buildSchema,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { semanticSdl } from '../../src/graph/kit/semantic-nullability.js'
import { graphSchema } from '../../src/index.js'
import { marksOf } from '../../src/model/marks.js'
import { globalId } from '../support/global-id.js'
import { type Answer, World } from '../support/world.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const semantic = read('schema/semantic.graphql')

describe('the graph for clients that handle errors', () => {
  it('is committed in its current state', () => {
    expect(semantic === `${semanticSdl(graphSchema())}\n`, 'Run `npm run schema`.').toBe(true)
  })

  it('differs from the graph by the directive only', () => {
    const remove = (node: { readonly name: { readonly value: string } }): null | undefined =>
      node.name.value === 'semanticNonNull' ? null : undefined
    const bare = visit(parse(semantic), { [Kind.DIRECTIVE]: remove, [Kind.DIRECTIVE_DEFINITION]: remove })
    const lay = (sdl: string): string => printSchema(buildSchema(sdl))
    expect(lay(print(bare)) === lay(read('schema/schema.graphql'))).toBe(true)
  })

  it('marks nullable fields, at existing list levels', () => {
    const marked: string[] = []
    for (const type of Object.values(graphSchema().getTypeMap())) {
      if (!isObjectType(type)) continue
      for (const field of Object.values(type.getFields())) {
        for (const level of marksOf(field).semanticNonNull ?? []) {
          marked.push(`${type.name}.${field.name}`)
          expect([type.name, field.name, String(levelOf(field.type, level)).endsWith('!')]).toEqual([type.name, field.name, false])
        }
      }
    }
    expect(marked).toEqual(expect.arrayContaining(['Query.user', 'Query.courses', 'CourseConnection.nodes', 'GroupCourseEdge.groupCourse']))
    expect(marked).not.toContain('Query.course')
    expect(semantic.match(/@semanticNonNull/g)).toHaveLength(marked.length + 1)
  })
})

/** The type at a list level. */
function levelOf(type: GraphQLOutputType, level: number): GraphQLOutputType {
  if (level === 0) return type
  const list = getNullableType(type)
  return isListType(list) ? levelOf(list.ofType as GraphQLOutputType, level - 1) : list
}

describe('its marked fields', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  /** Paths of marked fields that are null without an error. */
  function broken(query: string, { data, errors }: Answer): string[] {
    const places: string[] = []
    const failed = new Set(errors.map(({ path }) => path?.join('.')))
    const look = (type: any, selections: readonly any[], value: any, path: string): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.INLINE_FRAGMENT) {
          const name = selection.typeCondition?.name.value ?? type.name
          if (value.__typename === undefined || value.__typename === name)
            look(graphSchema().getType(name), selection.selectionSet.selections, value, path)
          continue
        }
        const name = selection.name.value
        const field = type.getFields?.()[name]
        if (!field) continue
        const at = `${path}${path === '' ? '' : '.'}${selection.alias?.value ?? name}`
        check(field.type, marksOf(field).semanticNonNull ?? [], selection, value[selection.alias?.value ?? name], at, 0)
      }
    }
    const check = (type: GraphQLOutputType, marks: readonly number[], selection: any, value: any, path: string, level: number): void => {
      const bare = getNullableType(type) as GraphQLOutputType
      if (value === null || value === undefined) {
        if (marks.includes(level) && !failed.has(path)) places.push(path)
      } else if (isListType(bare))
        for (const [index, item] of value.entries()) {
          check(bare.ofType as GraphQLOutputType, marks, selection, item, `${path}.${index}`, level + 1)
        }
      else if (isAbstractType(bare)) look(graphSchema().getType(value.__typename), selection.selectionSet.selections, value, path)
      else if (isObjectType(bare)) look(bare, selection.selectionSet.selections, value, path)
    }
    const [operation] = parse(query).definitions as any[]
    look(
      operation.operation === 'mutation' ? graphSchema().getMutationType() : graphSchema().getQueryType(),
      operation.selectionSet.selections,
      data,
      '',
    )
    return places
  }

  it.each([
    '{ user(id: 3) { courseProgress(first: 3) { nodes { user { databaseId } } edges { node { status } } } } priceTypes { slug } }',
    '{ user(id: "x") { id } courses(first: -1) { nodes { id } } groups(first: 2) { nodes { courses(first: 2) { nodes { title titleRaw } edges { groupCourse { title titleRaw } node { slug } } } } } }',
    '{ lessons { nodes { id } } quizzes { nodes { id } } courses(first: 2) { nodes { lessons(first: 1) { nodes { quizzes(first: 1) { nodes { id } } } } quizzes(first: 1) { edges { node { id } } } } } }',
    `{ nodes(ids: ["x", "${globalId('Course', 10001)}", "${globalId('Course', 7_000_123)}"]) { __typename id } }`,
    'mutation { updateCourse(input: { id: 7000123, title: "x" }) { __typename } createGroup(input: { title: "x" }) { __typename } }',
    'mutation { addCoursesToGroup(input: { id: 1015, courseIds: [10001] }) { __typename ... on AddCoursesToGroupSuccess { group { title } } } }',
  ])('is kept by %s', async (query) => {
    for (const as of ['admin', 'learner', undefined] as const) {
      const answer = await world.query(query, as ? { as } : {})
      expect([as, broken(query, answer)]).toEqual([as, []])
    }
  })
})

describe('is accepted by', () => {
  it('graphql-codegen, which ignores it unless configured for clients that handle errors', async () => {
    const typesOf = async (schema: string): Promise<string> => {
      const documents = read('schema/operations/05-group-overview.graphql')
      const config = { enumsAsTypes: true, skipTypename: true }
      const [output] = await generate(
        { schema, documents, generates: { 'types.ts': { plugins: ['typescript-operations'], config } }, silent: true },
        false,
      )
      return (output as { content: string }).content
    }
    expect(await typesOf(semantic)).toBe(await typesOf(read('schema/schema.graphql')))
  })
})
