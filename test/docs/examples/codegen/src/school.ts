import { execute, type Gateway } from './execute.js'
import { type FragmentType, graphql, readFragment } from './gql/index.js'

const CourseLine = graphql(`
  fragment CourseLine on Course {
    id
    title
    dateGmt
    priceType {
      id
      name
    }
  }
`)

/** A line of text about a course. It sees the fields of its fragment, and no others. */
export function courseLine(masked: FragmentType<typeof CourseLine>): string {
  const { title, dateGmt, priceType } = readFragment(CourseLine, masked)
  return `${title}, since ${dateGmt?.slice(0, 10) ?? 'today'}, ${priceType?.name ?? 'no price'}`
}

const School = graphql(`
  query School($groups: Int!, $courses: Int!) {
    groups(first: $groups) {
      nodes {
        id
        title
        courses(first: $courses) {
          nodes {
            ...CourseLine
          }
        }
      }
    }
  }
`)

/** The groups with their courses, as lines of text. */
export async function schoolLines(gateway: Gateway): Promise<string[]> {
  const { groups } = await execute(gateway, School, { groups: 2, courses: 2 })
  return (groups?.nodes ?? []).flatMap((group) => [
    `${group?.title}:`,
    ...(group?.courses?.nodes ?? []).map((course) => `- ${course ? courseLine(course) : 'a course that cannot be shown'}`),
  ])
}

const Progress = graphql(`
  query Progress($user: ID!) {
    user(id: $user) {
      id
      courseProgress(first: 3) {
        nodes {
          id
          status
          stepsCompleted
          stepsTotal
          dateStarted
          course {
            id
            title
          }
        }
      }
    }
  }
`)

/** How far a user is in three courses. */
export async function progressLines(gateway: Gateway, user: number): Promise<string[]> {
  const data = await execute(gateway, Progress, { user })
  return (data.user?.courseProgress?.nodes ?? []).map((progress) => {
    const { course, status, stepsCompleted, stepsTotal, dateStarted } = progress ?? {}
    return `${course?.title}: ${status}, ${stepsCompleted} of ${stepsTotal} steps, started ${dateStarted?.slice(0, 10) ?? 'never'}`
  })
}
