import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Course, defineResource, Lesson, LmsError, type NeededRecord, PriceType, toList, toMany, toOne } from '../../src/kit.js'
import { SAMPLES } from '../../src/lms/index.js'
import { World } from '../support/world.js'
import { begun } from './begun.js'

const computed = defineResource('computed', (builder) => {
  builder.objectField(Course, 'shout', (t) =>
    t.lmsComputed({
      type: 'String',
      description: 'Title in capitals. Fails for courses of algebra.',
      needs: { columns: ['title'] },
      compute: ({ title }) => {
        if (title?.startsWith('Algebra')) throw new TypeError('secret detail')
        return title?.toUpperCase()
      },
    }),
  )
  builder.objectField(Course, 'needed', (t) =>
    t.lmsComputed({
      type: ['String'],
      description: 'Titles of the prerequisites.',
      needs: { relations: { prerequisites: { ref: Course, list: true, columns: ['title'] } } },
      compute: (_, { prerequisites }) => prerequisites.map((course) => course?.title ?? 'missing'),
    }),
  )
  builder.objectField(Lesson, 'courseTitle', (t) =>
    t.lmsComputed({
      type: 'String',
      description: 'Title of the course.',
      needs: { relations: { course: { ref: Course, columns: ['title'] } } },
      compute: (_, { course }) => course?.title ?? 'no course',
    }),
  )
})

const found = (records: unknown): readonly NeededRecord[] => {
  if (records instanceof LmsError) throw records
  return records as readonly NeededRecord[]
}

const lessonList = { path: 'v2/sfwd-lessons', window: 'offset', filters: {}, orders: {} } as const

/** Two fields need the same list. */
const lessons = toList(Lesson, lessonList, ({ databaseId }) => ({ query: { course: databaseId as number } }), { columns: ['title'] })

const needing = defineResource('needing', (builder) => {
  const titlesIn = (records: unknown): unknown[] =>
    found(records).map(({ record }) => (record instanceof LmsError ? record : (record?.title ?? 'missing')))
  builder.objectFields(Course, (t) => ({
    titles: t.lmsComputed({
      type: ['String'],
      description: 'Titles of the lessons.',
      needs: { relations: { lessons } },
      compute: (_, { lessons }) => titlesIn(lessons) as string[],
    }),
    last: t.lmsComputed({
      type: 'String',
      description: 'Title of the last lesson.',
      needs: { relations: { lessons } },
      compute: (_, { lessons }) => titlesIn(lessons).at(-1) as string,
    }),
    picked: t.lmsComputed({
      type: ['String'],
      description: 'Titles of the first lessons.',
      args: { first: t.arg.int({ required: true, description: 'How many.' }) },
      needs: {
        relations: {
          lessons: toList(
            Lesson,
            lessonList,
            ({ databaseId }, { first }: { first: number }) => (first === 0 ? null : { query: { course: databaseId as number } }),
            { parse: ({ first }) => ({ first: first as number }), pick: (rows, { first }) => rows.slice(0, first), columns: ['title'] },
          ),
        },
      },
      compute: (_, { lessons }) => (lessons === undefined ? null : (titlesIn(lessons) as string[])),
    }),
    required: t.lmsComputed({
      type: ['String'],
      description: 'Titles of the prerequisites.',
      needs: { relations: { courses: toMany(Course, 'prerequisiteIds', { columns: ['title'] }) } },
      compute: (_, { courses }) => titlesIn(courses) as string[],
    }),
    requiredIf: t.lmsComputed({
      type: ['String'],
      description: 'Titles of the prerequisites, or none.',
      args: { wanted: t.arg.boolean({ required: true, description: 'Whether they are wanted.' }) },
      needs: {
        relations: {
          courses: toMany(Course, ({ prerequisiteIds }) => (prerequisiteIds ?? []) as number[], {
            needs: ['prerequisiteIds'],
            parse: ({ wanted }) => (wanted ? {} : null),
            columns: ['title'],
          }),
        },
      },
      compute: (_, { courses }) => titlesIn(courses) as string[],
    }),
    sold: t.lmsComputed({
      type: 'String',
      description: 'Name of the price type.',
      needs: { relations: { type: toOne(PriceType, 'priceTypeSlug', { columns: ['name'] }) } },
      compute(_, { type }) {
        const { record } = type as NeededRecord
        if (record instanceof LmsError) throw record
        return record && (record.name as string)
      },
    }),
  }))
})

let world: World
beforeAll(async () => {
  world = await World.start({ resources: [computed, begun, needing], observe: { explainFor: ['everybody'] } }, { profile: 'lms' })
})
afterAll(() => world.close())

