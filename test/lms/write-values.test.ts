import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { complaints, type Json, outcome, ROUTES, useLms } from './world.js'

const { get, write, create } = useLms()

type Type = keyof typeof ROUTES

const IN = { type: 'rest_invalid_type', bounds: 'rest_out_of_bounds', enum: 'rest_not_in_enum', long: 'rest_too_long' } as const
const { type: TYPE, bounds: BOUNDS, enum: ENUM, long: LONG } = IN
const PATTERN = 'rest_invalid_pattern'
const DATE = 'rest_invalid_date'
const TERM = 'rest_term_invalid'
const ID = 'rest_post_invalid_id'

/** Invalid values and their error codes, by field. */
const REFUSED: Readonly<Record<Type, Readonly<Record<string, readonly (readonly [value: unknown, code: string])[]>>>> = {
  Group: {
    parent: [
      ['x', TYPE],
      [1.5, TYPE],
      [true, TYPE],
      [null, TYPE],
      [[1003], TYPE],
      [-1, BOUNDS],
      [77, ID],
      [10_001, ID],
    ],
    author: [
      [0, 'rest_invalid_author'],
      [99, 'rest_invalid_author'],
      ['me', TYPE],
      [null, TYPE],
    ],
    status: [
      ['trash', ENUM],
      ['any', ENUM],
      ['', ENUM],
      [1, TYPE],
      [null, TYPE],
    ],
    date: [
      ['2024-01-01', DATE],
      ['yesterday', DATE],
      ['2024-13-01T00:00:00', DATE],
      ['9999-12-31T23:59:59-12:00', DATE],
      ['', DATE],
      [1_700_000_000, TYPE],
    ],
    date_gmt: [
      ['2023-02-29T00:00:00', DATE],
      [false, TYPE],
    ],
    slug: [
      [12, TYPE],
      ['x'.repeat(201), LONG],
    ],
    password: [
      [{}, TYPE],
      ['é'.repeat(128), LONG],
    ],
    title: [['x'.repeat(65_536), LONG]],
    template: [
      [['a'], TYPE],
      ['x'.repeat(65_536), LONG],
    ],
    meta: [
      ['x', TYPE],
      [[1], TYPE],
      [null, TYPE],
      [3, TYPE],
    ],
    categories: [
      ['red', TYPE],
      [[1.5], TYPE],
      [{ a: 1 }, TYPE],
      [null, TYPE],
      [[0], BOUNDS],
      [[700_001, 77], TERM],
    ],
    tags: [[[700_001], TERM]],
    lms_group_category: [[[700_035], TERM]],
    lms_group_tag: [['700031', TERM]],
    featured_media: [
      [-1, BOUNDS],
      ['', TYPE],
      [2_147_483_648, BOUNDS],
    ],
  },
  Course: {
    menu_order: [
      ['first', TYPE],
      [-2_147_483_649, BOUNDS],
    ],
    course_price_type: [
      ['sold', ENUM],
      ['', ENUM],
      [true, TYPE],
      [null, TYPE],
    ],
    course_prerequisite_compare: [['any', ENUM]],
    course_prerequisite_enabled: [
      ['on', TYPE],
      ['', TYPE],
      ['yes', TYPE],
      [2, TYPE],
      [null, TYPE],
      [[], TYPE],
    ],
    expire_access: [['off', TYPE]],
    course_prerequisite: [
      [['x'], TYPE],
      [[-1], BOUNDS],
      [true, TYPE],
      [null, TYPE],
    ],
    course_points: [
      ['many', TYPE],
      [true, TYPE],
      [-0.5, BOUNDS],
      [null, TYPE],
      [1e12, BOUNDS],
    ],
    course_points_access: [[[1], TYPE]],
    expire_access_days: [
      [1.5, TYPE],
      [-1, BOUNDS],
      [null, TYPE],
    ],
    course_price: [[25, TYPE]],
    course_materials: [[{ raw: 'x' }, TYPE]],
    custom_button_url: [[false, TYPE]],
    lms_course_tag: [[[700_015], TERM]],
  },
  Quiz: {
    certificate: [
      [12, TYPE],
      ['x', TYPE],
      ['-1', TYPE],
      ['1.5', TYPE],
      ['99999999999', BOUNDS],
    ],
    threshold: [[0.8, TYPE]],
    passingpercentage: [[80, TYPE]],
    quiz_materials: [[[], TYPE]],
  },
  Lesson: {
    comment_status: [
      ['maybe', ENUM],
      [true, TYPE],
    ],
    ping_status: [['', ENUM]],
    video_shown: [['before', ENUM]],
    visible_type: [
      ['later', ENUM],
      [null, TYPE],
    ],
    video_auto_complete_delay: [
      [-1, BOUNDS],
      ['', TYPE],
      [null, TYPE],
    ],
    assignment_upload_limit_count: [
      [-1, BOUNDS],
      ['2.5', TYPE],
    ],
    assignment_points_amount: [[-5, BOUNDS]],
    forced_timer_amount: [['1h', TYPE]],
    visible_after: [[-3, BOUNDS]],
    visible_after_specific_date: [
      ['2023-02-29', DATE],
      ['2024-1-1', DATE],
      ['2024-01-01T00:00:00', DATE],
      [0, TYPE],
    ],
    assignment_upload_limit_size: [
      ['33M', BOUNDS],
      ['1G', BOUNDS],
      ['32769K', BOUNDS],
      ['0M', BOUNDS],
      ['big', PATTERN],
      ['1.5M', PATTERN],
      ['-1M', PATTERN],
      ['32 M', PATTERN],
      [32, TYPE],
    ],
    assignment_upload_limit_extensions: [
      ['.pdf', PATTERN],
      ['pdf;docx', PATTERN],
      ['pdf,,docx', PATTERN],
      [['pdf'], TYPE],
    ],
    course: [
      [77, ID],
      [1001, ID],
      [-1, BOUNDS],
      [null, TYPE],
    ],
    is_sample: [['TRU', TYPE]],
    lms_lesson_category: [[[700_027], TERM]],
  },
}

