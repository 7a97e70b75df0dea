import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Course, defineResource, Lesson } from '../../src/kit.js'
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

let world: World
beforeAll(async () => {
  world = await World.start({ resources: [computed, begun] }, { profile: 'lms' })
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
})
