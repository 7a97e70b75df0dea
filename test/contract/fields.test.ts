import { readFileSync } from 'node:fs'
import { type GraphQLObjectType, getNamedType, isEnumType, isListType, isNonNullType, isObjectType } from 'graphql'
import { decode } from 'html-entities'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { courseColumns } from '../../src/graph/course/columns.js'
import { courseProgressColumns } from '../../src/graph/course-progress/columns.js'
import { groupColumns } from '../../src/graph/group/columns.js'
import { groupCourseColumns } from '../../src/graph/group-course/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { priceTypeColumns } from '../../src/graph/price-type/columns.js'
import { answerColumns, questionColumns } from '../../src/graph/question/columns.js'
import { quizColumns } from '../../src/graph/quiz/columns.js'
import { graphSchema } from '../../src/index.js'
import { SAMPLES } from '../../src/lms/index.js'
import type { Columns } from '../../src/upstream/codec/columns.js'
import { COMPLETE, COMPLETE_NAMES, differs, mayShow } from '../profiles/differences.js'
import { IS_PLUGIN, PROFILE } from '../support/profile.js'
import { World } from '../support/world.js'

type Json = Record<string, any>

const contract = JSON.parse(readFileSync(new URL('./interface.json', import.meta.url), 'utf8')) as {
  fields: Record<string, { name: string }[]>
}

/** Fields of the contract that are not in the graph, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

const SITE = 'https://school.example'

/** Fields in which 0 means no record. */
const REFERENCES = ['author', 'parent', 'featured_media', 'course', 'certificate', 'last_step', '_quizId', 'question_id']
/** Fields in which an empty text means no value. */
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

/** The operations are large. */
const BOUNDLESS = { limits: { maxCalls: 10_000 }, tuning: { limits: { maxRootFields: 1_000 } } }

let world: World
/** A site as specified with the same records, for comparison with the graph. */
let specified: World
beforeAll(async () => {
  world = await World.start(BOUNDLESS, { switches: COMPLETE, site: SITE }, IS_PLUGIN ? COMPLETE_NAMES : {})
  specified = IS_PLUGIN ? await World.start(BOUNDLESS, { profile: 'lms', site: SITE }, {}) : world
})
afterAll(() => Promise.all([...new Set([world, specified])].map((each) => each.close())))

const get = async (path: string): Promise<any> => JSON.parse((await specified.ask(path)).text)

async function pages(path: string): Promise<Json[]> {
  const records: Json[] = []
  for (let page = 1; page <= 10; page++) {
    const rows = (await get(`${path}&per_page=100&page=${page}`)) as Json[]
    records.push(...rows)
    if (rows.length < 100) break
  }
  return records
}

/** Records in the view context, with edit-only fields added. Only the edit context has the text of protected records. */
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

const rawQuestions = (): Promise<Json[]> => Promise.all(questionIds.map((id) => get(`v1/sfwd-questions/${id}?context=edit`)))

async function graphQuestions(fields: string): Promise<Json[]> {
  const aliases = questionIds.map((id) => `q${id}: question(id: ${id}) { databaseId ...Q }`).join(' ')
  return Object.values(await ask(`{ ${aliases} } fragment Q on Question { FIELDS }`, fields))
}

const answersOf = (question: Json, id: unknown, answers: string): Json[] =>
  question[answers].map((answer: Json, index: number) => ({ ...answer, at: `${id}/${index}` }))

const group = SAMPLES.largeGroup
const user = SAMPLES.manyRowsUser

const SOURCES: Readonly<Record<string, Source>> = {
  Group: post(groupColumns, 'v1/groups', 'groups'),
  Course: post(courseColumns, 'v1/sfwd-courses', 'courses'),
  Quiz: post(quizColumns, 'v1/sfwd-quiz', 'quizzes'),
  Lesson: post(lessonColumns, 'v2/sfwd-lessons', 'lessons'),
  GroupCourse: {
    columns: groupCourseColumns,
    raw: () => everyContext(`v2/groups/${group}/courses?`),
    graph: async (fields) => {
      const data = await ask(`{ group(id: ${group}) { courses(first: 1000) { edges { groupCourse { FIELDS } } } } }`, fields)
      return data.group.courses.edges.map(({ groupCourse }: Json) => groupCourse)
    },
    key: (record) => record.databaseId ?? record.id,
  },
  CourseProgress: {
    columns: courseProgressColumns,
    raw: () => pages(`v2/users/${user}/course-progress?context=view`),
    graph: async (fields) =>
      (await ask(`{ user(id: ${user}) { courseProgress(first: 1000) { nodes { FIELDS } } } }`, fields)).user.courseProgress.nodes,
    key: (record) => record.courseId ?? record.course,
  },
  PriceType: {
    columns: priceTypeColumns,
    raw: () => get('v2/price-types'),
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

/** The fields of the graph for a field of the contract, each with its member of the raw value. */
function fieldsFor(field: string, columns: Columns): { name: string; member: string | undefined }[] {
  return Object.entries(columns)
    .filter(([, { wire }]) => wire === field || wire.startsWith(`${field}.`))
    .map(([name, { wire }]) => ({ name, member: wire.split('.')[1] }))
}

/** Whether a field has a value only on sites that send a moment where the contract has a date. */
const isOfOtherSites = (name: string): boolean => ['visibleAfterSpecificTime', 'startedAt', 'completedAt'].includes(name)

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
      return isOfOtherSites(name) ? null : `${raw}Z`
    case 'LocalDateTime':
    case 'LocalDate':
      return raw === '' ? null : raw
    case 'JSONObject':
      return Array.isArray(raw) ? {} : raw
    case 'String':
      if (name === 'title' || name === 'postTitle') return decode(String(raw).replace(/<[^>]*>/g, ''))
      if (WORDS.includes(field) || name.endsWith('Value')) return raw === '' ? null : (SPELLINGS[raw as string] ?? raw)
      return raw
    default:
      return isEnumType(graphSchema().getType(typeName)) ? (raw === '' ? null : String(raw).toUpperCase().replaceAll('-', '_')) : raw
  }
}

