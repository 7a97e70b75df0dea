import { SWITCHES, type Switches } from './profile/switches.js'
import { field } from './spec/field.js'
import {
  course,
  courseGroup,
  courseProgress,
  courseUser,
  type Field,
  group,
  groupCourse,
  lesson,
  listedQuestion,
  priceType,
  question,
  quiz,
  type Resource,
  userCourse,
  type Variation,
} from './spec/index.js'
import { progressStep, stepTree } from './spec/progress-step.js'
import { topic } from './spec/topic.js'

const SPECIFICATION = {
  ...{ group, course, quiz, lesson, groupCourse, courseProgress, priceType, question },
  ...{ topic, progressStep, userCourse, courseUser, courseGroup, stepTree, listedQuestion },
}

type Name = keyof typeof SPECIFICATION

/** The resources of one site: those of the specification, changed by its switches. */
export type Resources = Readonly<Record<Name, Resource>>

/** The switches that change resources, in the order in which they apply. Other switches change behaviour. */
type Changes = { readonly [S in keyof Switches]?: (resource: Resource, value: Switches[S], name: Name) => Resource }

/** A resource without some fields and the filters with their names. */
function without(resource: Resource, ...names: readonly string[]): Resource {
  const parameters = names.flatMap((name) => [name, `${name}_exclude`])
  return {
    ...resource,
    fields: resource.fields.filter(({ name }) => !names.includes(name)),
    taxonomies: resource.taxonomies.filter(({ field: name }) => !names.includes(name)),
    listParameters: resource.listParameters.filter((name) => !parameters.includes(name)),
  }
}

/** A resource with changed fields, by name. */
const changed = (resource: Resource, changes: Readonly<Record<string, (known: Field) => Partial<Field>>>): Resource => ({
  ...resource,
  fields: resource.fields.map((known) => (changes[known.name] ? { ...known, ...changes[known.name]!(known) } : known)),
})

/** A resource with a further variation of some fields. */
const varied = (resource: Resource, variation: Variation, ...names: readonly string[]): Resource =>
  changed(
    resource,
    Object.fromEntries(names.map((name) => [name, ({ variations = [] }: Field) => ({ variations: [...variations, variation] })])),
  )

const withRoutes = (resource: Resource, change: (route: string) => string): Resource => ({
  ...resource,
  route: change(resource.route),
  ...(resource.recordRoute && { recordRoute: change(resource.recordRoute) }),
})

function withTermPrefix(resource: Resource, prefix: string): Resource {
  const own = resource.taxonomies.map(({ field: name }) => name).filter((name) => name.startsWith('lms_'))
  const rename = (name: string): string => (own.some((known) => name.startsWith(known)) ? prefix + name.slice('lms_'.length) : name)
  return {
    ...resource,
    fields: resource.fields.map((known) => ({ ...known, name: rename(known.name) })),
    taxonomies: resource.taxonomies.map((known) => ({ ...known, field: rename(known.field), shown: rename(known.shown) })),
    listParameters: resource.listParameters.map(rename),
  }
}

const readOnly = true

/** Fields of newer versions that the specification does not have. Each has a fixed value. */
const EXTRA: { readonly [N in Name]?: readonly Field[] } = {
  quiz: [field('class_list', 'classList', { readOnly })],
  groupCourse: [field('class_list', 'classList', { readOnly })],
  lesson: [
    field('is_external', 'boolean', { readOnly, column: '(0)' }),
    field('external_type', 'text', { readOnly, column: "''" }),
    field('external_require_attendance', 'text', { readOnly, column: "''" }),
  ],
  question: [
    field('_questionPostId', 'integer', { readOnly, column: '(0)' }),
    field('_previousId', 'integer', { readOnly, column: '(0)' }),
    field('_online', 'boolean', { readOnly, column: '(1)' }),
  ],
}

/** Whether a field of group courses is a course setting, which plain records do not have. */
const isSetting = ({ name, kind }: Field): boolean =>
  kind !== 'terms' && !course.fields.some((known) => known.name === name) && !/^(comment|ping)_status$/.test(name)

/** Fields that the LMS stores in its own settings. Records that it never saved do not have them. */
const SETTINGS: { readonly [N in Name]?: readonly string[] } = {
  course: course.fields.slice(course.fields.findIndex(({ name }) => name === 'course_materials')).map(({ name }) => name),
  quiz: ['threshold', 'passingpercentage', 'certificate'],
  lesson: ['video_auto_complete_delay', 'assignment_points_amount', 'forced_timer_amount', 'visible_after', 'visible_after_specific_date'],
}

const GMT_DATES = ['date_started', 'date_completed'].map((column) =>
  field(`${column}_gmt`, 'datetime', { readOnly, column, variations: ['utc'] }),
)

/** Dates in seconds since 1970 that newer versions have. */
const ENROLMENT_DATE = field('access_from', 'integer', { readOnly, column: 'enrolled_at' })
const COURSE_DATES = ['start_date', 'end_date', 'seats_limit'].map((column) => field(`course_${column}`, 'integer', { readOnly, column }))

/** The quiz engine numbers quizzes from 1. */
const ENGINE_QUIZ = 't.quiz % 100000'

