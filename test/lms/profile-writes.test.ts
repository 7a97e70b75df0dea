import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { Switched } from './quirks.js'

const site = new Switched()

site.quirk('3.3: `course` of lessons is ignored in bodies', { sharedSteps: true }, async (ask) => {
  const { body } = await ask.write('POST', 'v2/sfwd-lessons', { title: 'Attached?', course: 10_001 })
  const ids = await ask.ids('v2/sfwd-lessons?course=10001&status=any&per_page=100')
  const [, second] = ids
  const kept = (await ask.write('PATCH', `v2/sfwd-lessons/${second}`, { course: 10_002 })).body
  const after = await ask.ids('v2/sfwd-lessons?course=10001&status=any&per_page=100')
  await ask(`v2/sfwd-lessons/${body.id}?force=true`, 'admin', { method: 'DELETE' })
  if (!after.includes(second!)) await ask.write('PATCH', `v2/sfwd-lessons/${second}`, { course: 10_001 })
  expect([body.course, kept.course, ids.includes(body.id), after]).toEqual([0, 0, false, ids])
})

site.quirk('1.4: release dates are ignored in bodies', { releaseDatesIgnored: true }, async (ask) => {
  for (const visible_after_specific_date of ['2030-05-01', '2030-05-01T10:00:00', 1_903_860_000]) {
    const given = { visible_type: 'visible_after_specific_date', visible_after_specific_date }
    const { status, body } = await ask.write('POST', 'v2/sfwd-lessons', given)
    await ask(`v2/sfwd-lessons/${body.id}?force=true`, 'admin', { method: 'DELETE' })
    expect([status, body.visible_type, ['', '0'].includes(body.visible_after_specific_date)]).toEqual([201, '', true])
  }
  const after = (await ask.write('POST', 'v2/sfwd-lessons', { visible_type: 'visible_after', visible_after: 3 })).body
  expect([after.visible_type, after.visible_after]).toEqual(['visible_after', 3])
})

site.quirk('3.3: codes for added courses have the prefix of the site', { codePrefix: 'learndash' }, async (ask) => {
  const path = `v2/groups/${SAMPLES.emptyGroup}/courses`
  const { status, body } = await ask.write('POST', path, { course_ids: [10_003, 10_003, 77] })
  expect([status, body.map(({ code }: { code: string }) => code)]).toEqual([
    200,
    [expect.stringMatching(/^learndash_rest_enroll_(success|failed)$/), 'learndash_rest_enroll_failed', 'learndash_rest_invalid_id'],
  ])
})

describe('3.3: bodies with the names of the site', () => {
  it('set taxonomies and loose values', async () => {
    const ask = await site.set({ profile: 'learndash' })
    const given = { title: 'Named', ld_course_tag: [700_019], course_price: '25', course_points: 2.5, course_points_enabled: true }
    const made = (await ask.write('POST', 'v1/sfwd-courses', given)).body
    expect([made.ld_course_tag, String(made.course_price), Number(made.course_points)]).toEqual([[700_019], '25', 2.5])
    const changed = (await ask.write('PATCH', `v1/sfwd-courses/${made.id}`, { ld_course_tag: [], course_prerequisite: [10_001] })).body
    expect([changed.ld_course_tag, changed.course_prerequisite.map(Number)]).toEqual([[], [10_001]])
    expect((await ask.write('PATCH', `v1/sfwd-courses/${made.id}`, { lms_course_tag: [700_019] })).body.ld_course_tag).toEqual([])
  })
})
