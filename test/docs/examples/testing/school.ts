/** The address of the gateway, and the credentials of the user. */
export interface Gateway {
  readonly url: string
  readonly authorization: string
  /** Milliseconds to wait for a response. */
  readonly patience?: number
}

/** A course as a page shows it. */
export interface Course {
  readonly id: string
  readonly title: string
}

/** What a page shows: courses, or why there are none. */
export type State = { readonly courses: readonly Course[] } | { readonly problem: string }

async function run(gateway: Gateway, query: string, variables: object): Promise<any> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: gateway.authorization },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(gateway.patience ?? 10_000),
  })
  return response.json()
}

const COURSES = 'query Courses($search: String) { courses(first: 3, where: { search: $search }) { nodes { id title } } }'

/** Finds courses by a word in their titles or contents. */
export async function findCourses(gateway: Gateway, search: string): Promise<State> {
  try {
    const { data, errors } = await run(gateway, COURSES, { search })
    if (errors) return { problem: errors[0].extensions.code }
    return { courses: data.courses.nodes }
  } catch (error) {
    return { problem: (error as Error).name }
  }
}

const RENAME = `mutation Rename($input: UpdateCourseInput!) {
  updateCourse(input: $input) {
    ... on UpdateCourseSuccess { course { id title } }
    ... on LmsError { code }
  }
}`

/** Changes the title of a course. */
export async function renameCourse(gateway: Gateway, id: string, title: string): Promise<State> {
  const { data } = await run(gateway, RENAME, { input: { id, title } })
  const { course, code } = data.updateCourse
  return course ? { courses: [course] } : { problem: code }
}
