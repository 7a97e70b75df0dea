import { SAMPLES } from '../../../src/lms/index.js'
import { globalId } from '../global-id.js'
import { type Case, fieldsOf, read } from './matrix.js'
import { HIDDEN, LEADING, ONE, PEOPLE, type Person, PUBLIC, type Taken, TYPES, UNKNOWN } from './site.js'

/** Nodes of all types, and roots without filters. */
export function rootCases(): Case[] {
  const node = (name: string, type: string, key: string | number, shown = 'id'): Case =>
    read('Query.node', name, `node(id: "${globalId(type, key)}") { ... on ${type} { ${shown} } }`, 'node')
  const several = (...found: [string, number | string][]): string =>
    `nodes(ids: [${found.map(([type, key]) => `"${globalId(type, key)}"`)}]) { __typename id ... on LmsContent { title } }`
  return [
    ...TYPES.flatMap((type) => [
      node(`${type}, published`, type, PUBLIC[type], 'title'),
      node(`${type}, draft`, type, HIDDEN[type].draft, 'title'),
      node(`${type}, unknown`, type, UNKNOWN),
      read('Query.nodes', `${type}, two published`, several([type, PUBLIC[type]], [type, PUBLIC[type] + 1]), 'nodes.*'),
      read(
        'Query.nodes',
        `${type}, published, draft, unknown`,
        several([type, PUBLIC[type]], [type, HIDDEN[type].draft], [type, UNKNOWN]),
        'nodes.*',
      ),
    ]),
    node('Question', 'Question', 500_001),
    node('User', 'User', PEOPLE.learner),
    node('PriceType', 'PriceType', 'paynow', 'name'),
    node('PriceType, unknown', 'PriceType', 'nothing', 'name'),
    read('Query.nodes', 'course, question, user', several(['Course', PUBLIC.Course], ['Question', 500_001], ['User', 3]), 'nodes.*'),
    read('Query.priceType', 'known', 'priceType(slug: "paynow") { name }', 'priceType'),
    read('Query.priceType', 'unknown', 'priceType(slug: "nothing") { name }', 'priceType'),
    read('Query.priceTypes', 'all', 'priceTypes { slug name }', 'priceTypes'),
    read('Query.question', 'known', 'question(id: 500001) { answers { correct } }', 'question'),
    read('Query.question', 'unknown', `question(id: ${UNKNOWN}) { answers { correct } }`, 'question'),
    read('Question.quiz', 'published', 'question(id: 500001) { quiz { title } }', 'question.quiz'),
    read('Query.user', 'known', 'user(id: 3) { databaseId }', 'user'),
    read('Query.user', 'unknown', `user(id: ${UNKNOWN}) { databaseId }`, 'user'),
    read('Query.viewer', 'with own credentials', 'viewer { databaseId }', 'viewer'),
  ]
}

