import type { CreateCourseMutation, InvalidFieldCode } from 'lms-graphql/documents'

type Result = NonNullable<CreateCourseMutation['createCourse']>
type InvalidField = Extract<Result, { __typename: 'InvalidInputError' }>['fields'][number]

/** German messages, with `#` in place of the limit. The compiler refuses the table when a code is missing. */
const MESSAGES: Readonly<Record<InvalidFieldCode, string>> = {
  REQUIRED: 'Bitte ausfüllen.',
  TOO_LONG: 'Höchstens # Zeichen.',
  TOO_SMALL: 'Mindestens #.',
  TOO_LARGE: 'Höchstens #.',
  OUT_OF_RANGE: 'Die Zahl ist zu klein oder zu groß.',
  TOO_FEW: 'Mindestens # auswählen.',
  TOO_MANY: 'Höchstens # auswählen.',
  INVALID_FORMAT: 'Diese Eingabe hat nicht die richtige Form.',
  NOT_ONE_OF: 'Diese Auswahl gibt es nicht.',
  NOT_FOUND: 'Das gibt es nicht mehr.',
  CONFLICT: 'Das passt nicht zu einer anderen Eingabe.',
  REJECTED: 'Die Schule lehnt diese Eingabe ab.',
}

/** The message below a field of a form. The site tells no limits, and later versions can have further codes. */
export function messageFor({ code, limit }: InvalidField): string {
  const message = MESSAGES[code] ?? MESSAGES.REJECTED
  return limit === null && message.includes('#') ? MESSAGES.REJECTED : message.replace('#', String(limit))
}
