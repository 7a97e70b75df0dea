import { parse } from 'graphql'

/** Courses two at a time. */
export const COURSES = parse(`query Courses($after: String) {
  courses(first: 2, after: $after) { totalCount edges { cursor node { id title } } pageInfo { endCursor hasNextPage hasPreviousPage startCursor } }
}`)

/** Refetches a course by its global id. */
export const NODE = parse('query Node($id: ID!) { node(id: $id) { id ... on Course { title menuOrder } } }')

/** A mutation with all its results. */
export const RENAME = parse(`mutation Rename($input: UpdateCourseInput!) {
  updateCourse(input: $input) {
    __typename
    ... on UpdateCourseSuccess { course { id title } }
    ... on InvalidInputError { fields { field message } }
    ... on LmsError { code message }
  }
}`)
