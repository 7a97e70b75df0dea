import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { courseColumns } from '../../src/graph/course/columns.js'
import { groupColumns } from '../../src/graph/group/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { quizColumns } from '../../src/graph/quiz/columns.js'
import type { Column, Columns } from '../../src/upstream/codec/columns.js'
import { writable } from '../../src/upstream/codec/writing.js'
import { globalId } from '../support/global-id.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

// The bounds of every writable field in the specification: values outside are refused before any call, and values on the bounds are sent
// unchanged.

const { bodyFields } = JSON.parse(readFileSync(new URL('./interface.json', import.meta.url), 'utf8')) as {
  bodyFields: Record<string, string[]>
}

const TYPES: Readonly<Record<string, Columns>> = { Group: groupColumns, Course: courseColumns, Quiz: quizColumns, Lesson: lessonColumns }

/** Values outside the bounds of a field, and values on the bounds with what is sent for them. */
interface Bounds {
  readonly outside: readonly unknown[]
  readonly edges: readonly (readonly [value: unknown, sent: unknown])[]
}

const long = (characters: number): string => 'x'.repeat(characters)
const same = (...values: readonly unknown[]): Bounds['edges'] => values.map((value) => [value, value])
const MAX_INT = 2_147_483_647

const anyText: Bounds = { outside: [5, true, ['x']], edges: same('', 'ü 🎓 <b>', long(10_000)) }
const toggle: Bounds = { outside: ['on', 1, 0, 'true'], edges: same(true, false) }
const count: Bounds = { outside: [-1, 1.5, '3', MAX_INT + 1], edges: same(0, MAX_INT) }
const amount: Bounds = { outside: [-1, -0.01, '3'], edges: same(0, 0.5, 1_000_000) }
const media: Bounds = { outside: [-1, 1.5, MAX_INT + 1, 'x'], edges: [...same(1, MAX_INT), [null, 0]] }
const terms: Bounds = { outside: [[0], [-1], [1.5], [7, -7], ['x'], [MAX_INT + 1]], edges: same([], [1, MAX_INT]) }
const reference = (type: string, other: string): Bounds => ({
  outside: [-1, '-1', 1.5, 'x', '', String(MAX_INT + 1), globalId(other, 7), globalId(type, 0)],
  edges: [
    [1, 1],
    [String(MAX_INT), MAX_INT],
    [globalId(type, 7), 7],
  ],
})
const members = (members: Readonly<Record<string, string>>): Bounds => ({
  outside: ['NOPE', 'UNKNOWN', '', ...Object.values(members).filter((wire) => !(wire in members)), 1],
  edges: Object.entries(members),
})
const open = members({ OPEN: 'open', CLOSED: 'closed' })

