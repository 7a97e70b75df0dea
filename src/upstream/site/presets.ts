import type { Site } from './site.js'

/** What a kind of site calls things, and how it behaves, where it differs from the specification. */
export type Names = Partial<Omit<Site, 'url'>>

/** What the list of a group's courses does not carry on sites of the plugin: all but the base columns and taxonomies. Of the course, and of the list's own record. */
const LACKING_IN_GROUPS = [
  'materials',
  'priceTypeSlug',
  'prerequisiteEnabled',
  'prerequisiteIds',
  'prerequisiteCompare',
  'prerequisiteCompareValue',
  'pointsEnabled',
  'disableLessonProgression',
]

/** Courses and lessons have no categories and tags of the site unless it is told so, and groups no parents. */
const IGNORED_TERMS = ['v1/sfwd-courses', 'v2/groups/:id/courses', 'v2/sfwd-lessons'].flatMap((path) =>
  ['categories', 'categories_exclude', 'tags', 'tags_exclude'].map((param) => `${path} ${param}`),
)

/** Known kinds of site: `lms` is the specification, `learndash` WordPress with the LMS plugin, versions 4.21 and later. */
export const PRESETS = {
  lms: {},
  learndash: {
    namespaces: { v1: 'ldlms/v1', v2: 'ldlms/v2' },
    termPrefix: 'ld_',
    fieldFilter: '_fields',
    unfiltered: ['v2/price-types'],
    viewOnly: ['CourseProgress'],
    pageSizeParams: ['posts_per_page'],
    emptyUntold: true,
    // Without a course the list shows quizzes of no course only, or all of them.
    unbatched: ['Quiz'],
    ignored: [
      'v2/groups/:id/courses include',
      'v2/groups/:id/courses exclude',
      // They are published ones always.
      'v2/groups/:id/courses status',
      ...IGNORED_TERMS,
      'v1/groups parent',
      'v1/groups parent_exclude',
    ],
    // Leaders who ask for none of the groups they lead get all of those.
    dropped: ['v2/sfwd-lessons course', 'v1/groups include'],
    lacking: { GroupCourse: LACKING_IN_GROUPS },
    // The id of the quiz in the quiz engine of the site, which no route takes.
    unusable: { Question: ['quizId'] },
    payNowSpelling: 'buynow',
  },
} as const satisfies Record<string, Names>

export type Preset = keyof typeof PRESETS
