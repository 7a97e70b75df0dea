import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { contract, type Json, ROUTES, SITE, useLms } from './world.js'

const { get, list, write, create } = useLms()

type Type = keyof typeof ROUTES

/** A value in a body, and the value of the record where it differs. */
type Given = readonly [sent: unknown, read?: unknown]

const same = (values: Readonly<Record<string, unknown>>): Record<string, Given> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]))

const text = (raw: string) => expect.objectContaining({ raw })

/** Two different values for every body field. The second ones have other forms that bodies may have. */
const BASE: readonly [Record<string, Given>, Record<string, Given>] = [
  {
    ...same({ date: '2024-03-01T10:00:00', date_gmt: '2024-03-01T09:00:00', slug: 'written-once', status: 'publish', password: 'hush' }),
    ...same({ author: 5, template: 'wide.php' }),
    title: ['Written "once" & kept', text('Written "once" & kept')],
    content: ['<p>Körper 🌱</p>', text('<p>Körper 🌱</p>')],
  },
  {
    ...same({ date: '2024-07-01T10:00:00', date_gmt: '2024-07-01T08:00:00', status: 'private', password: '', template: '' }),
    slug: ['Written *Twice*: Öl', 'written-twice-ol'],
    author: ['6', 6],
    title: [{ raw: 'Twice' }, text('Twice')],
    content: [{ raw: '' }, text('')],
  },
]
const ordered = [same({ featured_media: 800_001, menu_order: -3 }), { featured_media: ['0', 0], menu_order: ['7', 7] }] as const
const open = [same({ comment_status: 'open', ping_status: 'open' }), same({ comment_status: 'closed', ping_status: 'closed' })] as const
const terms = (own: string, category: number, tag: number): readonly [Record<string, Given>, Record<string, Given>] => [
  same({ categories: [700_001, 700_002], tags: [700_008], [`lms_${own}_category`]: [category], [`lms_${own}_tag`]: [tag, tag + 1] }),
  {
    categories: ['700003', [700_003]],
    tags: ['700010,700009', [700_009, 700_010]],
    [`lms_${own}_category`]: [[String(category + 1)], [category + 1]],
    [`lms_${own}_tag`]: [[], []],
  },
]
const meta = [{ meta: [{ seats: 20, deep: { list: [1, 'two', null] } }] }, { meta: [[], {}] }] as const
const on = (names: readonly string[], read: unknown = true) => Object.fromEntries(names.map((name) => [name, [true, read] as const]))
const off = (names: readonly string[], read: unknown = false) => Object.fromEntries(names.map((name) => [name, ['false', read] as const]))

const TOGGLES = [
  'course_prerequisite_enabled',
  'course_points_enabled',
  'course_disable_lesson_progression',
  'expire_access',
  'expire_access_delete_progress',
]
const COURSE = [
  {
    ...same({
      course_materials: '<p>Book</p>',
      course_price_type: 'paynow',
      custom_button_label: 'Go',
      custom_button_url: 'https://a.example',
    }),
    ...same({ course_price: '49.95', course_prerequisite: [10_002, 99_999], course_prerequisite_compare: 'ALL' }),
    ...on(TOGGLES, 'on'),
    course_points: [2.5, '2.5'],
    course_points_access: [30, '30'],
    expire_access_days: [90, '90'],
  },
  {
    ...same({ course_materials: '', course_price_type: 'closed', custom_button_label: '', custom_button_url: '' }),
    course_price: [null, ''],
    course_prerequisite: ['', []],
    course_prerequisite_compare: ['ANY'],
    ...off(TOGGLES, ''),
    ...same({ course_points: '1.25', course_points_access: '', expire_access_days: '7' }),
  },
] as const
const QUIZ = [
  same({ quiz_materials: '<p>Notes</p>', threshold: '0.65', passingpercentage: '65.5', certificate: '850003' }),
  same({ quiz_materials: '', threshold: '0.9', passingpercentage: '90', certificate: '' }),
] as const
const FLAGS = [
  ...['materials_enabled', 'video_enabled', 'video_auto_complete', 'video_show_complete_button', 'video_auto_start'],
  ...['video_show_controls', 'video_focus_pause', 'video_resume', 'assignment_upload_enabled', 'assignment_points_enabled'],
  ...['assignment_auto_approve', 'assignment_deletion_enabled', 'forced_timer_enabled', 'is_sample'],
]
const LESSON = [
  {
    ...on(FLAGS),
    ...same({ materials: '<p>Sheet</p>', video_url: 'https://v.example/1.mp4', video_shown: 'AFTER', video_auto_complete_delay: 12 }),
    ...same({ assignment_upload_limit_extensions: 'pdf, docx', assignment_upload_limit_size: '32M', assignment_upload_limit_count: 4 }),
    ...same({ assignment_points_amount: 15, forced_timer_amount: 300, course: 10_003, visible_type: 'visible_after', visible_after: 14 }),
    visible_after_specific_date: ['2024-02-29'],
  },
  {
    ...off(FLAGS),
    ...same({
      materials: '',
      video_url: '',
      video_shown: 'BEFORE',
      assignment_upload_limit_extensions: '',
      assignment_upload_limit_size: '',
    }),
    ...same({ visible_type: '', visible_after_specific_date: '' }),
    video_auto_complete_delay: ['3', 3],
    assignment_upload_limit_count: ['0', 0],
    assignment_points_amount: ['1', 1],
    forced_timer_amount: [0],
    course: ['10004', 10_004],
    visible_after: [0],
  },
] as const

