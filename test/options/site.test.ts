import { describe, expect, it } from 'vitest'
import { PRESETS, siteOf } from '../../src/upstream/site/presets.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { optionsOf, programOf } from './setup.js'

const URL = 'https://example.org/wp-json'

/** The site that flags describe. */
function siteFor(...flags: string[]): Site {
  return siteOf(optionsOf([`--upstream=${URL}`, ...flags]).options.site)
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
    [['--namespaces=v1=a/v1'], (preset) => ({ namespaces: { ...preset.namespaces, v1: 'a/v1' } })],
    [['--namespaces=v2=b'], (preset) => ({ namespaces: { ...preset.namespaces, v2: 'b' } })],
    [['--namespaces=v1=lms/v1,v2=lms/v2'], () => ({ namespaces })],
    [['--segments=groups=x'], () => ({ segments: { groups: 'x' } })],
    [['--segments=users=x,course-progress=y'], () => ({ segments: { users: 'x', 'course-progress': 'y' } })],
    [['--segments=none'], () => ({ segments: {} })],
    [['--term-prefix=school_'], () => ({ termPrefix: 'school_' })],
    [['--field-filter=only'], () => ({ fieldFilter: 'only' })],
    [['--field-filter=none'], () => ({ fieldFilter: null })],
    [['--page-cap=50'], () => ({ pageCap: 50 })],
    [['--page-size-params=number,size'], () => ({ pageSizeParams: ['number', 'size'] })],
    [['--page-size-params=none'], () => ({ pageSizeParams: [] })],
    [['--unbatched=Group,Quiz'], () => ({ unbatched: ['Group', 'Quiz'] })],
    [['--unbatched=none'], () => ({ unbatched: [] })],
    [['--unusable-columns=Question.quizId'], () => ({ unusableColumns: ['Question.quizId'] })],
    [['--unusable-columns=none'], () => ({ unusableColumns: [] })],
    [['--pay-now-spelling=buynow'], () => ({ payNowSpelling: 'buynow' })],
    [['--site-routes=users/me, terms'], () => ({ routes: ['users/me', 'terms'] })],
    [['--site-routes=none'], () => ({ routes: [] })],
    [['--time-zone=Europe/Berlin'], () => ({ timeZone: 'Europe/Berlin' })],
    [['--time-zone=-03:30'], () => ({ timeZone: '-03:30' })],
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
    [['--missing-columns=A.x,B.x,A.y'], () => ({ missingColumns: ['A.x', 'B.x', 'A.y'] })],
    [['--missing-columns=none'], () => ({ missingColumns: [] })],
  ])('is changed by %j', (flags, changed) => {
    for (const [name] of presets) {
      const preset = siteFor(`--preset=${name}`)
      expect(siteFor(`--preset=${name}`, ...flags)).toEqual({ ...preset, ...changed(preset) })
    }
  })

  it('can turn one preset into the other, except for properties without an option', () => {
    const learndash = siteFor('--preset=learndash')
    const { namespaces: names, viewOnly, emptyUntold } = learndash
    const flags = [
      `--namespaces=v1=${names.v1},v2=${names.v2}`,
      '--term-prefix=ld_',
      '--field-filter=_fields',
      '--unbatched=Quiz',
      '--unfiltered-routes=v2/price-types',
      '--page-size-params=posts_per_page',
      '--pay-now-spelling=buynow',
      '--site-routes=users/me,users,media,terms,users/course-progress/steps',
      '--open-progression=unknown',
      '--missing-prerequisites=unknown',
      `--ignored-filters=${learndash.ignoredFilters}`,
      `--dropped-filters=${learndash.droppedFilters}`,
      `--missing-columns=${learndash.missingColumns}`,
      `--unusable-columns=${learndash.unusableColumns}`,
    ]
    expect({ ...siteFor(...flags), viewOnly, emptyUntold }).toEqual(learndash)
  })

  it('does not change presets', () => {
    const before = JSON.stringify(PRESETS)
    siteFor('--preset=learndash', '--segments=groups=x', '--missing-columns=GroupCourse.link')
    expect(JSON.stringify(PRESETS)).toBe(before)
  })

  it('has the given address, and requires one', () => {
    const { site } = optionsOf(['--preset=learndash']).options
    expect(siteOf(site, 'http://127.0.0.1:9/').url).toBe('http://127.0.0.1:9')
    expect(() => siteOf(site)).toThrow('`site.url` is not set')
  })
})

it.each(presets)(
  'the preset %s has values that its options accept',
  (name, { namespaces: _, viewOnly: __, emptyUntold: ___, ...names }: any) => {
    expect(programOf({ site: { url: URL, preset: name, ...names } }).site).toMatchObject(names)
  },
)
