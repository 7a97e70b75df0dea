import { describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

const LMS = PRESETS.lms as SiteNames
const FIELDS = 'startedAt completedAt dateStarted dateCompleted status'

/** The progress of a learner in front of a school with some switches and some names of the gateway. */
async function progressOf(switches: object, names: SiteNames, profile: 'lms' | 'learndash' = 'lms') {
  const world = await World.start({}, { profile, switches }, names)
  const { data, errors, calls } = await world.query(`{ user(id: 3) { courseProgress(first: 100) { nodes { ${FIELDS} } } } }`, {
    as: 'admin',
  })
  await world.close()
  expect(errors).toEqual([])
  return { nodes: data.user.courseProgress.nodes as Record<string, string | null>[], calls }
}

const isMoment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const hours = (of: Record<string, string | null>): number =>
  (Date.parse(`${of.dateStarted}Z`) - Date.parse(of.startedAt as string)) / 3_600_000

describe('startedAt and completedAt of a progress', () => {
  it('are null where the time zone of the site is not known', async () => {
    const { nodes } = await progressOf({}, LMS)
    expect(nodes.some(({ dateStarted }) => dateStarted !== null)).toBe(true)
    for (const { startedAt, completedAt } of nodes) expect([startedAt, completedAt]).toEqual([null, null])
  })

  it.each([
    ['Europe/Berlin', [1, 2]],
    ['+05:30', [5.5]],
    ['-03:00', [-3]],
    ['UTC', [0]],
  ])('are UTC in the zone %s, and null where nothing began or ended', async (timeZone, offsets) => {
    const { nodes, calls } = await progressOf({}, { ...LMS, timeZone })
    expect(nodes.filter(({ completedAt }) => completedAt !== null).length).toBeGreaterThan(1)
    for (const node of nodes) {
      expect([node.startedAt, node.completedAt]).toEqual([node.dateStarted && isMoment, node.dateCompleted && isMoment])
      if (node.startedAt !== null) expect(offsets).toContain(hours(node))
    }
    expect(calls).toHaveLength(1)
  })

  it('are the times in GMT where the site sends them, whatever its time zone is', async () => {
    const { nodes } = await progressOf({ gmtDates: true }, LMS)
    const { nodes: inZone } = await progressOf({ gmtDates: true }, { ...LMS, timeZone: '+05:30' })
    const begun = nodes.filter(({ dateStarted }) => dateStarted !== null)
    expect(begun.length).toBeGreaterThan(2)
    for (const node of begun) expect([[1, 2].includes(hours(node)), node.completedAt]).toEqual([true, node.dateCompleted && isMoment])
    expect(inZone).toEqual(nodes)
  })

  it('are null on LearnDash 4, whose dates are not in the zone of the site', async () => {
    const { nodes } = await progressOf({}, { ...PRESETS.learndash, timeZone: 'Europe/Berlin' }, 'learndash')
    expect(nodes.some(({ dateStarted }) => dateStarted !== null)).toBe(true)
    expect(new Set(nodes.flatMap(({ startedAt, completedAt }) => [startedAt, completedAt]))).toEqual(new Set([null]))
  })

  it('ask the site for the two dates only when they are selected', async () => {
    const site = await FakeSite.start((_, response) =>
      json(response, [{ course: 7, date_started: 'soon', date_started_gmt: '2026-11-20T18:12:23' }]),
    )
    const gateway = await serve({ site: { url: site.url } })
    const ask = async (fields: string) => {
      const response = await gateway.post(
        { query: `{ user(id: 3) { courseProgress { nodes { ${fields} } } } }` },
        { authorization: 'Basic YTpi' },
      )
      return ((await response.json()) as any).data.user.courseProgress.nodes[0]
    }
    expect(await ask('startedAt completedAt')).toEqual({ startedAt: '2026-11-20T18:12:23Z', completedAt: null })
    expect(await ask('status')).toEqual({ status: null })
    const [dates, status] = site.paths.map((path) => new URL(path, site.url).searchParams.get('_filter')?.split(','))
    expect(dates?.filter((name) => name.startsWith('date'))).toEqual([
      'date_completed',
      'date_completed_gmt',
      'date_started',
      'date_started_gmt',
    ])
    expect(status?.filter((name) => name.startsWith('date'))).toEqual([])
    await gateway.close()
    await site.close()
  })
})
