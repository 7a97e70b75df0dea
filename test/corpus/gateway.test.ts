import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { courseColumns } from '../../src/graph/course/columns.js'
import { courseProgressColumns } from '../../src/graph/course-progress/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { createGateway, type Gateway } from '../../src/index.js'
import type { Columns } from '../../src/upstream/codec/columns.js'
import type { Preset } from '../../src/upstream/site/presets.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite, wireName } from '../../src/upstream/site/site.js'
import { FakeSite, json } from '../support/site.js'

type Row = Record<string, unknown>

const ROWS = 100
/** Positions, from 1, of rows with: an unknown enum value; invalid values in all columns; other invalid values; only the id. */
const [UNKNOWN_AT, RUBBISH_AT, OTHER_AT, BARE_AT] = [57, 58, 59, 60]

/** Two values of types that no column accepts. */
const RUBBISH = [[{ x: [null] }, 'x'], { x: [null], y: 'x' }]

/** A list of the graph: its path on the site by preset, its columns, the column with the id, and an enumeration. */
const LISTS = {
  courses: {
    query: (fields: string) => `{ courses(first: 100) { nodes { ${fields} } } }`,
    nodes: (data: any) => data.courses.nodes,
    path: /\/sfwd-courses$/,
    columns: courseColumns,
    id: 'databaseId',
    odd: 'prerequisiteCompare',
  },
  lessons: {
    query: (fields: string) => `{ lessons(first: 100) { nodes { ${fields} } } }`,
    nodes: (data: any) => data.lessons.nodes,
    path: /\/sfwd-lessons$/,
    columns: lessonColumns,
    id: 'databaseId',
    odd: 'visibleType',
  },
  progress: {
    query: (fields: string) => `{ user(id: 2) { courseProgress(first: 100) { nodes { ${fields} } } } }`,
    nodes: (data: any) => data.user.courseProgress.nodes,
    path: /\/users\/2\/course-progress$/,
    columns: courseProgressColumns,
    id: 'courseId',
    odd: 'status',
  },
} as const satisfies Record<string, { columns: Columns; [more: string]: unknown }>

/** The type name of the records of each list. */
const SHAPES = { courses: 'Course', lessons: 'Lesson', progress: 'CourseProgress' } as const

type List = (typeof LISTS)[keyof typeof LISTS]
const columnsOf = ({ columns }: List): Columns => columns
const wireOf = (list: List, name: string, preset: Preset): string =>
  wireName(defineSite('https://site.example', PRESETS[preset]), columnsOf(list)[name]?.wire as string)

/** Fields that every caller may read. */
const readable = (list: List): string[] =>
  Object.entries(columnsOf(list))
    .filter(([, { editOnly, hidden }]) => !editOnly && !hidden)
    .map(([name]) => name)

/** All of them, with members of those that have some. */
const fieldsOf = (list: List): string =>
  readable(list)
    .map((name) => `${name}${{ links: ' { rel href allow count }', curies: ' { name }' }[name] ?? ''}`)
    .join(' ')

/** The rows of a page. All are valid, except those at the positions above. */
function rowsOf(list: List, preset: Preset): Row[] {
  const idWire = wireOf(list, list.id, preset)
  return Array.from({ length: ROWS }, (_, index) => {
    const row: Row = { [idWire]: 1_001 + index }
    const place = index + 1
    if (place === BARE_AT) return row
    for (const [name, { hidden }] of Object.entries(columnsOf(list))) {
      if (hidden) continue
      const [top, member] = wireOf(list, name, preset).split('.') as [string, string?]
      if (top === idWire || (place !== RUBBISH_AT && place !== OTHER_AT)) continue
      const rubbish = RUBBISH[place - RUBBISH_AT]
      row[top] = member === undefined ? rubbish : { ...(row[top] as Row), [member]: rubbish }
    }
    if (place < UNKNOWN_AT || place > OTHER_AT)
      row[wireOf(list, list.odd, preset)] = Object.values(columnsOf(list)[list.odd]?.values?.members ?? {})[0]?.wire[0]
    if (place === UNKNOWN_AT) row[wireOf(list, list.odd, preset)] = 'of another plugin'
    return row
  })
}

