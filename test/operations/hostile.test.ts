import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/graph/schema.js'
import { SAMPLES } from '../../src/lms/index.js'
import { readRecords } from '../../src/load/loading.js'
import type { Entity } from '../../src/model/entity.js'
import { entitiesIn } from '../../src/model/marks.js'
import { NO_COLUMNS } from '../../src/upstream/codec/records.js'
import { LmsError } from '../../src/upstream/errors.js'
import { globalId } from '../support/global-id.js'
import { EVERYTHING } from '../support/hostile-upstream.js'
import { HostileWorld, TYPES, type Type } from '../support/hostile-world.js'
import { Random } from '../support/random.js'
import { SOAK } from '../support/world.js'

/** By-id record loads of the whole run: directly, through whole GraphQL operations, and of progress. */
const LOADS = SOAK ? 100_000 : 4_000
/** Windows of lists. */
const WINDOWS = SOAK ? 2_000 : 150

/** Errors that a site may cause by omitting or mixing up records; no others are allowed. */
const EXCUSES = new Set(['RECORD_UNRESOLVED', 'UPSTREAM_INVALID_RESPONSE'])

const entities = entitiesIn(graphSchema())
const random = new Random(20_261_121)
let world: HostileWorld

beforeAll(async () => {
  world = await HostileWorld.start(random)
})
afterAll(() => world.close())

/** Ids of a type, most of them of records there are. */
function someIds(type: Type, count: number): number[] {
  const known = random.some([...world.truth[type].keys()], count)
  return random.shuffle([...known, ...known.slice(0, random.int(0, 3)).map((id) => id + 7_000_000)])
}

/** At most 10 batches of 10 and one past the end for each 100 ids, and 10 single reads for omitted records. */
const mostCalls = (ids: number): number => Math.ceil(ids / 100) * 11 + 10

const seen = { loads: 0, records: 0, missing: 0, excused: new Map<string, number>() }

/** Compares one load with the data: the right record, an allowed error, or nothing for a missing record. */
function judge(what: string, found: object | null | undefined, code: string | undefined, truth: object | undefined): void {
  seen.loads++
  if (code !== undefined) {
    expect(EXCUSES, what).toContain(code)
    seen.excused.set(code, (seen.excused.get(code) ?? 0) + 1)
  } else if (found) {
    expect(found, what).toEqual(truth)
    seen.records++
  } else {
    expect(truth, `${what} was lost`).toBeUndefined()
    seen.missing++
  }
}

const texts = (type: Type, id: number) => {
  const row = world.truth[type].get(id)
  return row && { titleHtml: row.title.rendered, slug: row.slug }
}

/** Loads records in an operation of their own, without GraphQL, and shows the given columns of each. */
async function load(entity: Entity, keys: readonly (string | number)[], names: readonly string[]) {
  const operation = world.operation()
  const store = operation.records.store({ entity })
  const columns = entity.shape.set(names)
  const states = [...new Set(keys.map((key) => store.stateOf(key)))]
  await readRecords([{ states, columns, ahead: NO_COLUMNS }], operation.readsFor({ fields: [] }))
  expect(world.calls).toBeLessThanOrEqual(mostCalls(keys.length))
  return keys.map((key) => {
    const { value } = store.stateOf(key)
    if (value instanceof LmsError) return { found: null, code: value.code }
    const record = value as Record<string, unknown> | null
    return { found: record && Object.fromEntries(names.map((name) => [name, record[name]])), code: undefined }
  })
}

async function loadPosts(): Promise<void> {
  const type = random.pick(TYPES)
  const ids = someIds(type, random.int(2, 260))
  const loaded = await load(entities.get(type) as Entity, ids, ['titleHtml', 'slug'])
  for (const [index, id] of ids.entries()) judge(`${type} ${id}`, loaded[index]?.found, loaded[index]?.code, texts(type, id))
}

/** Records of all types by `nodes`. */
async function loadNodes(): Promise<void> {
  const wanted = TYPES.flatMap((type) => someIds(type, random.int(0, 60)).map((id) => ({ type, id })))
  const ids = wanted.map(({ type, id }) => globalId(type, id))
  const { data, errors } = await world.query(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on LmsContent { databaseId titleHtml slug } } }',
    { ids },
  )
  expect(world.calls).toBeLessThanOrEqual(TYPES.length * 11 + 10)
  const codes = new Map(errors.map(({ path, extensions }) => [path?.[1], extensions.code as string]))
  wanted.forEach(({ type, id }, index) => {
    const truth = texts(type, id)
    judge(`${type} ${id}`, data.nodes[index], codes.get(index), truth && { __typename: type, databaseId: id, ...truth })
  })
}

/** Prerequisites of courses: the right ones, in their order, below the right course. */
async function loadPrerequisites(): Promise<void> {
  const ids = random.some([...world.truth.Course.keys()], 40).map((id) => globalId('Course', id))
  const { data, errors } = await world.query(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Course { databaseId prerequisites { databaseId titleHtml slug } } } }',
    { ids },
  )
  const codes = new Map(errors.map(({ path, extensions }) => [path.join(), extensions.code as string]))
  data.nodes.forEach((course: { databaseId: number; prerequisites: object[] } | null, at: number) => {
    if (!course) return
    const wanted: number[] = world.truth.Course.get(course.databaseId)?.course_prerequisite || []
    expect(course.prerequisites).toHaveLength(wanted.length)
    wanted.forEach((id, index) => {
      const truth = texts('Course', id)
      const place = `nodes,${at},prerequisites,${index}`
      // Of a record that is known already, only the columns that could not be read carry the error.
      judge(
        `Course ${id}`,
        course.prerequisites[index],
        codes.get(place) ?? codes.get(`${place},slug`),
        truth && { databaseId: id, ...truth },
      )
    })
  })
}

