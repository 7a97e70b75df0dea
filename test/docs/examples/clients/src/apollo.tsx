import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { useQuery } from '@apollo/client/react'
import { graphql } from './gql'

const CourseQuery = graphql(`
  query ApolloCourse($id: ID!) {
    course(id: $id) {
      id
      title
      titleRaw
    }
  }
`)

export function Course({ id }: { readonly id: string }) {
  const { data, error, loading } = useQuery(CourseQuery, { variables: { id }, errorPolicy: 'all' })
  if (loading) return <p>Loading …</p>
  if (error && !CombinedGraphQLErrors.is(error)) return <p role="alert">{error.message}</p>
  return (
    <>
      <h1>{data?.course?.title ?? 'There is no such course.'}</h1>
      {error?.errors.map(({ path, extensions }) => (
        <p key={path?.join('.')} role="alert">
          {path?.join('.')}: {String(extensions?.code)}
        </p>
      ))}
    </>
  )
}