describe.each(Object.keys(PRESETS) as Preset[])('a page with odd rows, of a site of preset %s', (preset) => {
  let site: FakeSite
  let gateway: Gateway
  let rows: Row[] = []
  const repairs: string[] = []

  beforeAll(async () => {
    site = await FakeSite.start((_, response) =>
      json(response, rows, { headers: { 'x-wp-total': String(rows.length), 'x-wp-totalpages': '1' } }),
    )
    gateway = createGateway({
      site: { url: site.url, preset },
      on: {
        repair: (shape, column) => repairs.push(`${shape}.${column}`),
      },
    })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })

  async function ask(query: string): Promise<{ data: any; errors?: unknown }> {
    const headers = { 'content-type': 'application/json' }
    const response = await gateway.fetch('http://gateway.test/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
    return (await response.json()) as { data: any; errors?: unknown }
  }

  it.each(Object.keys(LISTS) as (keyof typeof LISTS)[])('%s: all rows are returned in order, without an error', async (name) => {
    const list = LISTS[name]
    rows = rowsOf(list, preset)
    repairs.length = 0
    site.requests.length = 0
    const { data, errors } = await ask(list.query(fieldsOf(list)))
    expect(errors).toBeUndefined()
    expect(site.paths.map((path) => list.path.test(path.split('?')[0] as string))).toEqual([true])
    const nodes = list.nodes(data) as Row[]
    expect(nodes.map((node) => node[list.id])).toEqual(Array.from({ length: ROWS }, (_, index) => 1_001 + index))
    const [first] = Object.keys(columnsOf(list)[list.odd]?.values?.members ?? {})
    const members = Array.from({ length: ROWS }, (_, index) => (index + 1 < UNKNOWN_AT || index + 1 > OTHER_AT ? first : null))
    members[UNKNOWN_AT - 1] = 'UNKNOWN'
    members[BARE_AT - 1] = null
    expect(nodes.map((node) => node[list.odd])).toEqual(members)
    expect(nodes[UNKNOWN_AT - 1]?.[`${list.odd}Value`]).toBe('of another plugin')
    expectRubbish(list, nodes)
    const { unusableColumns } = defineSite(site.url, PRESETS[preset])
    expect([...new Set(repairs)].sort()).toEqual(
      readable(list)
        .filter((column) => column !== list.id && !unusableColumns.includes(`${SHAPES[name]}.${column}`))
        .map((column) => `${SHAPES[name]}.${column}`)
        .sort(),
    )
  })

  it('rows with ids that are not 32-bit integers do not affect the rest of the page', async () => {
    rows = [{ id: 7 }, { id: 3_000_000_000 }, { id: '0x10' }, { id: '1e3' }, { id: ' 8 ' }]
    const { data, errors } = await ask('{ courses(first: 100) { nodes { databaseId } } }')
    expect(errors).toBeUndefined()
    expect(data.courses.nodes).toEqual([{ databaseId: 7 }, { databaseId: 8 }])
  })
})

/** Invalid and empty rows have their id, and otherwise only lists that are never null. */
function expectRubbish(list: List, nodes: readonly Row[]): void {
  const none = Object.fromEntries(
    readable(list)
      .filter((name) => name !== list.id)
      .map((name) => [name, columnsOf(list)[name]?.otherwise ?? null]),
  )
  for (const place of [RUBBISH_AT, OTHER_AT, BARE_AT]) {
    const { [list.id]: _, ...rest } = nodes[place - 1] as Row
    // The second invalid value is an object, which JSONObject accepts.
    expect(rest).toEqual(place === OTHER_AT && 'meta' in none ? { ...none, meta: RUBBISH[1] } : none)
  }
}
