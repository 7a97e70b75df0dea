import { infiniteQueryOptions, mutationOptions, type QueryClient, queryOptions, useInfiniteQuery } from '@tanstack/react-query'
import type { GraphQLClient } from 'graphql-request'
import { CatalogueDocument, CoursePageDocument, CreateCourseDocument, type CreateCourseMutationVariables } from 'lms-graphql/documents'

/** The keys of all queries. Invalidating a short key takes the longer ones that begin with it along. */
export const queryKeys = {
  courses: () => ['courses'] as const,
  catalogue: (search: string) => [...queryKeys.courses(), 'catalogue', search] as const,
  coursePage: (id: string) => [...queryKeys.courses(), 'page', id] as const,
}

/** A course with its lessons. When nothing shows it any more, `signal` ends the request and its REST calls. */
export const coursePage = (client: GraphQLClient, id: string) =>
  queryOptions({
    queryKey: queryKeys.coursePage(id),
    queryFn: ({ signal }) => client.request({ document: CoursePageDocument, variables: { id }, signal }),
  })

/** The catalogue, page by page. */
export const catalogue = (client: GraphQLClient, search: string) =>
  infiniteQueryOptions({
    queryKey: queryKeys.catalogue(search),
    queryFn: ({ pageParam, signal }) => client.request({ document: CatalogueDocument, variables: { search, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ courses }) => (courses?.pageInfo.hasNextPage ? courses.pageInfo.endCursor : null),
  })

/** Adds a course. Rejects with the message of the error that the mutation answers, and reads the courses again after a success. */
export const createCourse = (client: GraphQLClient, queryClient: QueryClient) =>
  mutationOptions({
    mutationFn: async (input: CreateCourseMutationVariables['input']) => {
      const { createCourse: result } = await client.request({ document: CreateCourseDocument, variables: { input } })
      if (result?.__typename !== 'CreateCourseSuccess') throw new Error(result?.message)
      return result.course
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.courses() }),
  })

export function Catalogue({ client, search }: { readonly client: GraphQLClient; readonly search: string }) {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(catalogue(client, search))
  if (error) return <p>{error.message}</p>
  const courses = data?.pages.flatMap((page) => page.courses?.nodes ?? []) ?? []
  return (
    <>
      <ul>{courses.map((course) => course && <li key={course.id}>{course.title}</li>)}</ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          More
        </button>
      )}
    </>
  )
}