/** Relations between groups, courses, lessons and quizzes. */
export function relationCases(editOnlyNames: readonly string[]): Case[] {
  const { groupBelowDraft, courseAfterNone, courseAfterDraft, lessonOfDraft } = LEADING
  const group = (shown: string, id: number = PUBLIC.Group): string => `group(id: ${id}) { ${shown} }`
  const course = (shown: string, id: number = PUBLIC.Course): string => `course(id: ${id}) { ${shown} }`
  const lesson = (shown: string, id: number = PUBLIC.Lesson): string => `lesson(id: ${id}) { ${shown} }`
  const inGroup = (shown: string, id: number = courseAfterDraft): string =>
    group(`courses(where: { id: { in: [${id}] } }) { edges { groupCourse { ${shown} } } }`)
  const side = 'group.courses.edges.*.groupCourse'
  const statuses = (about: string, ask: (shown: string) => string, at: string): Case[] =>
    ['DRAFT', 'ANY'].map((status) =>
      read(about, `where.status ${status}`, ask(`${at.split('.')[1]}(first: 2, where: { status: [${status}] }) { nodes { id } }`), at),
    )
  return [
    ...TYPES.map((type) =>
      read(`${type}.author`, 'any', `${ONE[type]}(id: ${PUBLIC[type]}) { author { databaseId } }`, `${ONE[type]}.author`),
    ),
    read('Group.parent', 'published', group('parent { title }', 1_004), 'group.parent'),
    read('Group.parent', 'draft', group('parent { title }', groupBelowDraft), 'group.parent'),
    read('Group.courses', 'published', group('courses(first: 2) { nodes { title } }', SAMPLES.largeGroup), 'group.courses.nodes.*'),
    read('Group.courses', 'one of them a draft', group('courses(first: 50) { nodes { title } }'), 'group.courses.nodes'),
    read('Group.courses', 'how many, with the draft', group('courses { totalCount }'), 'group.courses.totalCount'),
    read(
      'Group.courses',
      'the draft, by its id',
      group(`courses(where: { id: { in: [${HIDDEN.Course.draft}] } }) { nodes { id } }`),
      'group.courses.nodes',
    ),
    ...statuses('Group.courses', group, 'group.courses'),
    ...fieldsOf('GroupCourse', editOnlyNames).map((field) =>
      read(`GroupCourse.${field}`, 'by list', inGroup(field, SAMPLES.protectedCourse), `${side}.${field}`),
    ),
    read('GroupCourse.author', 'any', inGroup('author { databaseId }'), `${side}.author`),
    read('GroupCourse.priceType', 'any', inGroup('priceType { name }'), `${side}.priceType`),
    read('GroupCourse.prerequisites', 'published, draft, unknown', inGroup('prerequisites { title }'), `${side}.prerequisites.*`),
    read('Course.prerequisites', 'published', course('prerequisites { title }', SAMPLES.cycle[0]), 'course.prerequisites.*'),
    read(
      'Course.prerequisites',
      'published, draft, unknown',
      course('prerequisites { title }', courseAfterDraft),
      'course.prerequisites.*',
    ),
    read('Course.prerequisites', 'none', course('prerequisites { title }', courseAfterNone), 'course.prerequisites'),
    read('Course.priceType', 'any', course('priceType { name }'), 'course.priceType'),
    ...(['lessons', 'quizzes'] as const).flatMap((many) => [
      read(`Course.${many}`, 'published', course(`${many}(first: 2) { nodes { title } }`), `course.${many}.nodes.*`),
      read(`Course.${many}`, 'of a draft course', course(`${many} { totalCount }`, HIDDEN.Course.draft), `course.${many}`),
      ...statuses(`Course.${many}`, course, `course.${many}`),
    ]),
    read('Lesson.course', 'published', lesson('course { title }'), 'lesson.course'),
    read('Lesson.course', 'draft', lesson('course { title }', lessonOfDraft), 'lesson.course'),
    read('Lesson.course', 'of several courses', lesson('course { title }', SAMPLES.sharedLesson), 'lesson.course'),
    read('Lesson.quizzes', 'published', lesson('quizzes { nodes { title } }'), 'lesson.quizzes.nodes.*'),
    read('Lesson.quizzes', 'of several courses', lesson('quizzes { totalCount }', SAMPLES.sharedLesson), 'lesson.quizzes'),
    read(
      'Lesson.quizzes',
      'of several courses, in one',
      lesson(`quizzes(course: ${SAMPLES.sharedCourses[0]}) { nodes { title } }`, SAMPLES.sharedLesson),
      'lesson.quizzes.nodes',
    ),
    read('Lesson.quizzes', 'in a draft course', lesson('quizzes { totalCount }', lessonOfDraft), 'lesson.quizzes'),
    ...statuses('Lesson.quizzes', lesson, 'lesson.quizzes'),
    read('Query.lesson', 'in its course', `lesson(id: ${PUBLIC.Lesson}, course: ${PUBLIC.Course}) { title }`, 'lesson'),
    read('Query.lesson', 'in another course', `lesson(id: ${PUBLIC.Lesson}, course: 10050) { title }`, 'lesson'),
    read('Query.lesson', 'in a draft course', `lesson(id: ${lessonOfDraft}, course: ${HIDDEN.Course.draft}) { title }`, 'lesson'),
    read('Query.lesson', 'in an unknown course', `lesson(id: ${PUBLIC.Lesson}, course: ${UNKNOWN}) { title }`, 'lesson'),
  ]
}