const GIVEN: Readonly<Record<Type, readonly Readonly<Record<string, Given>>[]>> = {
  Group: [0, 1].map((set) => ({
    ...BASE[set],
    ...terms('group', 700_031, 700_035)[set],
    ...meta[set],
    featured_media: ordered[set]!.featured_media!,
    parent: [[1003], ['0', 0]][set] as unknown as Given,
  })),
  Course: [0, 1].map((set) => ({ ...BASE[set], ...ordered[set], ...terms('course', 700_015, 700_019)[set], ...meta[set], ...COURSE[set] })),
  Quiz: [0, 1].map((set) => ({ ...BASE[set], ...ordered[set], ...QUIZ[set] })),
  Lesson: [0, 1].map((set) => ({
    ...BASE[set],
    ...ordered[set],
    ...open[set],
    ...terms('lesson', 700_023, 700_027)[set],
    ...meta[set],
    ...LESSON[set],
  })),
}

const bodyOf = (given: Readonly<Record<string, Given>>): Json =>
  Object.fromEntries(Object.entries(given).map(([name, [sent]]) => [name, sent]))
const recordOf = (given: Readonly<Record<string, Given>>): Json =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.length === 2 ? value[1] : value[0]]))

const TYPES = Object.keys(ROUTES) as Type[]

/** The record by its route. Checks that the list has the same record. */
async function read(type: Type, id: number): Promise<Json> {
  const one = (await get(`${ROUTES[type]}/${id}?context=edit`)).body
  expect(await list(`${ROUTES[type]}?include=${id}&status=any&context=edit`)).toEqual([one])
  return one
}