const TYPES = Object.keys(ROUTES) as Type[]

describe.each(TYPES)('invalid values of a %s', (type) => {
  const fields = Object.entries(REFUSED[type])

  it.each(fields)('%s', async (name, values) => {
    const { id } = await create(ROUTES[type])
    for (const [value, code] of values) {
      const body = { [name]: value }
      for (const answer of [await write('POST', ROUTES[type], body), await write('PATCH', `${ROUTES[type]}/${id}`, body)]) {
        expect([value, outcome(answer), complaints(answer)]).toEqual([value, '400 rest_invalid_param', { [name]: code }])
        if (code !== DATE) expect(answer.body.data.params[name]).toContain(name)
        expect(answer.body.data.params[name]).toBe(answer.body.data.details[name].message)
      }
    }
  })

  it('are all named at once, and change nothing', async () => {
    const { id } = await create(ROUTES[type], { title: 'Untouched' })
    const before = (await get(`${ROUTES[type]}/${id}?context=edit`)).text
    const bad = Object.fromEntries(fields.map(([name, [first]]) => [name, first![0]]))
    const answer = await write('PUT', `${ROUTES[type]}/${id}`, { title: 'Touched', ...bad })
    expect(complaints(answer)).toEqual(Object.fromEntries(fields.map(([name, [first]]) => [name, first![1]])))
    expect(answer.body.message).toMatch(/^Invalid parameter\(s\): /)
    for (const [name] of fields) expect(answer.body.message).toContain(name)
    expect(Object.keys(answer.body.data.params)).toEqual(Object.keys(answer.body.data.details))
    expect((await get(`${ROUTES[type]}/${id}?context=edit`)).text).toBe(before)
  })
})

