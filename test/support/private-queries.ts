import { Coverage } from './coverage.js'
import { globalId } from './global-id.js'
import { markedTime } from './marks.js'
import { FAULTY } from './private-interface.js'
import type { Kind, Template } from './private-operations.js'
import { IDS, isDraft, PRICE_TYPES } from './private-records.js'
import { EDIT_ONLY, PAGE, type Selections, said } from './private-selections.js'
import { randomOperation } from './random-operations.js'

function groups(some: Selections): string {
  const { random } = some
  const groupCourse = `${some.of('GroupCourse')} priceType { name } prerequisites { slug }`
  const course = `${some.of('Course')} priceType { ${some.of('PriceType')} } prerequisites { ${some.of('Course')} }
    lessons(first: 2) { nodes { ${some.of('Lesson')} } } progress(user: ${random.int(1, 7)}) { ${some.of('CourseProgress')} }`
  const courses = `edges { cursor groupCourse { ${groupCourse} } node { ${course} } }`
  return `{ groups(first: 2, offset: ${random.int(0, 9)}) { ${PAGE} nodes { ${some.of('Group')} parent { ${some.of('Group')} }
    author { databaseId progressIn(course: ${some.id('Course')}) { ${some.of('CourseProgress')} } }
    courses(first: 2, offset: ${random.int(0, 5)}) { ${PAGE} ${courses} } } } }`
}

function course(some: Selections): string {
  const lesson = `${some.of('Lesson', 10)} course { slug } quizzes(first: 2) { nodes { ${some.of('Quiz')} } }`
  return `{ course(id: ${some.published('Course')}) { ${some.of('Course', 12)} content materials author { id }
    prerequisites { ${some.of('Course')} priceType { description } } lessons(first: 3) { ${PAGE} nodes { ${lesson} } }
    quizzes(first: 2, where: { courseLevelOnly: true }) { nodes { ${some.of('Quiz', 10)} } } } }`
}

function lists(some: Selections): string {
  const id = some.id('Course')
  const ids = JSON.stringify(some.random.some(IDS.Course, 5))
  return `{ courses(where: { id: { in: ${ids} } }, orderBy: { field: INCLUDE }) { totalCount nodes { ${some.of('Course')} } }
    groups(last: 3) { nodes { ${some.of('Group')} } } lessons(where: { course: ${id} }) { edges { cursor node { ${some.of('Lesson')} } } }
    quizzes(where: { course: ${id} }) { ${PAGE} nodes { ${some.of('Quiz')} } } }`
}

function aliases(some: Selections): string {
  const id = some.published('Course')
  return `{ a: course(id: ${id}) { ${some.of('Course')} } b: course(id: "${globalId('Course', id)}") { ${some.of('Course')} }
    a: course(id: ${id}) { x: titleHtml y: meta z: quizzes(first: 1) { nodes { slug } } } c: quiz(id: ${some.id('Quiz')}) { ${some.of('Quiz')} }
    d: lesson(id: ${some.published('Lesson')}, course: ${id}) { ${some.of('Lesson')} } e: group(id: ${some.id('Group')}) { slug } }`
}

/** More drafts than an operation reads one by one: editors get them only while their capability is known. */
function drafts(some: Selections): string {
  const hidden = IDS.Course.filter((id) => isDraft('Course', id))
  const courses = JSON.stringify([1_001, ...hidden].map((id) => globalId('Course', id)))
  const lessons = JSON.stringify(IDS.Lesson.slice(0, 24).map((id) => globalId('Lesson', id)))
  return `{ courses: nodes(ids: ${courses}) { ... on Course { ${some.of('Course')} } }
    lessons: nodes(ids: ${lessons}) { ... on Lesson { ${some.of('Lesson')} } } }`
}

/** Images, users and terms of several types, and the columns of administrators. */
const ownRoutes = (some: Selections): string => {
  const image = `featuredImage { ${some.of('FeaturedImage')} srcSet sizes { url } }`
  const fields = `slug ${image} author { ${some.of('User')} } categories { ${some.of('LmsTerm')} parent { name } }`
  return `{ groups(first: 3) { nodes { ${fields} groupTags { ${some.of('LmsTerm')} } } }
    courses(first: 5) { nodes { ${fields} courseCategories { ${some.of('LmsTerm')} } } }
    terms(taxonomy: TAG, first: 3) { ${PAGE} nodes { ${some.of('LmsTerm')} } } }`
}

/** Columns of users that only administrators may read. */
const ofAdministrators = (some: Selections): string => {
  const fields = 'slug email username firstName lastName nickname locale roles registeredAt'
  return `{ a: user(id: ${some.id('User')}) { ${fields} } courses(first: 3) { nodes { slug author { ${fields} } } } }`
}

const editOnly = (some: Selections): string =>
  `{ course(id: ${some.published('Course')}) { ${EDIT_ONLY.join(' ')} title content } quiz(id: ${some.id('Quiz')}) { titleRaw slug }
    groups(first: 3) { nodes { titleRaw contentRaw slug courses(first: 2) { nodes { password slug } } } } }`

