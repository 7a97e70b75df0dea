import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/settings/config.js'
import { siteOf } from '../../src/settings/site.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'

const URL = 'https://example.org/wp-json'

/** The site that flags describe. */
function siteFor(...flags: string[]): Site {
  const result = readConfig([`--upstream=${URL}`, ...flags], {})
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return siteOf(result.config)
}

const presets = Object.entries(PRESETS)

describe('siteOf', () => {
  it('is that of the specification by default', () => {
    expect(siteFor()).toEqual(defineSite(URL))
  })

  it.each(presets)('follows a preset: %s', (name, names) => {
    const site = siteFor(`--preset=${name}`)
    expect(site).toEqual(defineSite(URL, names))
    expect(Object.isFrozen(site)).toBe(true)
  })

  const { namespaces } = defineSite(URL)

  // On every preset: what is set wins, and nothing else changes.
  it.each<[string[], (preset: Site) => Partial<Site>]>([
    [['--namespace-v1=a/v1'], (preset) => ({ namespaces: { ...preset.namespaces, v1: 'a/v1' } })],
    [['--namespace-v2=b'], (preset) => ({ namespaces: { ...preset.namespaces, v2: 'b' } })],
    [['--namespace-v1=lms/v1', '--namespace-v2=lms/v2'], () => ({ namespaces })],
    [['--base-groups=x'], () => ({ segments: { groups: 'x' } })],
    [['--base-courses=x'], () => ({ segments: { 'sfwd-courses': 'x' } })],
    [['--base-quizzes=x'], () => ({ segments: { 'sfwd-quiz': 'x' } })],
    [['--base-lessons=x'], () => ({ segments: { 'sfwd-lessons': 'x' } })],
    [['--base-questions=x'], () => ({ segments: { 'sfwd-questions': 'x' } })],
    [['--base-users=x'], () => ({ segments: { users: 'x' } })],
    [['--base-progress=x'], () => ({ segments: { 'course-progress': 'x' } })],
    [['--base-price-types=x'], () => ({ segments: { 'price-types': 'x' } })],
    [['--base-group-courses=x'], () => ({ segments: { courses: 'x' } })],
    [['--base-users=x', '--base-groups=y'], () => ({ segments: { users: 'x', groups: 'y' } })],
    [['--term-prefix=school_'], () => ({ termPrefix: 'school_' })],
    [['--field-filter=only'], () => ({ fieldFilter: 'only' })],
    [['--field-filter=none'], () => ({ fieldFilter: null })],
    [['--page-cap=50'], () => ({ pageCap: 50 })],
    [['--page-size-params=number,size'], () => ({ pageSizeParams: ['number', 'size'] })],
    [['--page-size-params=none'], () => ({ pageSizeParams: [] })],
    [['--unbatched=groups,courses,lessons,quizzes'], () => ({ unbatched: ['Group', 'Course', 'Lesson', 'Quiz'] })],
    [['--unbatched=none'], () => ({ unbatched: [] })],
    [['--question-quiz=id'], ({ unusableColumns: [] }) => ({ unusableColumns: others })],
    [['--question-quiz=engine'], ({ unusableColumns: unusable }) => ({ unusableColumns: ['Question.quizId'] })],
    [['--pay-now-spelling=buynow'], () => ({ payNowSpelling: 'buynow' })],
    [['--viewer-route'], () => ({ viewerRoute: true })],
    [['--viewer-route=false'], () => ({ viewerRoute: false })],
    [['--time-zone=Europe/Berlin'], () => ({ timeZone: 'Europe/Berlin' })],
    [['--time-zone=-03:30'], () => ({ timeZone: '-03:30' })],
    [['--progress-steps'], () => ({ progressSteps: true })],
    [['--progress-steps=false'], () => ({ progressSteps: false })],
    [['--open-progression=enforced'], () => ({ openProgression: 'enforced' })],
    [['--open-progression=ignored'], () => ({ openProgression: 'ignored' })],
    [['--missing-prerequisites=required'], () => ({ missingPrerequisites: 'required' })],
    [['--missing-prerequisites=ignored'], () => ({ missingPrerequisites: 'ignored' })],
    [['--bypassing-users=1, 2'], () => ({ bypassingUsers: [1, 2] })],
    [['--bypassing-users=none'], () => ({ bypassingUsers: [] })],
    [['--ignored-filters=v1/groups include'], () => ({ ignoredFilters: ['v1/groups include'] })],
    [['--ignored-filters=none'], () => ({ ignoredFilters: [] })],
    [['--dropped-filters=v1/sfwd-quiz course'], () => ({ droppedFilters: ['v1/sfwd-quiz course'] })],
    [['--dropped-filters=none'], () => ({ droppedFilters: [] })],
    [['--unfiltered-routes=v1/groups'], () => ({ unfilteredRoutes: ['v1/groups'] })],
    [['--unfiltered-routes=none'], () => ({ unfilteredRoutes: [] })],
    [['--missing-columns=A.x,B.x,A.y'], () => ({ missingColumns: ['A.x', 'A.y', 'B.x'] })],
    [['--missing-columns=none'], () => ({ missingColumns: [] })],
  ])('is changed by %j', (flags, changed) => {
    for (const [name] of presets) {
      const preset = siteFor(`--preset=${name}`)
      expect(siteFor(`--preset=${name}`, ...flags)).toEqual({ ...preset, ...changed(preset) })
    }
  })

  it('can turn one preset into the other, except for properties without a setting', () => {
    const flags = [
      '--namespace-v1=ldlms/v1',
      '--namespace-v2=ldlms/v2',
      '--term-prefix=ld_',
      '--field-filter=_fields',
      '--unbatched=quizzes',
    ]
    const more = [
      '--unfiltered-routes=v2/price-types',
      '--page-size-params=posts_per_page',
      '--question-quiz=engine',
      '--pay-now-spelling=buynow',
      '--viewer-route',
      '--progress-steps',
      '--open-progression=unknown',
      '--missing-prerequisites=unknown',
    ]
    const {
      ignoredFilters: ignored,
      droppedFilters: dropped,
      missingColumns: lacking,
      viewOnly,
      emptyUntold,
      unusableColumns: unusable,
    } = siteFor('--preset=learndash')
    const found = [
      `--ignored-filters=${ignored.join()}`,
      `--dropped-filters=${dropped.join()}`,
      `--missing-columns=${Object.entries(lacking).flatMap(([type, columns]) => columns.map((column) => `${type}.${column}`))}`,
    ]
    const site = siteFor(...flags, ...more, ...found)
    // The dates of courses have no setting.
    const { Course: dates, ...others } = site.unusableColumns
    expect(dates).toEqual(['startDate', 'endDate', 'seatsLimit'])
    expect(others).toEqual(unusable)
    expect({ ...site, viewOnly, emptyUntold, unusable }).toEqual(siteFor('--preset=learndash'))
  })

  it('does not change presets', () => {
    const before = JSON.stringify(PRESETS)
    siteFor('--preset=learndash', '--question-quiz=engine', '--base-groups=x', '--missing-columns=GroupCourse.link')
    expect(JSON.stringify(PRESETS)).toBe(before)
  })

  it('has the given address, and requires one', () => {
    const result = readConfig(['--preset=learndash'], {})
    if (result.kind !== 'config') throw new Error(JSON.stringify(result))
    expect(siteOf(result.config, 'http://127.0.0.1:9/').url).toBe('http://127.0.0.1:9')
    expect(() => siteOf(result.config)).toThrow('`upstream` is not set')
  })
})
