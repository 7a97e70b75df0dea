import { signIn, tokenFromCode } from './sign-in.js'

const GATEWAY = 'https://graphql.example.org/graphql'

const CATALOGUE = `query Catalogue {
  courses(first: 12) { nodes { id title featuredImage { url alt } courseCategories { name } } }
}`

const COURSE = `query CoursePage($id: ID!) {
  course(id: $id) {
    title
    outline { sections { title lessons { lesson { id title } } } }
  }
}`

const LESSON = `query LessonPage($id: ID!, $course: ID!) {
  lesson(id: $id, course: $course) { title content }
}`

const MY_LEARNING = `query MyLearning {
  viewer {
    nextLessons(first: 3) {
      course { id title }
      progress { percent nextStep { step { __typename id title } } }
    }
    courses(first: 100) {
      edges { enrolledAt node { id title progress { percent } } }
    }
  }
}`

const token = await tokenFromCode()

/** Sends an operation. What the gateway refuses is null in the data, with an error at its path. */
async function ask(query, variables = {}) {
  const response = await fetch(GATEWAY, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  // The token has expired: the page starts again as that of a visitor.
  if (response.status === 401 && token) {
    location.reload()
    await new Promise(() => {})
  }
  return response.json()
}

const section = (label) => document.querySelector(`[aria-label="${label}"]`)

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const button = (text, onclick) => element('button', { type: 'button', onclick }, text)
const list = (items) => element('ul', {}, ...items.map((children) => element('li', {}, ...children)))

function card({ id, title, featuredImage, courseCategories }) {
  const picture = featuredImage?.url ? [element('img', { src: featuredImage.url, alt: featuredImage.alt ?? '', width: 200 })] : []
  const names = courseCategories.map((category) => category?.name).join(', ')
  return [...picture, element('h3', {}, title), element('p', {}, names), button(`Open ${title}`, () => showCourse(id))]
}

async function showCourse(id) {
  const { title, outline } = (await ask(COURSE, { id })).data.course
  // A lesson that this caller may not see is null.
  const shown = (lessons) => lessons.flatMap(({ lesson }) => (lesson ? [[button(lesson.title, () => showLesson(lesson.id, id))]] : []))
  const sections = outline.sections.flatMap(({ title, lessons }) => [element('h3', {}, title ?? 'Lessons'), list(shown(lessons))])
  section('Course').replaceChildren(element('h2', {}, title), ...sections)
}

async function showLesson(id, course) {
  const { data, errors = [] } = await ask(LESSON, { id, course })
  const { title, content } = data.lesson
  // The HTML is that of the site: scripts in it do not run in this frame.
  const text =
    content === null
      ? element('p', { role: 'alert' }, errors[0]?.message ?? '')
      : element('iframe', { title, srcdoc: content, sandbox: '' })
  section('Course').replaceChildren(element('h2', {}, title), text)
}

const bar = (title, progress) =>
  progress?.percent == null ? [] : [element('progress', { max: 100, value: progress.percent, ariaLabel: title })]

function next({ course: { id, title }, progress }) {
  const step = progress.nextStep?.step
  const open = step?.__typename === 'Lesson' ? () => showLesson(step.id, id) : () => showCourse(id)
  return [element('h3', {}, title), ...bar(title, progress), button(step ? `Continue with ${step.title}` : `Open ${title}`, open)]
}

const mine = ({ enrolledAt, node: { id, title, progress } }) => [
  element('h3', {}, title),
  element('p', {}, enrolledAt ? `Since ${enrolledAt.slice(0, 10)}` : ''),
  ...bar(title, progress),
  button(`Open ${title}`, () => showCourse(id)),
]

async function show() {
  document.querySelector('#sign-in').hidden = token !== undefined
  section('My learning').replaceChildren()
  section('Course').replaceChildren()
  const { courses } = (await ask(CATALOGUE)).data
  section('Catalogue').replaceChildren(element('h2', {}, 'Catalogue'), list(courses.nodes.map(card)))
  if (!token) return
  const { viewer } = (await ask(MY_LEARNING)).data
  const parts = [list(viewer.nextLessons.map(next)), element('h2', {}, 'My courses'), list(viewer.courses.edges.map(mine))]
  section('My learning').replaceChildren(element('h2', {}, 'Continue'), ...parts)
}

document.querySelector('#sign-in').onclick = signIn
await show()
