import { type GraphQLInputObjectType, getNamedType } from 'graphql'
import { markedDay, markedNumber, markedTime, markOf } from './marks.js'
import { GUARDED } from './private-interface.js'
import type { Kind, Template } from './private-operations.js'
import { coursesOfGroup, IDS } from './private-records.js'
import { POSTS, type Selections, said } from './private-selections.js'

type Post = (typeof POSTS)[number]

/** The errors of mutations. */
const PROBLEM =
  '... on LmsError { problem: message code } ... on InvalidInputError { fields { field message } } ... on UpstreamError { upstream { status code } }'

/** Marked values of input fields by type; fields of other types are left out. */
const VALUES: Readonly<Record<string, (caller: number, name: string) => unknown>> = {
  String: (caller, name) => said(caller, name),
  HTML: (caller, name) => `<p>${said(caller, name)}</p>`,
  JSONObject: (caller, name) => ({ [name]: [said(caller, name), { [markOf(caller)]: markedNumber(caller, 1) }] }),
  Int: (caller) => markedNumber(caller, 5),
  Float: (caller) => markedNumber(caller, 6),
  Boolean: () => true,
  LocalDateTime: (caller) => markedTime(caller, 7),
  LocalDate: (caller) => markedDay(caller, 8),
}

/** Fields whose bounds exclude all marked values. */
const UNMARKED = ['priceTypeSlug', 'slug', 'threshold', 'passingPercentage', 'assignmentUploadLimitSize', 'assignmentUploadLimitExtensions']

/** Relations that are read of a written record. */
const BELOW: Readonly<Record<Post, string>> = {
  Group: 'courses(first: 2) { nodes { slug } }',
  Course: 'priceType { name }',
  Lesson: 'course { title }',
  Quiz: 'author { id }',
}

/** Writes a random half of the fields of the input. */
function saving(some: Selections, verb: 'create' | 'update', type: Post): Template {
  const field = type.toLowerCase()
  const name = `${verb === 'create' ? 'Create' : 'Update'}${type}`
  const fields = Object.values((some.schema.getType(`${name}Input`) as GraphQLInputObjectType).getFields())
  const known = fields.filter(({ name, type }) => !UNMARKED.includes(name) && name !== 'title' && getNamedType(type).name in VALUES)
  const chosen = some.random.some(known, known.length / 2)
  const id = verb === 'update' ? { id: String(some.published(type)) } : {}
  const success = `... on ${name}Success { ${field} { ${some.of(type, 9)} ${BELOW[type]} } }`
  const query = `mutation ($input: ${name}Input!) { ${verb}${type}(input: $input) { ${success} ${PROBLEM} } }`
  return (caller) => {
    const values = chosen.map((each) => {
      const value = VALUES[getNamedType(each.type).name]?.(caller, each.name)
      return [each.name, String(each.type).startsWith('[') ? [value] : value]
    })
    return { query, variables: { input: { ...id, title: said(caller, 'title'), ...Object.fromEntries(values) } } }
  }
}

function deleting(some: Selections): Template {
  const [kept, gone] = some.random.some(IDS.Group.slice(1), 2)
  const query = `mutation {
    kept: deleteGroup(input: { id: ${kept} }) { ... on DeleteGroupSuccess { trashed group { ${some.of('Group')} } } ${PROBLEM} }
    gone: deleteGroup(input: { id: ${gone}, force: true }) { ... on DeleteGroupSuccess { deletedId trashed } ${PROBLEM} } }`
  return () => ({ query })
}

function adding(some: Selections): Template {
  const group = some.id('Group')
  const courses = JSON.stringify(some.random.some(coursesOfGroup(group), 3))
  const success = `... on AddCoursesToGroupSuccess { additions { courseId added code message course { slug } } group { ${some.of('Group')} } }`
  const query = `mutation { addCoursesToGroup(input: { id: ${group}, courseIds: ${courses} }) { ${success} ${PROBLEM} } }`
  return () => ({ query })
}

const refused: Template = (caller) => ({
  query: `mutation { updateGroup(input: { id: 102, title: "${said(caller, 'refused')}" }) { __typename ${PROBLEM} }
    trashed: deleteGroup(input: { id: 101 }) { __typename ${PROBLEM} } guarded: deleteGroup(input: { id: ${GUARDED} }) { __typename ${PROBLEM} } }`,
})

/** All kinds of mutations. */
export function mutationKinds(some: Selections): Record<string, Kind> {
  const clean = (make: () => Template): Kind => ({ data: true, clean: true, make })
  return {
    ...Object.fromEntries(POSTS.map((type) => [`create${type}`, clean(() => saving(some, 'create', type))])),
    ...Object.fromEntries(POSTS.map((type) => [`update${type}`, clean(() => saving(some, 'update', type))])),
    deleteGroup: clean(() => deleting(some)),
    addCoursesToGroup: clean(() => adding(some)),
    'refused writes': { data: false, make: () => refused },
  }
}