const isFull = (value: unknown): boolean =>
  value !== null && value !== '' && JSON.stringify(value) !== '[]' && JSON.stringify(value) !== '{}'

/** Selects leaves by name. The answers of a question are one leaf. */
function select(type: GraphQLObjectType, name: string): string {
  return isObjectType(getNamedType(type.getFields()[name]!.type)) ? `${name} { __typename }` : name
}

/** Fields of the contract, by result. */
interface Proof {
  readonly shown: string[]
  /** Different for this profile, with a row in the table of differences. */
  readonly excused: string[]
}

/** The value a record of the graph should have under a name, for the raw one. */
function wanted(
  type: GraphQLObjectType,
  field: string,
  { name, member }: { name: string; member: string | undefined },
  raw: Json,
): unknown {
  const { type: fieldType } = type.getFields()[name]!
  const list = isListType(isNonNullType(fieldType) ? fieldType.ofType : fieldType)
  const leaf = getNamedType(fieldType)
  const sent = member === undefined ? raw[field] : raw[field]?.[member]
  return isObjectType(leaf) ? sent?.map(() => ({ __typename: leaf.name })) : reading(field, name, leaf.name, list, sent)
}

/**
 * Contract fields of a type whose value in the graph is equal to the raw value in every record, and present in at least one; and fields
 * with a known difference, which must differ.
 */
async function proven(typeName: string, { columns, raw, graph, key }: Source): Promise<Proof> {
  const type = graphSchema().getType(typeName) as GraphQLObjectType
  const fields = contract.fields[typeName]!.map(({ name }) => name)
  const names = [...new Set(fields.flatMap((field) => fieldsFor(field, columns).map(({ name }) => name)))]
  const [rawRecords, records] = [await raw(), await graph(names.map((name) => select(type, name)).join(' '))]
  const byKey = new Map(records.map((record) => [key(record), record]))
  expect([typeName, byKey.size, records.length > 0]).toEqual([typeName, rawRecords.length, true])
  const proof: Proof = { shown: [], excused: [] }
  for (const field of fields) {
    const [full, excused] = [new Set<string>(), new Set<string>()]
    const parts = fieldsFor(field, columns)
    for (const part of parts)
      for (const rawRecord of rawRecords) {
        const [value, expected] = [byKey.get(key(rawRecord))![part.name], wanted(type, field, part, rawRecord)]
        if (JSON.stringify(value) !== JSON.stringify(expected)) {
          const what = `${typeName}.${part.name}`
          if (!mayShow(what, PROFILE, expected, value))
            expect.fail(`${what} of ${key(rawRecord)}: ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`)
          excused.add(part.name)
        } else if (isFull(value)) full.add(part.name)
      }
    if (excused.size > 0) proof.excused.push(field)
    else if (parts.length > 0 && full.size === parts.filter(({ name }) => !isOfOtherSites(name)).length) proof.shown.push(field)
    const stale = parts.filter(({ name }) => differs(`${typeName}.${name}`, PROFILE) && !excused.has(name))
    expect([typeName, field, stale]).toEqual([typeName, field, []])
  }
  return proof
}

describe('every field of the contract', () => {
  it('has a source in this test', () => {
    expect(Object.keys(SOURCES).sort()).toEqual(Object.keys(contract.fields).sort())
    expect(Object.values(contract.fields).flat()).toHaveLength(223)
  })

  it('has in the graph the value that the site sends', async () => {
    const lines: string[] = []
    const missing: string[] = []
    const [total, excused] = [[] as string[], [] as string[]]
    for (const [type, source] of Object.entries(SOURCES)) {
      const fields = contract.fields[type]!.map(({ name }) => name)
      const found = await proven(type, source)
      total.push(...found.shown)
      excused.push(...found.excused.map((field) => `${type}.${field}`))
      lines.push(`${type}: ${found.shown.length} of ${fields.length}`)
      missing.push(...fields.filter((field) => !Object.values(found).flat().includes(field)).map((field) => `${type}.${field}`))
    }
    console.log([...lines, `${total.length} of 223, and ${excused.length} otherwise: ${excused.join(', ') || 'none'}`].join('\n'))
    expect(missing).toEqual(Object.keys(EXCEPTIONS))
    expect(total.length + excused.length).toBe(223 - Object.keys(EXCEPTIONS).length)
  })

  it('is decoded without repairs', () => {
    expect(world.repairs).toEqual([])
  })
})
