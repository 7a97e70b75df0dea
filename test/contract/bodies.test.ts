import { readFileSync } from 'node:fs'
import { type GraphQLInputObjectType, type GraphQLSchema, isInputObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { courseColumns } from '../../src/graph/course/columns.js'
import { groupColumns } from '../../src/graph/group/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { quizColumns } from '../../src/graph/quiz/columns.js'
import { graphSchema } from '../../src/index.js'
import type { Column, Columns } from '../../src/upstream/codec/columns.js'
import { writable } from '../../src/upstream/codec/writing.js'
import { ALL_COLUMNS_SITE, otherwise } from '../support/profile.js'
import { World } from '../support/world.js'

const contract = JSON.parse(readFileSync(new URL('./interface.json', import.meta.url), 'utf8')) as {
  bodyFields: Record<string, string[]>
  fields: Record<string, { name: string; readOnly: boolean }[]>
}

type Json = Record<string, any>
type Type = 'Group' | 'Course' | 'Quiz' | 'Lesson'

const TYPES: Readonly<Record<Type, { columns: Columns; field: string; list: string; path: string }>> = {
  Group: { columns: groupColumns, field: 'group', list: 'groups', path: 'v1/groups' },
  Course: { columns: courseColumns, field: 'course', list: 'courses', path: 'v1/sfwd-courses' },
  Quiz: { columns: quizColumns, field: 'quiz', list: 'quizzes', path: 'v1/sfwd-quiz' },
  Lesson: { columns: lessonColumns, field: 'lesson', list: 'lessons', path: 'v2/sfwd-lessons' },
}
const NAMES = Object.keys(TYPES) as Type[]

let world: World
/** Term ids of the sample school, by field. */
const terms = new Map<string, number[]>()

beforeAll(async () => {
  world = await World.start({}, ...ALL_COLUMNS_SITE)
  for (const { path, columns } of Object.values(TYPES)) {
    const rows = (await rest(`${path}?per_page=100`)) as Json[]
    for (const [, { kind, wire, of }] of writable(columns)) {
      if (kind === 'references' && of === undefined)
        terms.set(
          wire,
          [...new Set([...(terms.get(wire) ?? []), ...rows.flatMap((row) => (row[wire] as number[] | undefined) ?? [])])].sort(),
        )
    }
  }
})
afterAll(() => world.close())

const rest = async (path: string): Promise<any> => JSON.parse((await world.ask(path)).text)

const wireOf = ({ wire }: Column): string => wire.split('.')[0] as string

/** Texts with a required format. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  assignment_upload_limit_size: ['8M', '16M'],
  course_price_type: ['paynow', 'subscribe'],
}
const REFERENCES: Readonly<Record<string, readonly [number, number]>> = { parent: [1001, 1002], author: [1, 2], course: [10001, 10002] }

/** One of two values for a column, as an input value. */
let slugs = 0
function sample(name: string, column: Column, which: 0 | 1): unknown {
  const { kind, values, of } = column
  if (name === 'slug') return `slug-${slugs++}`
  const wire = wireOf(column)
  if (values) return Object.keys(values.members).filter((member) => !values.members[member]?.readOnly && member !== 'FUTURE')[which]
  switch (kind) {
    case 'text':
    case 'word':
    case 'plainText':
      return TEXTS[wire]?.[which] ?? `${name} ${which} "quoted" ü`
    case 'urlText':
      return `https://site.example/${name}/${which}?a=1&b=ü`
    case 'html':
      return `<p>${name} ${which} &amp; more</p>`
    case 'toggle':
      return which === 0
    case 'integer':
      return 3 + which
    case 'decimal':
      return wire === 'threshold' ? 0.25 + which / 2 : 2 + which
    case 'reference':
      return of === undefined ? 7001 + which : String(REFERENCES[wire]?.[which])
    case 'references':
      return of === undefined ? terms.get(wire)?.slice(which, which + 2) : ['10001', '10002', '10003'].slice(which, which + 2)
    case 'commaList':
      return [['pdf', 'docx'], ['zip']][which]
    case 'instant':
      return ['2020-05-06T07:08:09Z', '2021-05-06T07:08:09Z'][which]
    case 'localDateTime':
      return ['2020-05-06T07:08:09', '2021-05-06T07:08:09'][which]
    case 'localDate':
      return ['2027-03-04', '2028-02-29'][which]
    case 'object':
      return [{ level: 'one' }, { level: 'two', more: [1, { a: true }] }][which]
    default:
      throw new Error(`${name}: nothing to write to a ${kind}`)
  }
}

/** The field in which a written value is read back. */
const READ_AS: Readonly<Record<string, string>> = { title: 'titleRaw', content: 'contentRaw' }
const readAs = (name: string): string => READ_AS[name] ?? name
const asRead = ({ of }: Column, value: unknown): unknown =>
  of === undefined || value === null ? value : Array.isArray(value) ? value.map(Number) : Number(value)

/** The value that is read back after a write. */
function asKept(name: string, column: Column, value: unknown, before: unknown): unknown {
  const isReleaseDate = name === 'visibleAfterSpecificDate' || value === 'VISIBLE_AFTER_SPECIFIC_DATE'
  return isReleaseDate && !otherwise('whether a release date is taken', true) ? before : asRead(column, value)
}

async function save(mutation: string, type: Type, input: Json): Promise<Json> {
  const { field, columns } = TYPES[type]
  const fields = ['databaseId', ...writable(columns).map(([name]) => readAs(name))].join(' ')
  const query = `mutation ($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) { ${mutation}(input: $input) {
    __typename ... on LmsError { message } ... on ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Success { ${field} { ${fields} } } } }`
  const { data, errors, calls } = await world.query(query, { as: 'admin', variables: { input } })
  expect(errors).toEqual([])
  const result = data[mutation]
  expect(result.message).toBeUndefined()
  expect(calls).toHaveLength(1)
  return result[field]
}

/** The record, newest of its type, through another route: the list of its type, by the graph. */
async function readBack(type: Type, id: number): Promise<Json> {
  const { list, columns } = TYPES[type]
  const fields = writable(columns).map(([name]) => readAs(name))
  const newest = 'first: 1, where: { status: [ANY] }, orderBy: { field: ID, direction: DESC }'
  const { data, errors } = await world.query(`{ ${list}(${newest}) { nodes { databaseId ${fields.join(' ')} } } }`, { as: 'admin' })
  expect(errors).toEqual([])
  const { databaseId, ...record } = data[list].nodes[0]
  expect(databaseId).toBe(id)
  return record
}

describe('body fields of the specification', () => {
  it('are exactly the writable fields', () => {
    const counted = NAMES.map((type) => {
      const written = writable(TYPES[type].columns).map(([, column]) => wireOf(column))
      expect(written.sort()).toEqual([...(contract.bodyFields[type] as string[])].sort())
      return [type, written.length]
    })
    console.log(`body fields: ${counted.map(([type, count]) => `${type} ${count}`).join(', ')}`)
    expect(Object.fromEntries(counted)).toEqual({ Group: 16, Course: 31, Quiz: 15, Lesson: 45 })
    expect([contract.bodyFields.deleteGroup, contract.bodyFields.addCoursesToGroup]).toEqual([['force'], ['course_ids']])
  })

  it.each(NAMES)('read-only ones of %s are in no input', (type) => {
    const readOnly = (contract.fields[type] ?? []).filter((field) => field.readOnly).map(({ name }) => name)
    const names = Object.entries(TYPES[type].columns)
      .filter(([, column]) => readOnly.includes(wireOf(column)))
      .map(([name]) => name)
    expect(names.length).toBeGreaterThan(5)
    for (const input of inputsOf(graphSchema(), type)) for (const name of names) expect(Object.keys(input.getFields())).not.toContain(name)
  })

  it.each(NAMES)('of %s are stored on creation, and read back equal', async (type) => {
    const columns = writable(TYPES[type].columns)
    let compared = 0
    for (const [which, left] of [
      [0, 'dateGmt'],
      [1, 'date'],
    ] as const) {
      const given = columns.filter(([name]) => name !== left)
      const input = Object.fromEntries(given.map(([name, column]) => [name, sample(name, column, which)]))
      const { databaseId, ...answered } = await save(`create${type}`, type, input)
      const read = await readBack(type, databaseId)
      const raw = await rest(`${TYPES[type].path}/${databaseId}?context=edit`)
      for (const [name, column] of given) {
        const expected = asKept(name, column, input[name], null)
        expect([name, answered[readAs(name)]]).toEqual([name, expected])
        expect([name, read[readAs(name)]]).toEqual([name, expected])
        expect(raw).toHaveProperty(wireOf(column))
        compared++
      }
    }
    expect(compared).toBe(2 * (columns.length - 1))
  })

  it.each(NAMES)('of %s change one at a time without changing others', async (type) => {
    const columns = writable(TYPES[type].columns)
    const start = Object.fromEntries(
      columns.filter(([name]) => name !== 'dateGmt').map(([name, column]) => [name, sample(name, column, 0)]),
    )
    const { databaseId, ...first } = await save(`create${type}`, type, start)
    let before: Json = first
    for (const [name, column] of columns) {
      const value = sample(name, column, 1)
      await save(`update${type}`, type, { id: String(databaseId), [name]: value })
      const after = await readBack(type, databaseId)
      const changed = name === 'date' || name === 'dateGmt' ? ['date', 'dateGmt'] : [readAs(name)]
      const { [readAs(name)]: now, ...others } = after
      expect([name, now]).toEqual([name, asKept(name, column, value, before[readAs(name)])])
      const kept = Object.keys(others).filter((other) => !changed.includes(other))
      expect(Object.fromEntries(kept.map((other) => [other, after[other]]))).toEqual(
        Object.fromEntries(kept.map((other) => [other, before[other]])),
      )
      before = after
    }
  })

  it.each(NAMES)('of %s are cleared by null, or refuse null with their name', async (type) => {
    const columns = writable(TYPES[type].columns)
    const start = Object.fromEntries(
      columns.filter(([name]) => name !== 'dateGmt').map(([name, column]) => [name, sample(name, column, 0)]),
    )
    const { databaseId } = await save(`create${type}`, type, { ...start, status: 'DRAFT' })
    let [cleared, refused] = [0, 0]
    for (const [name] of columns) {
      const query = `mutation { update${type}(input: { id: ${databaseId}, ${name}: null }) { __typename ... on InvalidInputError { fields { field code message } } ... on LmsError { message } } }`
      const { data, errors, calls } = await world.query(query, { as: 'admin' })
      expect(errors).toEqual([])
      const result = data[`update${type}`]
      const description = inputsOf(graphSchema(), type)[1]?.getFields()[name]?.description ?? ''
      if (result.__typename === 'InvalidInputError') {
        expect(result.fields).toEqual([{ field: name, code: 'REQUIRED', message: expect.stringContaining("can't be null") }])
        expect(description).toContain("It can't be null.")
        expect(calls).toEqual([])
        refused++
      } else {
        expect([name, result]).toEqual([name, { __typename: `Update${type}Success` }])
        expect(description).toContain('Null clears it.')
        const value = (await readBack(type, databaseId))[readAs(name)]
        expect([name, [null, '', []]]).toEqual([name, expect.arrayContaining([value])])
        cleared++
      }
    }
    console.log(`${type}: null clears ${cleared} fields, ${refused} refuse it`)
    expect([cleared, refused].every((count) => count > 2)).toBe(true)
  })
})

/** The inputs of create and update. */
const inputsOf = (schema: GraphQLSchema, type: Type): GraphQLInputObjectType[] =>
  [`Create${type}Input`, `Update${type}Input`].map((name) => schema.getType(name)).filter(isInputObjectType)
