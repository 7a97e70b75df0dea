import type { Values } from '../../options/option.js'
import { QUIRKS, type SITE } from '../../options/site.js'
import { defineSite, type Site, type SiteNames } from './site.js'

/** Columns that the list of a group's courses lacks on sites with the plugin: all but the base columns and taxonomies. */
const MISSING_IN_GROUPS = [
  'GroupCourse.materials',
  'GroupCourse.priceTypeSlug',
  'GroupCourse.prerequisiteEnabled',
  'GroupCourse.prerequisiteIds',
  'GroupCourse.prerequisiteCompare',
  'GroupCourse.prerequisiteCompareValue',
  'GroupCourse.pointsEnabled',
  'GroupCourse.disableLessonProgression',
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
    unfilteredRoutes: ['v2/price-types'],
    viewOnly: ['CourseProgress'],
    pageSizeParams: ['posts_per_page'],
    emptyUntold: true,
    // Without `course` the list contains only the quizzes without a course, or all quizzes.
    unbatched: ['Quiz'],
    ignoredFilters: [
      'v2/groups/:id/courses include',
      'v2/groups/:id/courses exclude',
      // The list always contains published courses only.
      'v2/groups/:id/courses status',
      ...IGNORED_TERMS,
      'v1/groups parent',
      'v1/groups parent_exclude',
    ],
    // Group leaders who request only groups they do not lead get all groups they lead.
    droppedFilters: ['v2/sfwd-lessons course', 'v1/groups include'],
    missingColumns: MISSING_IN_GROUPS,
    // The id of the quiz in the site's quiz engine, which no route accepts.
    // Version 4 sends the dates of progress in UTC without saying so, version 5 has others for UTC, which are read.
    unusableColumns: [
      ...['Question.quizId', 'CourseProgress.enrolledAt', 'CourseProgress.startedAt', 'CourseProgress.completedAt'],
      ...['CourseStep.startedAt', 'CourseStep.completedAt'],
    ],
    payNowSpelling: 'buynow',
    routes: ['users/me', 'users', 'media', 'terms', 'users/course-progress/steps'],
    // The documentation of version 4 says that they are ignored, that of version 5 that they are enforced.
    openProgression: 'unknown',
    // Versions differ.
    missingPrerequisites: 'unknown',
  },
} as const satisfies Readonly<Record<'lms' | 'learndash', SiteNames>>

export type Preset = keyof typeof PRESETS

/** The site of the options: its preset, and the quirks that override it. */
export function siteOf(
  { preset = 'lms', namespaces, segments, ...options }: Values<typeof SITE>,
  url: string | undefined = options.url,
): Site {
  if (url === undefined) throw new Error('No site is configured: `site.url` is not set.')
  const base = defineSite(url, PRESETS[preset])
  const given = Object.entries(options).filter(([name, value]) => Object.hasOwn(QUIRKS, name) && value !== undefined)
  return defineSite(url, {
    ...base,
    ...Object.fromEntries(given),
    namespaces: { ...base.namespaces, ...namespaces },
    segments: { ...base.segments, ...segments },
  })
}
