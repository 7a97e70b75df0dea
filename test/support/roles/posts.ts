import { SAMPLES } from '../../../src/lms/index.js'
import { globalId } from '../global-id.js'
import { type Case, fieldsOf, read } from './matrix.js'
import { HIDDEN, MANY, ONE, type PostName, PUBLIC, TYPES, UNKNOWN } from './site.js'

const PROTECTED = {
  Group: SAMPLES.protectedGroup,
  Course: SAMPLES.protectedCourse,
  Lesson: SAMPLES.protectedLesson,
  Quiz: SAMPLES.protectedQuiz,
} as const

/** Lists of steps are for administrators only, unless they are filtered by course. */
const inCourse = (type: PostName, course: number = PUBLIC.Course): string =>
  type === 'Lesson' || type === 'Quiz' ? `course: ${course}, ` : ''

function singles(type: PostName): Case[] {
  const [one, about, id] = [ONE[type], `Query.${ONE[type]}`, PUBLIC[type]]
  const content = (given: string, of: number): string => `${one}(id: ${of}${given}) { content }`
  const right = `, password: "${SAMPLES.password}"`
  return [
    read(about, 'published', `${one}(id: ${id}) { title content contentProtected }`, one),
    read(about, 'by global id', `${one}(id: "${globalId(type, id)}") { databaseId }`, one),
    read(about, 'unknown', `${one}(id: ${UNKNOWN}) { title }`, one),
    ...Object.entries(HIDDEN[type]).map(([status, hidden]) => read(about, status, `${one}(id: ${hidden}) { title status }`, one)),
    read(about, 'draft, only its id', `${one}(id: ${HIDDEN[type].draft}) { id }`, one),
    read(about, 'draft, edit-only fields too', `${one}(id: ${HIDDEN[type].draft}) { title titleRaw }`, one),
    read(about, 'beside an edit-only field', `${one}(id: ${id}) { title titleRaw }`, `${one}.title`),
    read(about, 'protected, no password', content('', PROTECTED[type]), `${one}.content`),
    read(about, 'protected, right password', content(right, PROTECTED[type]), `${one}.content`),
    read(about, 'protected, wrong password', content(', password: "wrong"', PROTECTED[type]), one),
    read(about, 'needless password', content(right, id), one),
    read(about, 'unknown, with a password', content(right, UNKNOWN), one),
  ]
}

function lists(type: PostName): Case[] {
  const [many, about] = [MANY[type], `Query.${MANY[type]}`]
  const list = (where: string, shown = 'title'): string => `${many}(first: 2, where: { ${inCourse(type)}${where} }) { nodes { ${shown} } }`
  const ids = (...given: number[]): string => `${many}(where: { id: { in: [${given}] } }) { nodes { databaseId } }`
  const steps = type === 'Lesson' || type === 'Quiz'
  return [
    read(about, steps ? 'of a course' : 'published', list(''), `${many}.nodes.*`),
    read(about, 'how many', `${many}(where: { ${inCourse(type)} }) { totalCount }`, `${many}.totalCount`),
    read(about, 'beside an edit-only field', list('', 'title titleRaw'), `${many}.nodes.*.title`),
    ...['PUBLISH', 'DRAFT', 'TRASH', 'ANY'].map((status) => read(about, `where.status ${status}`, list(`status: [${status}]`), many)),
    read(about, 'where.status PUBLISH and DRAFT', list('status: [PUBLISH, DRAFT]'), many),
    ...(steps
      ? [
          read(about, 'of no course', `${many}(first: 2) { nodes { title } }`, many),
          read(about, 'of no course, by ids', ids(PUBLIC[type]), many),
          read(about, 'of a draft course', `${many}(where: { ${inCourse(type, HIDDEN.Course.draft)} }) { totalCount }`, many),
          read(about, 'of an unknown course', `${many}(where: { ${inCourse(type, UNKNOWN)} }) { totalCount }`, many),
        ]
      : [
          read(about, 'published and draft, by ids', ids(PUBLIC[type], HIDDEN[type].draft), `${many}.nodes.*`),
          read(about, 'draft, by its id', ids(HIDDEN[type].draft), `${many}.nodes`),
          read(about, 'protected', `${many}(where: { id: { in: [${PROTECTED[type]}] } }) { nodes { content } }`, `${many}.nodes.*.content`),
        ]),
  ]
}

/** Edit-only fields of a record with a password, by name. */
function editOnly(type: PostName, fields: readonly string[]): Case[] {
  const [one, many] = [ONE[type], MANY[type]]
  return fields.flatMap((field) => {
    const list = `${many}(first: 2, where: { ${inCourse(type)} }) { nodes { ${field} } }`
    return [
      read(`${type}.${field}`, 'by id', `${one}(id: ${PROTECTED[type]}) { ${field} }`, `${one}.${field}`),
      read(`${type}.${field}`, 'by list', list, `${many}.nodes.*.${field}`),
    ]
  })
}

/** All cases about groups, courses, lessons and quizzes, and their edit-only fields. */
export const postCases = (editOnlyNames: readonly string[]): Case[] =>
  TYPES.flatMap((type) => [...singles(type), ...lists(type), ...editOnly(type, fieldsOf(type, editOnlyNames))])
