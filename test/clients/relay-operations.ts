import { graphql } from 'relay-runtime'

// Input of relay-compiler, not run. The tests use its output.
export const courses = graphql`
  query relayOperationsCoursesQuery($after: String) {
    courses(first: 2, after: $after) @connection(key: "relayOperations_courses") {
      edges {
        node {
          id
          title
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`

export const node = graphql`
  query relayOperationsNodeQuery($id: ID!) {
    node(id: $id) {
      id
      ... on Course {
        title
        menuOrder
      }
    }
  }
`

export const rename = graphql`
  mutation relayOperationsRenameMutation($input: UpdateCourseInput!) {
    updateCourse(input: $input) {
      __typename
      ... on UpdateCourseSuccess {
        course {
          id
          title
        }
      }
      ... on InvalidInputError {
        fields {
          field
        }
      }
      ... on LmsError {
        code
        message
      }
    }
  }
`