const progress = (some: Selections): string =>
  `{ user(id: ${some.random.int(1, 7)}) { databaseId one: progressIn(course: 1001) { ${some.of('CourseProgress')} }
    two: progressIn(course: 1002) { ${some.of('CourseProgress')} }
    courseProgress(first: 3) { ${PAGE} nodes { ${some.of('CourseProgress')} course { ${some.of('Course')} } user { id } } } } }`

function questions(some: Selections): string {
  const question = () => `${some.of('Question', 9)} answers { ${some.of('Answer', 7)} answer } quiz { ${some.of('Quiz')} }`
  return `{ one: question(id: ${some.id('Question')}) { ${question()} } two: question(id: ${some.id('Question')}) { ${question()} } }`
}

/** Queries without arguments of the caller's own. */
const PLAIN: Readonly<Record<string, (some: Selections) => string>> = {
  'groups and all below': groups,
  'a course and all below': course,
  'lists by filters': lists,
  aliases,
  node: (some) => `{ node(id: "${some.node()}") { id ${some.ofAny()} } }`,
  nodes: (some) => `{ nodes(ids: ${JSON.stringify(Array.from({ length: 9 }, () => some.node()))}) { id ${some.ofAny()} } }`,
  drafts,
  'edit-only fields': editOnly,
  'images, users and terms': ownRoutes,
  'columns of administrators': ofAdministrators,
  progress,
  'price types': (some) =>
    `{ priceTypes { ${some.of('PriceType')} } priceType(slug: "${some.random.pick(PRICE_TYPES)}") { ${some.of('PriceType')} } }`,
  questions,
}

/** Passwords in the text of the operation, or in its variables. */
function passwords(some: Selections): Template {
  const [course, lesson] = [some.published('Course'), some.published('Lesson')]
  const query = (password: string) => `a: course(id: ${course}, password: ${password}) { content contentProtected title }
    b: course(id: ${course}) { content slug } c: lesson(id: ${lesson}, password: ${password}) { content slug quizzes(first: 1) { nodes { title } } }`
  if (some.random.chance(0.5)) return (caller) => ({ query: `{ ${query(JSON.stringify(said(caller, 'open')))} }` })
  return (caller) => ({ query: `query ($p: String) { ${query('$p')} }`, variables: { p: said(caller, 'open') } })
}

function searches(some: Selections): Template {
  const courses = `courses(first: 3, where: { search: $search, publishedAfter: $after }) { ${PAGE} nodes { ${some.of('Course')} } }`
  const groups = `groups(first: 2, where: { slug: $slug }, orderBy: { field: INCLUDE_SLUGS }) { nodes { ${some.of('Group')} } }`
  const query = `query ($search: String, $slug: [String!], $after: DateTime) { ${courses} ${groups} }`
  return (caller) => ({
    query,
    variables: { search: said(caller, 'words'), slug: [said(caller, 'slug')], after: `${markedTime(caller, 3)}Z` },
  })
}

const same =
  (query: string): Template =>
  () => ({ query })

const problems = Object.entries(FAULTY).map(([name, id]) => `${name}: course(id: ${id}) { slug title }`)

/** Queries that are expected to fail, completely or in part. */
const FAILING: Readonly<Record<string, Template>> = {
  'a failing site': same(`{ ${problems.join(' ')} }`),
  'refused reads': same(
    '{ user(id: 8) { courseProgress { nodes { status } } } lessons(first: 3) { nodes { slug titleRaw } } question(id: 40999) { title } }',
  ),
  'wrong passwords': (caller) => ({ query: `{ course(id: 1001, password: "${said(caller, 'wrong')}") { content } }` }),
  'bad ids': (caller) => ({ query: 'query ($id: ID!) { course(id: $id) { title } }', variables: { id: said(caller, 'no id') } }),
  'no valid operations': (caller) => ({ query: `{ courses(orderBy: { field: "${said(caller, 'x')}" }) { totalCount } }` }),
}

/** All kinds of queries. */
export function queryKinds(some: Selections): Record<string, Kind> {
  const { schema, random } = some
  const steering = new Coverage(schema, random)
  const anything = (): Template => {
    const { query, variables } = randomOperation({ schema, random, ids: { ...IDS, Author: IDS.User }, steering })
    return () => ({ query, variables })
  }
  const map = <T>(table: Readonly<Record<string, T>>, kind: (each: T) => Kind) =>
    Object.fromEntries(Object.entries(table).map(([name, each]) => [name, kind(each)]))
  return {
    ...map(PLAIN, (make) => ({ data: true, clean: true, make: () => same(make(some)) })),
    passwords: { data: true, clean: true, make: () => passwords(some) },
    searches: { data: true, clean: true, make: () => searches(some) },
    'random queries': { data: true, make: anything },
    'left early': { data: false, left: true, make: () => same(groups(some)) },
    ...map(FAILING, (template) => ({ data: false, make: () => template })),
  }
}