/** By the name of the field in the specification; by its type before it where types differ. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  date: {
    outside: ['2026-11-20', '2026-02-30T10:00:00', '2026-11-20T18:12:23Z', '0000-01-01T00:00:00', 'soon', '', 5],
    edges: [...same('0001-01-01T00:00:00', '9999-12-31T23:59:59', '2028-02-29T23:59:59'), [null, null]],
  },
  date_gmt: {
    outside: ['2026-11-20T18:12:23', '2026-02-30T10:00:00Z', '0000-06-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '', 5],
    edges: [
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00'],
      ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59'],
      ['2028-03-01T01:59:59+02:00', '2028-02-29T23:59:59'],
    ],
  },
  slug: {
    outside: [long(201), 'two words', 'a/b', 'a?b', 'a,b', '<b>', '%zz', 7],
    edges: same('', 'a', long(200), 'Übung-7_b', '%d1%83'),
  },
  status: members({
    PUBLISH: 'publish',
    FUTURE: 'future',
    DRAFT: 'draft',
    PENDING: 'pending',
    PRIVATE: 'private',
    GRADED: 'graded',
    NOT_GRADED: 'not_graded',
  }),
  password: { outside: [long(256), 7], edges: same('', long(255)) },
  title: anyText,
  content: anyText,
  template: anyText,
  parent: reference('Group', 'Course'),
  author: reference('User', 'Group'),
  course: reference('Course', 'Lesson'),
  featured_media: media,
  meta: { outside: ['x', 5, true, ['x']], edges: same({}, { a: [1, { b: null }] }) },
  menu_order: count,
  categories: terms,
  tags: terms,
  lms_group_category: terms,
  lms_group_tag: terms,
  lms_course_category: terms,
  lms_course_tag: terms,
  lms_lesson_category: terms,
  lms_lesson_tag: terms,
  course_materials: anyText,
  course_price_type: { outside: [long(201), 'two words', 'a/b', 5], edges: same('a', long(200), 'open') },
  custom_button_label: anyText,
  custom_button_url: { outside: [5, ['x']], edges: same('', 'https://example.org/buy', '/checkout') },
  course_price: anyText,
  course_prerequisite_enabled: toggle,
  course_prerequisite: {
    outside: [[-1], ['x'], [7, globalId('Lesson', 7)], [1.5]],
    edges: [
      [[], []],
      [
        [1, String(MAX_INT), globalId('Course', 7)],
        [1, MAX_INT, 7],
      ],
    ],
  },
  course_prerequisite_compare: members({ ANY: 'ANY', ALL: 'ALL' }),
  course_points_enabled: toggle,
  course_points: amount,
  course_points_access: amount,
  course_disable_lesson_progression: toggle,
  expire_access: toggle,
  expire_access_days: amount,
  expire_access_delete_progress: toggle,
  quiz_materials: anyText,
  threshold: {
    outside: [7, 1.0001, -0.0001, -1, '0.8'],
    edges: [
      [0, '0'],
      [1, '1'],
      [0.8, '0.8'],
      [null, ''],
    ],
  },
  passingpercentage: {
    outside: [100.01, -0.01, -1, '80'],
    edges: [
      [0, '0'],
      [100, '100'],
      [99.5, '99.5'],
    ],
  },
  certificate: {
    outside: [-1, 1.5, MAX_INT + 1, 'x'],
    edges: [
      [1, '1'],
      [MAX_INT, String(MAX_INT)],
      [null, ''],
    ],
  },
  comment_status: open,
  ping_status: open,
  materials_enabled: toggle,
  materials: anyText,
  video_enabled: toggle,
  video_url: { outside: [5, ['x']], edges: same('', 'https://example.org/video') },
  video_shown: members({ BEFORE: 'BEFORE', AFTER: 'AFTER' }),
  video_auto_complete: toggle,
  video_auto_complete_delay: count,
  video_show_complete_button: toggle,
  video_auto_start: toggle,
  video_show_controls: toggle,
  video_focus_pause: toggle,
  video_resume: toggle,
  assignment_upload_enabled: toggle,
  assignment_upload_limit_extensions: {
    outside: [['.pdf'], ['p df'], ['pdf,zip'], [''], [' '], ['*'], [5]],
    edges: [
      [[], ''],
      [['pdf', '7z', 'DOCX'], 'pdf,7z,DOCX'],
    ],
  },
  assignment_upload_limit_size: {
    outside: ['33M', '33554433', '1G', '32769K', '0', '0M', '-1', '1.5M', 'big', '8 M', '8MB', 32],
    edges: same('', '1', '32M', '33554432', '32768K', '500k'),
  },
  assignment_upload_limit_count: count,
  assignment_points_enabled: toggle,
  assignment_points_amount: count,
  assignment_auto_approve: toggle,
  assignment_deletion_enabled: toggle,
  forced_timer_enabled: toggle,
  forced_timer_amount: count,
  is_sample: toggle,
  visible_type: members({ VISIBLE_AFTER: 'visible_after', VISIBLE_AFTER_SPECIFIC_DATE: 'visible_after_specific_date' }),
  visible_after: count,
  visible_after_specific_date: {
    outside: ['2026-02-30', '2026-11-20T10:00:00', '0000-01-01', '20.11.2026', '', 5],
    edges: same('0001-01-01', '9999-12-31', '2028-02-29'),
  },
}

const wireOf = ({ wire }: Column): string => wire.split('.')[0] as string
const FIELDS = Object.entries(TYPES).flatMap(([type, columns]) =>
  writable(columns).map(([name, column]) => [type, name, wireOf(column)] as const),
)

let site: FakeSite
let gateway: Served
const bodies: Record<string, unknown>[] = []

beforeAll(async () => {
  site = await FakeSite.start(async (request, response) => {
    bodies.push(JSON.parse(await textOf(request)) as Record<string, unknown>)
    json(response, { id: 7, title: { rendered: 'x', raw: 'x' } })
  })
  gateway = await serve({ site: { url: site.url }, protection: { retries: 0 } })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** Writes one field. Returns the result of the mutation, and the body it sent. */
async function write(mutation: 'create' | 'update', type: string, field: string, value: unknown) {
  bodies.length = 0
  const said = '__typename ... on LmsError { code } ... on InvalidInputError { fields { field message } }'
  const query = `mutation ($input: ${mutation === 'create' ? 'Create' : 'Update'}${type}Input!) { result: ${mutation}${type}(input: $input) { ${said} } }`
  const input = { ...(mutation === 'update' && { id: 7 }), [field]: value }
  const response = await gateway.post({ query, variables: { input } }, { authorization: 'Basic YTpi' })
  const { data, errors = [] } = (await response.json()) as { data?: any; errors?: { extensions: { code: string } }[] }
  return { result: data?.result, errors, sent: [...bodies] }
}

describe('bounds', () => {
  it('are tested for every field of every body', () => {
    const counted = Object.fromEntries(Object.keys(TYPES).map((type) => [type, FIELDS.filter(([of]) => of === type).length]))
    expect(Object.keys(BOUNDS).sort()).toEqual([...new Set(Object.keys(TYPES).flatMap((type) => bodyFields[type] as string[]))].sort())
    // The two others, `force` and `course_ids`, are not columns: `test/operations/bad-mutations.test.ts` has them.
    expect(Object.values(counted).reduce((sum, fields) => sum + fields, 0) + 2).toBe(109)
  })

  it.each(FIELDS)('of %s.%s are enforced before any call', async (type, field, wire) => {
    const { outside, edges } = BOUNDS[wire] as Bounds
    for (const mutation of ['create', 'update'] as const) {
      for (const value of outside) {
        const { result, errors, sent } = await write(mutation, type, field, value)
        expect([value, sent]).toEqual([value, []])
        if (errors.length > 0) expect([value, errors[0]?.extensions.code]).toEqual([value, 'BAD_USER_INPUT'])
        else
          expect([value, result]).toMatchObject([
            value,
            {
              __typename: 'InvalidInputError',
              code: 'BAD_USER_INPUT',
              fields: [{ field, message: expect.stringMatching(/\b(must|at most|does not|can't|holds)\b/) }],
            },
          ])
      }
      for (const [value, expected] of edges) {
        const { result, errors, sent } = await write(mutation, type, field, value)
        expect([value, errors, result?.fields]).toEqual([value, [], undefined])
        expect(sent).toEqual([{ [wire]: expected }])
      }
    }
  })
})
