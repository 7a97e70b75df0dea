import { useQuery } from 'urql'
import { graphql } from './gql'

const CourseQuery = graphql(`
  query UrqlCourse($id: ID!) {
    course(id: $id) {
      id
      title
      titleRaw
    }
  }
`)

export function Course({ id }: { readonly id: string }) {
  const [{ data, error, fetching }] = useQuery({ query: CourseQuery, variables: { id } })
  if (fetching) return <p>Loading …</p>
  if (error?.networkError) return <p role="alert">{error.networkError.message}</p>
  return (
    <>
      <h1>{data?.course?.title ?? 'There is no such course.'}</h1>
      {error?.graphQLErrors.map(({ path, extensions }) => (
        <p key={path?.join('.')} role="alert">
          {path?.join('.')}: {String(extensions.code)}
        </p>
      ))}
    </>
  )
}
