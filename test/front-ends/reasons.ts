import type { possibleTypes } from 'lms-graphql/schema'

/** The names of all types of reasons. */
type Reason = (typeof possibleTypes)['AccessReason'][number]

/** What a page says to the learner. The compiler refuses the table when a reason is missing. */
const TEXTS: Readonly<Record<Reason, string>> = {
  NotPublished: 'This is not published yet.',
  PasswordRequired: 'Enter the password to open this.',
  CourseNotStarted: 'The course has not started yet.',
  CourseEnded: 'The course is over.',
  NotEnrolled: 'Join the course to open it.',
  PrerequisitesMissing: 'Complete other courses first.',
  Expired: 'Your access has ended.',
  NotYetReleased: 'This lesson opens later.',
  PreviousLessonIncomplete: 'Complete the lesson before this one.',
}

/** The text for a reason of `access`. Reasons of later versions have a general one. */
export const textFor = ({ __typename }: { readonly __typename: Reason }): string => TEXTS[__typename] ?? 'You cannot open this.'
