import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions, graphSchema, type SiteOptions, startGateway } from '../../src/index.js'
import { batchByIds, defineResource, postColumns, postList } from '../../src/kit.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { create } from '../support/served.js'

const URL = 'http://127.0.0.1:9'

const paperList = postList('Paper', {
  path: 'v2/papers',
  filters: { lesson: { kind: 'id', of: 'Lesson', param: 'lesson', description: 'Limits to papers of this lesson.' } },
  orders: {},
})

const papers = defineResource('papers', (builder) => {
  const { databaseId, content } = postColumns
  const Paper = builder.lmsNodeRef('Paper', { columns: { databaseId, content }, load: batchByIds(paperList) })
  Paper.implement({ description: 'A paper.' })
  builder.queryField('papers', (t) => t.lmsConnection(Paper, { list: paperList, description: 'Papers.' }))
})

/** The complaints about the names of a site. */
function complaintsOf(names: SiteOptions, others: Omit<GatewayOptions, 'site'> = {}): readonly string[] {
  try {
    void createGateway({ site: { url: URL, ...names }, ...others }).close()
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const { message } = error as TypeError
    expect(message).toMatch(/^createGateway: /)
    return message.slice('createGateway: '.length).split('\n')
  }
}

describe('names of a site', () => {
  it.each(Object.keys(PRESETS) as (keyof typeof PRESETS)[])('are known in the preset %s', (preset) => {
    expect(complaintsOf({ preset })).toEqual([])
  })

  it.each<[string, SiteOptions]>([
    ['a column of a list', { missingColumns: ['Course.title', 'GroupCourse.materials', 'GroupCourse.progressionDisabled'] }],
    ['a column of a record inside a record', { unusableColumns: ['Answer.points'] }],
    ['a filter and its opposite', { ignoredFilters: ['v1/groups parent', 'v1/groups parent_exclude'] }],
    ['ids of a list that only batches read', { droppedFilters: ['v2/users/:user/course-progress include'] }],
    ['a route by id', { unfilteredRoutes: ['v1/sfwd-courses/:id', 'v2/users/:user/course-progress/:course'] }],
    ['types that are read by ids', { unbatched: ['Group', 'Course', 'Lesson', 'Quiz'] }],
  ])('can be %s', (_, names) => {
    expect(complaintsOf(names)).toEqual([])
  })

  it.each<[string, SiteOptions, string]>([
    [
      'a column',
      { missingColumns: ['GroupCourse.material'] },
      '`site.missingColumns` has `GroupCourse.material`, which is not a column; did you mean `GroupCourse.materials`?',
    ],
    [
      'a type',
      { missingColumns: ['GroupCours.materials'] },
      '`site.missingColumns` has `GroupCours.materials`, which is not a column; did you mean `GroupCourse.materials`?',
    ],
    [
      'a column that is never null',
      { unusableColumns: ['Question.quiz_id'] },
      '`site.unusableColumns` has `Question.quiz_id`, which is not a column; did you mean `Question.quizId`?',
    ],
    [
      'a route of a filter',
      { ignoredFilters: ['v2/group/:id/courses include'] },
      '`site.ignoredFilters` has `v2/group/:id/courses include`, which is not a filter of a list; did you mean `v2/groups/:id/courses include`?',
    ],
    [
      'a parameter of a filter',
      { droppedFilters: ['v2/sfwd-lessons courses'] },
      '`site.droppedFilters` has `v2/sfwd-lessons courses`, which is not a filter of a list; did you mean `v2/sfwd-lessons course`?',
    ],
    [
      'a route',
      { unfilteredRoutes: ['v2/price-type'] },
      '`site.unfilteredRoutes` has `v2/price-type`, which is not a route; did you mean `v2/price-types`?',
    ],
    [
      'a type of batches',
      { unbatched: ['Groups'] },
      '`site.unbatched` has `Groups`, which is not a type that is read by `include`; did you mean `Group`?',
    ],
  ])('with %s misspelled are refused', (_, names, complaint) => {
    expect(complaintsOf(names)).toEqual([complaint])
  })

  it('of shapes that presets name are known', () => {
    const withShape = (shape: string) => create({ site: { url: URL }, tuning: { site: defineSite(URL, { viewOnly: [shape] }) } })
    void withShape('CourseProgress').close()
    expect(() => withShape('Courseprogress')).toThrow(
      '`site.viewOnly` has `Courseprogress`, which is not a type with columns; did you mean `CourseProgress`?',
    )
  })

  it('are listed when none is similar, and all complaints are given at once', () => {
    const complaints = complaintsOf({
      missingColumns: ['PriceType.zzzzzzzzzzzz', 'Xyzxyzxyzxyz.slug'],
      unfilteredRoutes: ['v2/zzzzzzzz'],
      ignoredFilters: ['v1/groups zzzzzzzzzzzzzzz', 'v2/zzzzzzzzzzzzz z'],
      unbatched: ['Xyz'],
    })
    expect(complaints).toEqual([
      expect.stringMatching(/^`site\.unfilteredRoutes` has `v2\/zzzzzzzz`, which is not a route; routes are .*`v2\/price-types`.*\.$/),
      expect.stringMatching(/ has `Xyz`, which is not a type that is read by `include`; these types are: .*`Quiz`.*\.$/),
      expect.stringMatching(/; filters of `v1\/groups` are .*`parent`.*\.$/),
      expect.stringMatching(/; routes with filters are .*`v2\/sfwd-lessons`.*\.$/),
      expect.stringMatching(/`PriceType\.zzzzzzzzzzzz`, which is not a column; columns of `PriceType` are .*`slug`.*\.$/),
      expect.stringMatching(/`Xyzxyzxyzxyz\.slug`, which is not a column; types with columns are .*`GroupCourse`.*\.$/),
    ])
  })

  it('may be those of resources from outside, for gateways that have them', () => {
    const names = {
      missingColumns: ['Paper.content'],
      unbatched: ['Paper'],
      ignoredFilters: ['v2/papers lesson'],
      unfilteredRoutes: ['v2/papers'],
    }
    expect(complaintsOf(names, { resources: [papers] })).toEqual([])
    expect(graphSchema().getType('Paper')).toBeUndefined()
    // It is made once for each set of resources.
    for (const resources of [[], [papers]]) expect(graphSchema(resources)).toBe(graphSchema([...resources]))
    expect(complaintsOf(names)).toHaveLength(4)
  })

  it('are refused by `startGateway` under its own name', async () => {
    await expect(startGateway({ site: { url: URL, unfilteredRoutes: ['v2/price-type'] }, http: { port: 0 } })).rejects.toThrow(
      /^startGateway: `site\.unfilteredRoutes` has `v2\/price-type`/,
    )
  })
})