const CHANGES: Changes = {
  namespace: (resource, namespace) => withRoutes(resource, (route) => route.replace(/^\/lms\//, `/${namespace}/`)),
  segments: (resource, text) => {
    const names = new Map(text.split('+').map((pair) => pair.split(':') as [string, string]))
    const renamed = (route: string): string[] => route.split('/').map((segment) => names.get(segment) ?? segment)
    return withRoutes(resource, (route) => (route.startsWith('/wp/') ? route : renamed(route).join('/')))
  },
  termPrefix: withTermPrefix,
  fieldsOnly: (resource) => ({ ...resource, fieldsOnly: true }),
  exactByWord: (resource) => ({ ...resource, exactByWord: true }),
  coreLinks: (resource) => ({ ...resource, coreLinks: true }),
  courseLinksAlways: (resource, _, name) => (name === 'course' ? { ...resource, linksAlways: true } : resource),
  progressViewOnly: (resource, _, name) => (name === 'courseProgress' ? { ...resource, contexts: ['view'] } : resource),
  groupCoursesPlain: (resource, _, name) =>
    name === 'groupCourse' ? { ...resource, fields: resource.fields.filter((known) => !isSetting(known)) } : resource,
  extraFields: (resource, _, name) => ({ ...resource, fields: [...resource.fields, ...(EXTRA[name] ?? [])] }),
  buyNow: (resource) =>
    changed(resource, {
      course_price_type: ({ values = [] }) => ({
        kind: 'buyNow',
        accepts: 'buyNow',
        values: values.map((slug) => (slug === 'paynow' ? 'buynow' : slug)),
      }),
    }),
  engineQuizIds: (resource) => changed(resource, { _quizId: () => ({ column: ENGINE_QUIZ }) }),
  // [guess] Topics are like lessons.
  sharedSteps: (resource, _, name) =>
    name === 'lesson' || name === 'topic'
      ? varied(changed(resource, { course: () => ({ accepts: 'ignored' }) }), 'zero', 'course', 'lesson')
      : resource,
  releaseDatesIgnored: (resource) =>
    changed(resource, {
      visible_type: () => ({ accepts: 'unlessDated' }),
      visible_after_specific_date: () => ({ accepts: 'ignored' }),
    }),
  hyphenStatuses: (resource) => varied(resource, 'hyphens', 'progress_status', 'step_status'),
  utcDates: (resource) => varied(resource, 'utc', 'date_started', 'date_completed'),
  gmtDates: (resource, _, name) => (name === 'courseProgress' ? { ...resource, fields: [...resource.fields, ...GMT_DATES] } : resource),
  enrolmentDates: (resource, _, name) =>
    name === 'courseProgress' ? { ...resource, fields: [...resource.fields, ENROLMENT_DATE] } : resource,
  courseDates: (resource, _, name) => (name === 'course' ? { ...resource, fields: [...resource.fields, ...COURSE_DATES] } : resource),
  blankDates: (resource) => varied(resource, 'blankUnset', ...GMT_DATES.flatMap(({ name, column }) => [name, column])),
  looseCourses: (resource) => {
    const toggles = varied(resource, 'looseToggle', 'course_points_enabled', 'course_disable_lesson_progression', 'expire_access')
    const off = varied(toggles, 'looseOff', 'course_prerequisite_enabled')
    const numbers = varied(off, 'looseNumber', 'course_points', 'course_points_access', 'expire_access_days')
    return varied(varied(numbers, 'loosePrice', 'course_price'), 'looseIds', 'course_prerequisite')
  },
  looseLessons: (resource) =>
    varied(varied(resource, 'looseZero', 'video_auto_complete_delay'), 'looseDate', 'visible_after_specific_date'),
  looseQuestions: (resource) => varied(resource, 'gradedText', '_answerData'),
  unsaved: (resource, _, name) => varied(resource, 'unsaved', ...(SETTINGS[name] ?? [])),
  emptyAsArray: (resource) => varied(resource, 'emptyList', 'meta'),
  withoutCategories: (resource) => (resource.table === 'groups' ? resource : without(resource, 'categories', 'tags')),
  withoutMeta: (resource, _, name) => (name === 'courseUser' ? resource : without(resource, 'meta')),
  withoutDiscussion: (resource) => without(resource, 'comment_status', 'ping_status'),
  withoutHierarchy: (resource) => (resource.table === 'groups' ? without(resource, 'parent') : resource),
}

/** The resources of a site with these switches. Unchanged resources are the objects of the specification. */
export function resourcesOf(switches: Switches): Resources {
  const changes = (Object.keys(CHANGES) as (keyof Changes)[]).filter((name) => switches[name] !== SWITCHES[name].default)
  const adapted = Object.entries(SPECIFICATION).map(([name, resource]) => {
    const change = (made: Resource, by: keyof Changes): Resource =>
      (CHANGES[by] as (resource: Resource, value: unknown, name: Name) => Resource)(made, switches[by], name as Name)
    return [name, changes.reduce(change, resource)] as const
  })
  return Object.fromEntries(adapted) as Resources
}
