import { readFileSync } from 'node:fs'
import { type GraphQLObjectType, getNamedType, isEnumType, isListType, isNonNullType, isObjectType } from 'graphql'
import { decode } from 'html-entities'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/graph/schema.js'
import { SAMPLES } from '../../src/lms/index.js'
import { courseColumns } from '../../src/resources/course/record.js'
import { courseProgressColumns } from '../../src/resources/course-progress/record.js'
import { groupColumns } from '../../src/resources/group/record.js'
import { groupCourseColumns } from '../../src/resources/group-course/record.js'
import { lessonColumns } from '../../src/resources/lesson/record.js'
import { priceTypeColumns } from '../../src/resources/price-type/record.js'
import { answerColumns, questionColumns } from '../../src/resources/question/record.js'
import { quizColumns } from '../../src/resources/quiz/record.js'
import type { Columns } from '../../src/rest/columns.js'
import { authorizationOf, World } from '../support/world.js'

type Json = Record<string, any>

const contract = JSON.parse(readFileSync(new URL('./interface.json', import.meta.url), 'utf8')) as {
  fields: Record<string, { name: string }[]>
}

/** Fields of the contract that the graph does not show, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

/** Fields in which 0 stands for no record. */
const REFERENCES = ['author', 'parent', 'featured_media', 'course', 'certificate', 'last_step', '_quizId', 'question_id']
/** Fields in which an empty text stands for none. */
const WORDS = ['type', 'link', 'course_price_type', 'price_type', '_gradedType', 'name']
/** Price types as the first version of the interface spells them. */
const SPELLINGS: Readonly<Record<string, string>> = { buynow: 'paynow' }
const ON: readonly unknown[] = [true, 'on', '1', 1]

interface Source {
  readonly columns: Columns
  /** All raw records, straight from the site. */
  readonly raw: () => Promise<Json[]>
  /** The same records in the graph, by `fields` of the type, in any order. */
  readonly graph: (fields: string) => Promise<Json[]>
  /** What the raw and the graph's record have in common. */
  readonly key: (record: Json) => unknown
}

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

