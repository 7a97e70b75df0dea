import { graphql, useLazyLoadQuery } from 'react-relay'
import type { courseQuery } from './__generated__/courseQuery.graphql'

export function Course({ id }: { readonly id: string }) {
  const { course } = useLazyLoadQuery<courseQuery>(
    graphql`
      query courseQuery($id: ID!) {
        course(id: $id) {
          title
          titleRaw @catch
        }
      }
    `,
    { id },
  )
  return (
    <>
      <h1>{course?.title ?? 'There is no such course.'}</h1>
      {course?.titleRaw.ok === false && <p role="alert">The raw title cannot be shown.</p>}
    </>
  )
}