/** The steps of courses: topics, outlines, questions, and the steps of a progress. */
export function stepCases(editOnlyNames: readonly string[], { by }: Taken): Case[] {
  const topic = (shown: string, id: number = 400_001): string => `node(id: "${globalId('Topic', id)}") { ... on Topic { ${shown} } }`
  const lesson = (shown: string): string => `lesson(id: 100003) { ${shown} }`
  const questions = (name: string, quiz: number): Case =>
    read('Quiz.questions', name, `quiz(id: ${quiz}) { questions(first: 2) { nodes { postTitle } } }`, 'quiz.questions.nodes.*')
  const steps = `user(id: ${PEOPLE.learner}) { progressIn(course: ${by.learner}) { steps { step { databaseId } } } }`
  const outline = (name: string, shown: string, at: string, id: number = PUBLIC.Course): Case =>
    read('Course.outline', name, `course(id: ${id}) { outline { ${shown} } }`, `course.outline.${at}`)
  return [
    read('Query.node', 'Topic', topic('title'), 'node'),
    read('Query.node', 'Topic, unknown', topic('title', UNKNOWN), 'node'),
    read('Topic.author', 'any', topic('author { databaseId }'), 'node.author'),
    read('Topic.course', 'any', topic('courseId course { databaseId }'), 'node.course'),
    read('Topic.lesson', 'any', topic('lessonId lesson { title }'), 'node.lesson'),
    read('Topic.featuredImage', 'any', topic('featuredImage { url }'), 'node.featuredImage'),
    ...fieldsOf('Topic', editOnlyNames).map((field) => read(`Topic.${field}`, 'by id', topic(field), `node.${field}`)),
    read('Lesson.topics', 'published', lesson(`topics(course: ${PUBLIC.Course}) { nodes { title } }`), 'lesson.topics.nodes.*'),
    read('Lesson.topics', 'of an unknown course', lesson(`topics(course: ${UNKNOWN}) { totalCount }`), 'lesson.topics'),
    questions('published', PUBLIC.Quiz),
    questions('draft', HIDDEN.Quiz.draft),
    outline('lessons', 'sections { lessons { lesson { title } } }', 'sections.*.lessons.*.lesson.title'),
    outline('of a draft course', 'missing', 'missing', HIDDEN.Course.draft),
    read('CourseStep.step', 'own', steps, 'user.progressIn.steps.0.step'),
  ]
}

/** Who is in a course. */
export function enrolmentCases(): Case[] {
  const course = (shown: string, id: number): string => `course(id: ${id}) { ${shown} }`
  const courses = (name: string, user: number): Case =>
    read('User.courses', name, `user(id: ${user}) { courses(first: 2) { edges { enrolledAt node { title } } } }`, 'user.courses')
  return [
    ...Object.entries(PEOPLE).map(([name, user]) => courses(`of the ${name}`, user)),
    courses('of an unknown user', UNKNOWN),
    read('User.courses', 'how many, with the draft', `user(id: ${PEOPLE.learner}) { courses { totalCount } }`, 'user.courses.totalCount'),
    ...[PUBLIC.Course, HIDDEN.Course.draft].flatMap((id) =>
      (['users', 'groups'] as const).map((many) => {
        const name = id === PUBLIC.Course ? 'published' : 'of a draft course'
        return read(`Course.${many}`, name, course(`${many} { totalCount }`, id), `course.${many}`)
      }),
    ),
  ]
}