async function get(path: string): Promise<any> {
  const response = await fetch(world.lms.url + path, { headers: { authorization: authorizationOf('admin') } })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

async function pages(path: string): Promise<Json[]> {
  const records: Json[] = []
  for (let page = 1; page <= 10; page++) {
    const rows = (await get(`${path}&per_page=100&page=${page}`)) as Json[]
    records.push(...rows)
    if (rows.length < 100) break
  }
  return records
}

/** Records as readers see them, with what only editors see beside it. Editors see the text of protected records, which lists hide. */
async function everyContext(path: string): Promise<Json[]> {
  const [view, edit] = [await pages(path), await pages(`${path}&context=edit`)]
  return view.map((record, i) => {
    const more = edit[i]!
    const merged = (name: string): Json => ({ ...more[name], ...record[name] })
    return { ...more, ...record, title: merged('title'), content: merged('content') }
  })
}

async function ask(query: string, fields: string): Promise<Json> {
  const { data, errors } = await world.query(query.replace('FIELDS', fields), { as: 'admin' })
  expect(errors).toEqual([])
  return data
}

const post = (columns: Columns, path: string, field: string): Source => ({
  columns,
  raw: () => everyContext(`${path}?status=any&orderby=id`),
  graph: async (fields) =>
    (await ask(`{ ${field}(first: 1000, where: { status: [ANY] }, orderBy: { field: ID }) { nodes { FIELDS } } }`, fields))[field].nodes,
  key: (record) => record.databaseId ?? record.id,
})

const questionIds = Array.from({ length: 80 }, (_, i) => 500_001 + i * 11)

const rawQuestions = (): Promise<Json[]> => Promise.all(questionIds.map((id) => get(`/lms/v1/sfwd-questions/${id}?context=edit`)))

async function graphQuestions(fields: string): Promise<Json[]> {
  const aliases = questionIds.map((id) => `q${id}: question(id: ${id}) { databaseId ...Q }`).join(' ')
  return Object.values(await ask(`{ ${aliases} } fragment Q on Question { FIELDS }`, fields))
}

const answersOf = (question: Json, id: unknown, answers: string): Json[] =>
  question[answers].map((answer: Json, index: number) => ({ ...answer, at: `${id}/${index}` }))

const group = SAMPLES.largeGroup
const user = SAMPLES.manyRowsUser

const SOURCES: Readonly<Record<string, Source>> = {
  Group: post(groupColumns, '/lms/v1/groups', 'groups'),
  Course: post(courseColumns, '/lms/v1/sfwd-courses', 'courses'),
  Quiz: post(quizColumns, '/lms/v1/sfwd-quiz', 'quizzes'),
  Lesson: post(lessonColumns, '/lms/v2/sfwd-lessons', 'lessons'),
  GroupCourse: {
    columns: groupCourseColumns,
    raw: () => everyContext(`/lms/v2/groups/${group}/courses?`),
    graph: async (fields) => {
      const data = await ask(`{ group(id: ${group}) { courses(first: 1000) { edges { groupCourse { FIELDS } } } } }`, fields)
      return data.group.courses.edges.map(({ groupCourse }: Json) => groupCourse)
    },
    key: (record) => record.databaseId ?? record.id,
  },
  CourseProgress: {
    columns: courseProgressColumns,
    raw: () => pages(`/lms/v2/users/${user}/course-progress?context=view`),
    graph: async (fields) =>
      (await ask(`{ user(id: ${user}) { courseProgress(first: 1000) { nodes { FIELDS } } } }`, fields)).user.courseProgress.nodes,
    key: (record) => record.courseId ?? record.course,
  },
  PriceType: {
    columns: priceTypeColumns,
    raw: () => get('/lms/v2/price-types'),
    graph: async (fields) => (await ask('{ priceTypes { FIELDS } }', fields)).priceTypes,
    key: ({ slug }) => slug,
  },
  Question: {
    columns: questionColumns,
    raw: rawQuestions,
    graph: graphQuestions,
    key: (record) => record.databaseId ?? record.question_id,
  },
  Answer: {
    columns: answerColumns,
    raw: async () => (await rawQuestions()).flatMap((question) => answersOf(question, question.question_id, '_answerData')),
    graph: async (fields) =>
      (await graphQuestions(`answers { ${fields} }`)).flatMap((question) => answersOf(question, question.databaseId, 'answers')),
    key: ({ at }) => at,
  },
}

/** The graph's fields for a field of the contract, with the member of the raw value each of them shows. */
function fieldsFor(field: string, columns: Columns): { name: string; member: string | undefined }[] {
  return Object.entries(columns)
    .filter(([, { wire }]) => wire === field || wire.startsWith(`${field}.`))
    .map(([name, { wire }]) => ({ name, member: wire.split('.')[1] }))
}

/** A plain reading of a raw value by the type the graph gives it. */
function reading(field: string, name: string, typeName: string, list: boolean, raw: unknown): unknown {
  if (raw === null || raw === undefined) return null
  if (list && typeName === 'Int') return raw === '' ? [] : (raw as unknown[]).filter((id) => id !== '' && id !== 0).map(Number)
  if (list && typeof raw === 'string') return raw.split(',').flatMap((word) => word.trim() || [])
  if (list) return raw
  switch (typeName) {
    case 'Boolean':
      return ON.includes(raw)
    case 'Int':
    case 'Float':
      return raw === '' || (REFERENCES.includes(field) && Number(raw) === 0) ? null : Number(raw)
    case 'DateTime':
      return `${raw}Z`
    case 'LocalDateTime':
    case 'LocalDate':
      return raw === '' ? null : raw
    case 'JSONObject':
      return Array.isArray(raw) ? {} : raw
    case 'String':
      if (name === 'title' && field === 'title') return decode(String(raw).replace(/<[^>]*>/g, ''))
      if (WORDS.includes(field) || name.endsWith('Value')) return raw === '' ? null : (SPELLINGS[raw as string] ?? raw)
      return raw
    default:
      return isEnumType(graphSchema().getType(typeName)) ? (raw === '' ? null : String(raw).toUpperCase().replaceAll('-', '_')) : raw
  }
}

const isFull = (value: unknown): boolean =>
  value !== null && value !== '' && JSON.stringify(value) !== '[]' && JSON.stringify(value) !== '{}'

/** Selects leaves by name; the answers of a question count as one. */
function select(type: GraphQLObjectType, name: string): string {
  return isObjectType(getNamedType(type.getFields()[name]!.type)) ? `${name} { __typename }` : name
}

/** Contract fields of a type whose value in the graph is the raw one, read plainly, for every record, and was there at least once. */
async function proven(typeName: string, { columns, raw, graph, key }: Source): Promise<string[]> {
  const type = graphSchema().getType(typeName) as GraphQLObjectType
  const fields = contract.fields[typeName]!.map(({ name }) => name)
  const names = [...new Set(fields.flatMap((field) => fieldsFor(field, columns).map(({ name }) => name)))]
  const [rawRecords, records] = [await raw(), await graph(names.map((name) => select(type, name)).join(' '))]
  const byKey = new Map(records.map((record) => [key(record), record]))
  expect([typeName, byKey.size, records.length > 0]).toEqual([typeName, rawRecords.length, true])
  return fields.filter((field) => {
    const shown = fieldsFor(field, columns)
    const seen = new Set<string>()
    for (const { name, member } of shown) {
      const { type: fieldType } = type.getFields()[name]!
      const list = isListType(isNonNullType(fieldType) ? fieldType.ofType : fieldType)
      const leaf = getNamedType(fieldType)
      for (const rawRecord of rawRecords) {
        const value = byKey.get(key(rawRecord))![name]
        const sent = member === undefined ? rawRecord[field] : rawRecord[field]?.[member]
        const wanted = isObjectType(leaf) ? sent?.map(() => ({ __typename: leaf.name })) : reading(field, name, leaf.name, list, sent)
        if (JSON.stringify(value) !== JSON.stringify(wanted))
          expect.fail(`${typeName}.${name} of ${key(rawRecord)}: ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`)
        if (isFull(value)) seen.add(name)
      }
    }
    return shown.length > 0 && seen.size === shown.length
  })
}

describe('every field of the contract', () => {
  it('has a source in this test', () => {
    expect(Object.keys(SOURCES).sort()).toEqual(Object.keys(contract.fields).sort())
    expect(Object.values(contract.fields).flat()).toHaveLength(223)
  })

  it('shows in the graph what the site sends', async () => {
    const lines: string[] = []
    const missing: string[] = []
    let total = 0
    for (const [type, source] of Object.entries(SOURCES)) {
      const fields = contract.fields[type]!.map(({ name }) => name)
      const found = await proven(type, source)
      total += found.length
      lines.push(`${type}: ${found.length} of ${fields.length}`)
      missing.push(...fields.filter((field) => !found.includes(field)).map((field) => `${type}.${field}`))
    }
    console.log([...lines, `${total} of 223`].join('\n'))
    expect(missing).toEqual(Object.keys(EXCEPTIONS))
    expect(total).toBe(223 - Object.keys(EXCEPTIONS).length)
  })

  it('is decoded without repairs', () => {
    expect(world.repairs).toEqual([])
  })
})
