import type { CreateCourseMutation } from 'lms-graphql/documents'

/** What a form shows after it was sent. */
export function outcomeOf({ createCourse: result }: CreateCourseMutation): string {
  if (result === null) return 'The request failed: see its errors.'
  switch (result.__typename) {
    case 'CreateCourseSuccess':
      return `The course ${result.course?.title} was added.`
    case 'InvalidInputError':
      return result.fields.map(({ field, message }) => `${field}: ${message}`).join('\n')
    default:
      return result.message
  }
}