describe('a computed field', () => {
  it('is computed from columns, and only these are read', async () => {
    const { data, errors, calls } = await world.query('{ course(id: 10005) { shout title } }')
    expect(errors).toEqual([])
    expect(data.course.shout).toBe(data.course.title.toUpperCase())
    expect(calls.map(decodeURIComponent)).toEqual(['/lms/v1/sfwd-courses/10005?context=view&_filter=id,title.rendered'])
  })

  it('is computed from the records of a relation, read in one batch for all parents', async () => {
    const { data, errors, calls } = await world.query('{ courses(first: 30) { nodes { needed prerequisites { title } } } }')
    expect(errors).toEqual([])
    for (const { needed, prerequisites } of data.courses.nodes)
      expect(needed).toEqual(prerequisites.map((course: { title: string } | null) => course?.title ?? 'missing'))
    expect(data.courses.nodes.filter(({ needed }: { needed: string[] }) => needed.length > 0).length).toBeGreaterThan(3)
    const alone = await world.query('{ courses(first: 30) { nodes { needed } } }')
    expect(alone.data.courses.nodes.map(({ needed }: any) => needed)).toEqual(data.courses.nodes.map(({ needed }: any) => needed))
    expect(alone.calls).toHaveLength(calls.length)
  })

  it('receives null when the relation has no record', async () => {
    const { data } = await world.query(`{ lesson(id: ${SAMPLES.sharedLesson}) { courseId courseTitle } }`)
    expect(data.lesson).toEqual({ courseId: null, courseTitle: 'no course' })
  })

  it('is null, with the error of a relation that was refused', async () => {
    // Only administrators may read a course in the trash.
    const { data, errors } = await world.query('{ lesson(id: 100001) { title courseTitle } }')
    expect([data.lesson.courseTitle, errors]).toEqual([expect.any(String), []])
    await world.ask('v1/sfwd-courses/10001', 'POST', { status: 'draft' })
    const refused = await world.query('{ lesson(id: 100001) { title courseTitle } }')
    await world.ask('v1/sfwd-courses/10001', 'POST', { status: 'publish' })
    expect(refused.data).toEqual({ lesson: { title: data.lesson.title, courseTitle: null } })
    expect(refused.errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['lesson', 'courseTitle'], 'UNAUTHENTICATED']])
  })

  it('that throws is null, with an error that hides the reason', async () => {
    const { data, errors } = await world.query('{ courses(first: 60) { nodes { shout title } } }')
    const failed = data.courses.nodes.filter(({ title }: { title: string }) => title.startsWith('Algebra'))
    expect(failed.length).toBeGreaterThan(0)
    expect(errors).toHaveLength(failed.length)
    for (const { message, extensions } of errors)
      expect([message, extensions.code]).toEqual([expect.not.stringMatching(/secret/), 'INTERNAL_SERVER_ERROR'])
  })

  it('receives arguments and the records of an edge of its own, read in one batch for all parents', async () => {
    const query = '{ courses(first: 30) { nodes { isBegun(user: 3) } } }'
    const { data, errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors, calls.length]).toEqual([[], 2])
    const { data: known } = await world.query('{ courses(first: 30) { nodes { progress(user: 3) { status } } } }', { as: 'admin' })
    const expected = known.courses.nodes.map(({ progress }: any) => progress !== null && progress.status !== 'NOT_STARTED')
    expect(data.courses.nodes.map(({ isBegun }: any) => isBegun)).toEqual(expected)
    expect(expected).toContain(true)
    expect(expected).toContain(false)
  })

  it('is null, with the error of the edge, when the caller may not read the records', async () => {
    const { data, errors } = await world.query('{ course(id: 10001) { title isBegun(user: 3) } }')
    expect(data).toEqual({ course: { title: expect.any(String), isBegun: null } })
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['course', 'isBegun'], 'UNAUTHENTICATED']])
    const wrong = await world.query('{ course(id: 10001) { isBegun(user: "x") } }')
    expect(wrong.errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
  })

  it('receives the rows of a list, or some of them, or no list', async () => {
    const query =
      '{ courses(first: 2) { nodes { titles picked(first: 2) none: picked(first: 0) lessons(first: 100) { nodes { title } } } } }'
    const { data, errors } = await world.query(query)
    expect(errors).toEqual([])
    for (const { titles, picked, none, lessons } of data.courses.nodes) {
      const known = lessons.nodes.map(({ title }: { title: string }) => title)
      expect([titles, picked, none]).toEqual([known, known.slice(0, 2), null])
      expect(known.length).toBeGreaterThan(2)
    }
  })

  it('reads what it shares with another field once', async () => {
    const explained = async (fields: string) => {
      const response = await world.gateway.post({
        query: `{ courses(first: 2) { nodes { ${fields} } } }`,
        extensions: { explain: 'run' },
      })
      const { data, extensions } = (await response.json()) as any
      return { data, ...extensions.explain }
    }
    const [one, both] = [await explained('titles'), await explained('titles last')]
    for (const { titles, last } of both.data.courses.nodes) expect(last).toBe(titles.at(-1))
    expect([both.actual.calls, both.predicted]).toEqual([one.actual.calls, one.predicted])
  })

  it('receives the records of a column or of a function, and none where its arguments need none', async () => {
    const { data, errors } = await world.query(
      '{ courses(first: 30) { nodes { required requiredIf(wanted: true) sold prerequisites { title } priceType { name } } } }',
    )
    expect(errors).toEqual([])
    for (const { required, requiredIf, sold, prerequisites, priceType } of data.courses.nodes) {
      const titles = prerequisites.map((course: { title: string } | null) => course?.title ?? 'missing')
      expect([required, requiredIf]).toEqual([titles, titles])
      expect(sold).toBe(priceType?.name ?? null)
    }
    expect(data.courses.nodes.filter(({ required }: { required: string[] }) => required.length > 0).length).toBeGreaterThan(3)
    const wanted = (wanted: boolean) => world.query(`{ courses(first: 30) { nodes { requiredIf(wanted: ${wanted}) } } }`)
    const [all, none] = [await wanted(true), await wanted(false)]
    // The second batch leaves out a course that does not exist, which is read alone.
    expect([all.calls.length, none.calls.length]).toEqual([3, 1])
    expect(none.data.courses.nodes.every(({ requiredIf }: { requiredIf: string[] }) => requiredIf.length === 0)).toBe(true)
  })
})