const user = SAMPLES.manyRowsUser

/** Progress of one user, where a complete list proves that other records are missing. */
async function loadProgress(truth: ReadonlyMap<number, object>): Promise<void> {
  const courses = random.some([...world.truth.Course.keys()], random.int(2, 120))
  // A total that is too small and a dropped row look like a row that never was.
  world.hostility.likely = { ...EVERYTHING, 'wrong totals': 0, 'rows dropped': 0.7, 'rows doubled': 0.7 }
  const loaded = await load(
    entities.get('CourseProgress') as Entity,
    courses.map((course) => `${user}:${course}`),
    ['stepsCompleted', 'stepsTotal'],
  )
  world.hostility.likely = EVERYTHING
  for (const [index, course] of courses.entries())
    judge(`progress in ${course}`, loaded[index]?.found, loaded[index]?.code, truth.get(course))
}

describe('a site that shuffles, drops, doubles, cuts and adds rows', () => {
  it('never shows a record in the place of another, and never omits one without an error', { timeout: 600_000 }, async () => {
    const rows = await world.honest(`v2/users/${user}/course-progress?`)
    const progress = new Map(rows.map((row) => [row.course, { stepsCompleted: row.steps_completed, stepsTotal: row.steps_total }]))
    const { hostility } = world
    hostility.likely = EVERYTHING
    const some = () => loadProgress(progress)
    const kinds = [loadPosts, loadPosts, loadNodes, loadPrerequisites, some, some]
    while (seen.loads < LOADS) {
      world.small = random.chance(0.2)
      await random.pick(kinds)()
    }
    const excused = [...seen.excused].map(([code, count]) => `${count} ${code}`).join(', ')
    console.log(`${seen.loads} loads by id: ${seen.records} records, ${seen.missing} missing, ${excused}`)
    console.log(`${hostility.answers} answers; ${[...hostility.hits].map(([fault, count]) => `${fault} ${count}`).join(', ')}`)
    expect(seen.records / seen.loads).toBeGreaterThan(0.6)
    for (const [fault, count] of hostility.hits) expect(count, fault).toBeGreaterThan(0)
  })

  // In a list by parent, unrequested and dropped rows cannot be detected: there is no other source. So pages are only cut, doubled and
  // padded with invalid rows, with correct totals.
  it('shows complete lists, with each row once, if the site sends totals', { timeout: 600_000 }, async () => {
    const { hostility, query } = { hostility: world.hostility, query: world.query.bind(world) }
    hostility.likely = { 'rows doubled': 0.4, 'cut to 10': 0.4, 'junk rows': 0.2 }
    const lists = [
      {
        of: `course(id: ${SAMPLES.longCourse})`,
        field: 'lessons',
        id: 'databaseId',
        rows: await world.honest(`v2/sfwd-lessons?course=${SAMPLES.longCourse}&`),
      },
      {
        of: `group(id: ${SAMPLES.largeGroup})`,
        field: 'courses',
        id: 'databaseId',
        rows: await world.honest(`v2/groups/${SAMPLES.largeGroup}/courses?`),
      },
      { of: `user(id: ${user})`, field: 'courseProgress', id: 'courseId', rows: await world.honest(`v2/users/${user}/course-progress?`) },
    ]
    let rowsSeen = 0
    for (let round = 0; round < WINDOWS; round++) {
      const { of, field, id, rows } = random.pick(lists)
      // A window by offset continues after the last row; one by whole pages needs a site that respects the page size.
      world.small = field !== 'courseProgress' && random.chance(0.2)
      const offset = random.chance(0.4) ? 0 : random.int(0, rows.length + 3)
      const first = random.pick([1, 3, 10, 25, 100, 150, random.int(1, 150)])
      const { data, errors } = await query(
        `{ parent: ${of} { list: ${field}(first: ${first}, offset: ${offset}) { nodes { ${id} } totalCount pageInfo { hasNextPage } } } }`,
      )
      const expected = rows.slice(offset, offset + first).map((row) => row.id ?? row.course)
      expect(errors).toEqual([])
      const { nodes, totalCount, pageInfo } = data.parent.list
      expect({ window: `${field} ${offset}+${first}`, ids: nodes.map((node: any) => node[id]) }).toEqual({
        window: `${field} ${offset}+${first}`,
        ids: expected,
      })
      if (expected.length > 0)
        expect({ totalCount, ...pageInfo }).toEqual({ totalCount: rows.length, hasNextPage: rows.length > offset + first })
      rowsSeen += nodes.length
    }
    console.log(
      `${WINDOWS} windows with ${rowsSeen} rows; ${[...hostility.hits]
        .filter(([fault]) => hostility.likely[fault])
        .map(([fault, count]) => `${fault} ${count}`)
        .join(', ')}`,
    )
  })
})
