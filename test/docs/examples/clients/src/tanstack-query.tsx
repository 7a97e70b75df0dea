import type { ResultOf } from '@graphql-typed-document-node/core'
import { useQuery } from '@tanstack/react-query'
import { print } from 'graphql'
import type { GraphQLClient } from 'graphql-request'
import { graphql } from './gql'

const CourseQuery = graphql(`
  query TanStackCourse($id: ID!) {
    course(id: $id) {
      id
      title
      titleRaw
    }
  }
`)

/** `client` was made with `errorPolicy: 'all'`. */
export function Course({ client, id }: { readonly client: GraphQLClient; readonly id: string }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['course', id],
    queryFn: ({ signal }) => client.rawRequest<ResultOf<typeof CourseQuery>>({ query: print(CourseQuery), variables: { id }, signal }),
  })
  if (isPending) return <p>Loading …</p>
  if (error) return <p role="alert">{error.message}</p>
  return (
    <>
      <h1>{data.data.course?.title ?? 'There is no such course.'}</h1>
      {data.errors?.map(({ path, extensions }) => (
        <p key={path?.join('.')} role="alert">
          {path?.join('.')}: {String(extensions.code)}
        </p>
      ))}
    </>
  )
}
