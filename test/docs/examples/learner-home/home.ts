import { print } from 'graphql'
import { LearnerHomeDocument, type LearnerHomeQuery, type NextLessonReason } from 'lms-graphql/documents'

type Home = NonNullable<LearnerHomeQuery['viewer']>
type Next = NonNullable<Home['nextLessons']>[number]

/** What the page says when there is no next lesson. The compiler refuses the table when a reason is missing. */
const REASONS: Readonly<Record<NextLessonReason, string>> = {
  COURSE_COMPLETED: 'You have completed this course.',
  ALL_LESSONS_COMPLETED: 'You have completed all lessons. A quiz may be left.',
  NO_LESSONS: 'This course has no lessons.',
  LESSON_ORDER_UNREADABLE: 'Open the course to continue.',
  COMPLETED_STEPS_UNKNOWN: 'Open the course to continue.',
}

/** Everything the page shows, in one request. */
async function load(authorization: string): Promise<Home> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query: print(LearnerHomeDocument) }),
  })
  const { data, errors }: { data?: LearnerHomeQuery; errors?: { message: string }[] } = await response.json()
  // Fields that the site refuses are null, each with an error. The page shows the others.
  if (!data?.viewer?.nextLessons) throw new Error(errors?.[0]?.message ?? 'The gateway does not know who you are.')
  return data.viewer
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const linkTo = (href: string | null | undefined, text: string): HTMLElement =>
  href ? element('a', { href }, text) : element('span', {}, text)

function row({ course, progress: { percent }, lesson, reason }: Next): HTMLElement {
  const title = course?.title ?? 'A course'
  // Without the number of steps, the completed part is not known.
  const bar = percent === null ? [] : [element('progress', { max: 100, value: percent, ariaLabel: title }), ` ${percent} % `]
  const next = lesson
    ? linkTo(lesson.link, `Continue with ${lesson.title}`)
    : linkTo(course?.link, reason ? REASONS[reason] : 'Open the course.')
  return element('li', {}, element('h3', {}, title), ...bar, next)
}

function page({ name, nextLessons, courseProgress }: Home): Node[] {
  const completed = courseProgress?.nodes.filter((progress) => progress?.status === 'COMPLETED') ?? []
  return [
    element('p', {}, `Welcome, ${name ?? 'learner'}.`),
    element('h2', {}, 'Continue'),
    element('ul', {}, ...(nextLessons ?? []).map(row)),
    element('h2', {}, 'Completed'),
    element('ul', {}, ...completed.map((progress) => element('li', {}, progress?.course?.title ?? 'A course'))),
  ]
}

const [form, status] = [document.querySelector('form'), document.querySelector('[role=status]')]
form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const [login, password] = ['login', 'password'].map((name) => String(new FormData(form).get(name)))
  try {
    status?.replaceChildren(...page(await load(`Basic ${btoa(`${login}:${password}`)}`)))
  } catch (error) {
    status?.replaceChildren(String(error))
  }
})