describe('valid values', () => {
  const kept = async (type: Type, body: Json): Promise<Json> => {
    const { id } = await create(ROUTES[type], body)
    return (await get(`${ROUTES[type]}/${id}?context=edit`)).body
  }

  it('are booleans in all their forms', async () => {
    for (const value of [true, 1, '1', 'true', 'TRUE']) {
      expect((await kept('Lesson', { is_sample: value })).is_sample).toBe(true)
      expect((await kept('Course', { expire_access: value })).expire_access).toBe('on')
    }
    for (const value of [false, 0, '0', 'false']) expect((await kept('Lesson', { is_sample: value })).is_sample).toBe(false)
  })

  it('are lists as arrays, texts with commas and one number', async () => {
    for (const value of [[10_001, '10002'], '10001,10002', '10001, 10002', [10_001, 10_002, 10_001]]) {
      expect((await kept('Course', { course_prerequisite: value })).course_prerequisite).toEqual([10_001, 10_002])
    }
    for (const value of ['', [], ['']]) expect((await kept('Course', { course_prerequisite: value })).course_prerequisite).toEqual([])
    expect((await kept('Course', { tags: 700_009 })).tags).toEqual([700_009])
  })

  it('are upload limits up to 32M', async () => {
    for (const size of ['32M', '32m', '500K', '1024', '33554432', '32768k', '']) {
      expect((await kept('Lesson', { assignment_upload_limit_size: size })).assignment_upload_limit_size).toBe(size)
    }
    expect((await kept('Lesson', { assignment_upload_limit_extensions: 'PDF, mp4 ,7z' })).assignment_upload_limit_extensions).toBe(
      'PDF, mp4 ,7z',
    )
  })

  it('are null, which clears texts', async () => {
    const texts = { course_price: null, course_materials: null, custom_button_label: null, password: null, template: null, slug: null }
    expect(await kept('Course', texts)).toMatchObject({ course_price: '', course_materials: '', password: '', template: '', slug: '' })
    expect(await kept('Quiz', { certificate: null, threshold: null })).toMatchObject({ certificate: '', threshold: '' })
    expect(await kept('Lesson', { visible_after_specific_date: null })).toMatchObject({ visible_after_specific_date: '' })
  })

  it('are texts of any characters except NUL', async () => {
    const raw = `'"\\ <b>&amp;</b> ${String.fromCharCode(0)}\t\n𝒳 ÄÖ \u2028 日本語 %_; DROP TABLE lessons --`
    const record = await kept('Lesson', { title: raw, content: raw, materials: raw, meta: { [raw]: raw } })
    const clean = raw.replaceAll('\0', '')
    expect([record.title.raw, record.content.raw, record.materials, record.meta]).toEqual([clean, clean, clean, { [raw]: raw }])
    const names = '{"__proto__":{"a":1},"constructor":2}'
    expect(JSON.stringify((await kept('Lesson', { meta: JSON.parse(names) })).meta)).toBe(names)
  })

  it('are long texts', async () => {
    const raw = 'ä'.repeat(1_000_000)
    expect((await kept('Lesson', { content: raw })).content.raw).toBe(raw)
    expect((await kept('Quiz', { title: 'x'.repeat(65_535), slug: 's'.repeat(200), password: 'p'.repeat(255) })).slug).toHaveLength(200)
  })

  it('with many combining marks take no longer', async () => {
    const time = async (marks: string): Promise<number> => {
      const raw = marks.repeat(Math.floor(60_000 / marks.length))
      const start = performance.now()
      await kept('Group', { title: raw, content: raw.repeat(10), status: 'publish' })
      return performance.now() - start
    }
    const plain = await time('x')
    for (const marks of ['<', '<!-- wp:', '&', '&#', '"', '- '])
      expect([marks, (await time(marks)) < 2000 + 10 * plain]).toEqual([marks, true])
  })
})

describe('a group', () => {
  it('cannot be below itself', async () => {
    const top = await create(ROUTES.Group, { title: 'Top' })
    const middle = await create(ROUTES.Group, { parent: top.id })
    const low = await create(ROUTES.Group, { parent: middle.id })
    for (const parent of [top.id, middle.id, low.id]) {
      const answer = await write('PATCH', `${ROUTES.Group}/${top.id}`, { parent })
      expect([parent, complaints(answer)]).toEqual([parent, { parent: ID }])
    }
    expect((await write('PATCH', `${ROUTES.Group}/${low.id}`, { parent: top.id })).body.parent).toBe(top.id)
    expect((await write('PATCH', `${ROUTES.Group}/${top.id}`, { parent: SAMPLES.draftGroup })).status).toBe(200)
  })
})