describe.each(TYPES)('%s', (type) => {
  const [first, second] = GIVEN[type] as [Record<string, Given>, Record<string, Given>]

  it('has values for all body fields in this test', () => {
    for (const given of [first, second]) expect(Object.keys(given).sort()).toEqual([...contract.bodyFields[type]!].sort())
  })

  it('stores every field on creation', async () => {
    const answer = await write('POST', ROUTES[type], bodyOf(first))
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${SITE}${ROUTES[type]}/${answer.body.id}`])
    expect(answer.body).toMatchObject(recordOf(first))
    expect(await read(type, answer.body.id)).toEqual(answer.body)
    expect(answer.body._links['wp:featuredmedia'][0].href).toContain('/media/800001')
    await write('DELETE', `${ROUTES[type]}/${answer.body.id}?force=true`)
  })

  it.each(['POST', 'PUT', 'PATCH'])('stores every field that %s changes', async (method) => {
    const { id } = await create(ROUTES[type], bodyOf(first))
    const answer = await write(method, `${ROUTES[type]}/${id}`, bodyOf(second))
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    expect(answer.body).toMatchObject(recordOf(second))
    expect(await read(type, id)).toEqual(answer.body)
    expect(answer.body._links['wp:featuredmedia']).toBeUndefined()
    await write('DELETE', `${ROUTES[type]}/${id}?force=true`)
  })

  it('changes one field and nothing else', async () => {
    const follow = ['modified', 'modified_gmt', 'class_list', '_links']
    const also: Readonly<Record<string, readonly string[]>> = {
      date: ['date_gmt'],
      date_gmt: ['date'],
      title: ['generated_slug'],
      slug: ['link'],
      password: ['content'],
    }
    const { id } = await create(ROUTES[type], bodyOf(first))
    let before = await read(type, id)
    // The date changes twice, by each of its two names.
    const given: Record<string, Given> = { ...second, date_gmt: ['2024-01-05T05:00:00Z', '2024-01-05T05:00:00'] }
    for (const [name, [sent]] of Object.entries(given)) {
      const after = (await write('PATCH', `${ROUTES[type]}/${id}`, { [name]: sent })).body
      const changed = Object.keys(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]))
      const expected = [name, ...(also[name] ?? [])]
      expect([name, changed.filter((key) => !follow.includes(key)).sort()]).toEqual([name, expected.sort()])
      before = after
    }
    expect(before).toMatchObject({ ...recordOf(given), date: '2024-01-05T06:00:00' })
    await write('DELETE', `${ROUTES[type]}/${id}?force=true`)
  })

  it('starts as an empty draft with the defaults', async () => {
    const made = await create(ROUTES[type])
    expect(made).toMatchObject({ status: 'draft', slug: '', author: 1, date: null, date_gmt: null, password: '', generated_slug: '' })
    expect([made.title, made.content]).toEqual([
      { rendered: '', raw: '' },
      { rendered: '', protected: false, raw: '', block_version: 0 },
    ])
    const defaults: Readonly<Record<Type, Json>> = {
      Group: { parent: 0, tags: [], meta: {} },
      Course: {
        course_price_type: 'open',
        course_prerequisite: [],
        course_prerequisite_compare: 'ANY',
        course_points: '',
        expire_access: '',
      },
      Quiz: { threshold: '0.8', passingpercentage: '80', certificate: '', menu_order: 0 },
      Lesson: { course: 0, video_shown: 'BEFORE', visible_type: '', assignment_upload_limit_count: 1, assignment_auto_approve: false },
    }
    expect(made).toMatchObject(defaults[type])
  })

  it('ignores read-only and unknown fields', async () => {
    const body = { guid: 'x', type: 'page', link: 'x', modified: '2001-01-01T00:00:00', modified_gmt: '2001-01-01T00:00:00', _links: {} }
    const made = await create(ROUTES[type], {
      ...body,
      class_list: ['x'],
      generated_slug: 'x',
      permalink_template: 'x',
      excerpt: 'x',
      revisions: 9,
    })
    const plain = await create(ROUTES[type])
    const without = ({ id: _id, guid: _guid, link: _link, modified: _m, modified_gmt: _g, class_list: _c, _links: _l, ...others }: Json) =>
      others
    expect(without(made)).toEqual(without(plain))
    expect(made.modified_gmt > '2024').toBe(true)
    const after = (await write('PATCH', `${ROUTES[type]}/${made.id}`, { id: 77, ...body, color: 'red' })).body
    expect(without(after)).toEqual(without(made))
    expect(after.id).toBe(made.id)
  })
})

describe('writes', () => {
  it('ignore title and content of other types', async () => {
    const { id } = await create(ROUTES.Course, { title: 'Kept', content: 'Kept too' })
    for (const value of [{ rendered: 'x' }, 5, true, [], ['x'], {}, { raw: 7 }]) {
      const { status, body } = await write('POST', `${ROUTES.Course}/${id}`, { title: value, content: value })
      expect([status, body.title.raw, body.content.raw]).toEqual([200, 'Kept', 'Kept too'])
    }
    const cleared = await write('POST', `${ROUTES.Course}/${id}`, { title: null, content: { raw: null } })
    expect([cleared.body.title.raw, cleared.body.content.raw]).toEqual(['', ''])
  })

  it('never reuse the id of any kind of record', async () => {
    const made: number[] = []
    for (const type of TYPES) made.push((await create(ROUTES[type])).id)
    expect(made).toEqual(made.map((_, index) => made[0]! + index))
    await write('DELETE', `${ROUTES.Lesson}/${made[3]}?force=true`)
    expect((await create(ROUTES.Group)).id).toBe(made[3]! + 1)
  })

  it('refuse to create a record with an id', async () => {
    const { status, body } = await write('POST', ROUTES.Quiz, { id: 300_001 })
    expect([status, body.code]).toEqual([400, 'rest_post_exists'])
  })

  it('select fields of the response like reads', async () => {
    const answer = await write('POST', `${ROUTES.Group}?_filter=id,title.raw`, { title: 'Narrow' })
    expect(answer.body).toEqual({ id: expect.any(Number), title: { raw: 'Narrow' } })
    expect((await write('PATCH', `${ROUTES.Group}/${answer.body.id}?_fields=slug,status`, {})).body).toEqual({ slug: '', status: 'draft' })
  })

  it('set the time of modification, and count revisions', async () => {
    const { id, _links: links } = await create(ROUTES.Course)
    expect(links['version-history'][0].count).toBe(0)
    const { body } = await write('PATCH', `${ROUTES.Course}/10005`, { course_price: '1' })
    expect(Math.abs(Date.parse(`${body.modified_gmt}Z`) - Date.now())).toBeLessThan(5000)
    expect(body.modified).not.toBe(body.modified_gmt)
    expect((await write('PATCH', `${ROUTES.Course}/${id}`, { title: 'x' })).body._links['version-history'][0].count).toBe(1)
  })

  it('of a course appear in the list of its group', async () => {
    const [course] = await list(`/lms/v2/groups/${SAMPLES.largeGroup}/courses?per_page=1`)
    const body = {
      course_points: 4.5,
      course_points_access: '',
      course_disable_lesson_progression: true,
      course_price_type: 'buynow',
      course_price: '7',
    }
    await write('PATCH', `${ROUTES.Course}/${course!.id}`, { ...body, course_prerequisite: ['10001', 10_002, 10_001] })
    const after = (await list(`/lms/v2/groups/${SAMPLES.largeGroup}/courses?include=${course!.id}`))[0]
    expect(after).toMatchObject({ points_amount: 4.5, points_access: 0, progression_disabled: true, price_type: 'paynow' })
    expect(after).toMatchObject({ price_type_paynow_price: '7', prerequisites: [10_001, 10_002] })
  })
})
