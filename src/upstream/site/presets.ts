import type { Site } from './site.js'

/** How a kind of site differs from the specification. */
export type Names = Partial<Omit<Site, 'url'>>

/** Columns that the list of a group's courses lacks on sites with the plugin: all but the base columns and taxonomies. */
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

/** Courses and lessons have no site-wide categories and tags by default. */
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
    // Without `course` the list contains only the quizzes without a course, or all quizzes.
    unbatched: ['Quiz'],
    ignored: [
      'v2/groups/:id/courses include',
      'v2/groups/:id/courses exclude',
      // The list always contains published courses only.
      'v2/groups/:id/courses status',
      ...IGNORED_TERMS,
      'v1/groups parent',
      'v1/groups parent_exclude',
    ],
    // Group leaders who request only groups they do not lead get all groups they lead.
    dropped: ['v2/sfwd-lessons course', 'v1/groups include'],
    lacking: { GroupCourse: LACKING_IN_GROUPS },
    // The id of the quiz in the site's quiz engine, which no route accepts.
    unusable: { Question: ['quizId'], CourseProgress: ['enrolledAt'] },
    payNowSpelling: 'buynow',
    viewerRoute: true,
    progressSteps: true,
    // The documentation of version 4 says that they are ignored, that of version 5 that they are enforced.
    openProgression: 'unknown',
    // Versions differ.
    missingPrerequisites: 'unknown',
  },
} as const satisfies Record<string, Names>

export type Preset = keyof typeof PRESETS