/** Relations to images, users and terms, which are routes of WordPress itself. */
export function ownRouteCases(): Case[] {
  const taxonomies = (resource: string): string[] => ['categories', 'tags', `${resource}Categories`, `${resource}Tags`]
  const terms = (type: string, field: string, ask: (shown: string) => string, at: string): Case =>
    read(`${type}.${field}`, 'any', ask(`${field} { name }`), `${at}.${field}`)
  const inGroup = (shown: string): string =>
    `group(id: ${PUBLIC.Group}) { courses(where: { id: { in: [${SAMPLES.protectedCourse}] } }) { edges { groupCourse { ${shown} } } } }`
  const side = 'group.courses.edges.*.groupCourse'
  const user = (name: string, id: number): Case[] =>
    ['name', ...USER_EDIT_ONLY].map((field) => read(`User.${field}`, name, `user(id: ${id}) { ${field} }`, `user.${field}`))
  return [
    ...TYPES.flatMap((type) => {
      const ask = (shown: string): string => `${ONE[type]}(id: ${PUBLIC[type]}) { ${shown} }`
      const own = type === 'Quiz' ? [] : taxonomies(ONE[type]).map((field) => terms(type, field, ask, ONE[type]))
      return [read(`${type}.featuredImage`, 'any', ask('featuredImage { url }'), `${ONE[type]}.featuredImage`), ...own]
    }),
    read('GroupCourse.featuredImage', 'any', inGroup('featuredImage { url }'), `${side}.featuredImage`),
    ...taxonomies('course').map((field) => terms('GroupCourse', field, inGroup, side)),
    read('Query.terms', 'all', 'terms(taxonomy: COURSE_CATEGORY, first: 2) { nodes { name } }', 'terms.nodes.*'),
    read('LmsTerm.parent', 'any', 'terms(taxonomy: COURSE_CATEGORY, first: 100) { nodes { parent { name } } }', 'terms.nodes'),
    read('Query.node', 'FeaturedImage', `node(id: "${globalId('FeaturedImage', 800_001)}") { ... on FeaturedImage { url } }`, 'node'),
    ...user('of the leader', PEOPLE.leader),
    ...user('of the learner', PEOPLE.learner),
    ...user('of an unknown user', UNKNOWN),
  ]
}

const USER_EDIT_ONLY = ['username', 'firstName', 'lastName', 'nickname', 'email', 'locale', 'roles', 'registeredAt']

/** Every path to the progress of a user. */
export function progressCases({ by, draft }: Taken): Case[] {
  const shown = '{ status courseId }'
  const ways = (name: string, user: number, course: number): Case[] => [
    read('User.courseProgress', name, `user(id: ${user}) { courseProgress(first: 2) { nodes ${shown} } }`, 'user.courseProgress.nodes'),
    read('User.progressIn', name, `user(id: ${user}) { progressIn(course: ${course}) ${shown} }`, 'user.progressIn'),
    read('Course.progress', name, `course(id: ${course}) { progress(user: ${user}) ${shown} }`, 'course.progress'),
    read(
      'Query.node',
      `CourseProgress, ${name}`,
      `node(id: "${globalId('CourseProgress', `${user}:${course}`)}") { ... on CourseProgress ${shown} }`,
      'node',
    ),
  ]
  const mine = `user(id: ${PEOPLE.learner})`
  return [
    ...(Object.keys(PEOPLE) as Person[]).flatMap((person) => ways(`of the ${person}`, PEOPLE[person], by[person])),
    ...ways('of an unknown user', UNKNOWN, PUBLIC.Course),
    read('User.progressIn', 'in an unknown course', `${mine} { progressIn(course: ${UNKNOWN}) ${shown} }`, 'user.progressIn'),
    read('Course.progress', 'in a draft course', `course(id: ${draft}) { progress(user: 3) { status } }`, 'course.progress'),
    read('User.progressIn', 'in a draft course', `${mine} { progressIn(course: ${draft}) { status } }`, 'user.progressIn'),
    read(
      'CourseProgress.course',
      'published',
      `${mine} { progressIn(course: ${by.learner}) { course { title } } }`,
      'user.progressIn.course',
    ),
    read('CourseProgress.course', 'draft', `${mine} { progressIn(course: ${draft}) { course { title } } }`, 'user.progressIn.course'),
    read('CourseProgress.user', 'own', `${mine} { progressIn(course: ${by.learner}) { user { databaseId } } }`, 'user.progressIn.user'),
  ]
}
