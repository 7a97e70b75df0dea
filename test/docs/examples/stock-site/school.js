import { signIn, tokenFromCode } from './sign-in.js'

const GATEWAY = 'https://graphql.example.org/graphql'

const CATALOGUE = `query Catalogue {
  courses(first: 12) {
    nodes { id title featuredImage { url alt } courseCategories { name } }
  }
}`

const COURSE = `query CoursePage($id: ID!) {
  course(id: $id) {
    id title
    outline { sections { title lessons { lesson { id title } } } }
  }
}`

const LESSON = `query LessonPage($id: ID!, $course: ID!) {
  lesson(id: $id, course: $course) { id title content }
}`

const MY_LEARNING = `query MyLearning {
  viewer {
    id name
    courses(first: 20) {
      edges {
        enrolledAt
        node { id title progress { percent nextStep { type step { id title } } } }
      }
    }
  }
}`

let token = await tokenFromCode()

/** Sends an operation. What the gateway refuses is null in the data, with an error at its path. */
async function ask(query, variables = {}) {
  const response = await fetch(GATEWAY, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  // The token has expired: the visitor's page, until somebody signs in again.
  if (response.status === 401 && token) {
    token = undefined
    await show()
    throw new Error('Sign in again.')
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

function card({ id, title, featuredImage, courseCategories }) {
  const picture = featuredImage?.url ? [element('img', { src: featuredImage.url, alt: featuredImage.alt ?? '', width: 160 })] : []
  const names = courseCategories.map((category) => category?.name).join(', ')
  return element(
    'li',
    {},
    ...picture,
    element('h3', {}, title),
    element('p', {}, names),
    button(`Open ${title}`, () => showCourse(id)),
  )
}

async function showCourse(id) {
  const { data } = await ask(COURSE, { id })
  const { title, outline } = data.course
  const lessons = ({ title, lessons }) => [
    element('h3', {}, title ?? 'Lessons'),
    element(
      'ol',
      {},
      ...lessons.map(({ lesson }) =>
        element(
          'li',
          {},
          button(lesson.title, () => showLesson(lesson.id, id)),
        ),
      ),
    ),
  ]
  section('Course').replaceChildren(element('h2', {}, title), ...outline.sections.flatMap(lessons))
}

async function showLesson(id, course) {
  const { data, errors = [] } = await ask(LESSON, { id, course })
  const { title, content } = data.lesson
  const text = element('article', {}, element('h2', {}, title))
  // The gateway passes the HTML of the site on: clean it, or show it where its scripts cannot run.
  if (content !== null) text.append(element('iframe', { title, srcdoc: content, sandbox: '' }))
  else text.append(element('p', { role: 'alert' }, errors[0]?.message ?? 'This lesson has no text.'))
  section('Course').replaceChildren(text)
}

function mine({ enrolledAt, node: { id, title, progress } }) {
  const since = enrolledAt ? [element('p', {}, `Enrolled ${enrolledAt.slice(0, 10)}`)] : []
  const bar = progress?.percent == null ? [] : [element('progress', { max: 100, value: progress.percent, ariaLabel: title })]
  const next = progress?.nextStep?.step
  const open = next ? button(`Continue with ${next.title}`, () => showLesson(next.id, id)) : button(`Open ${title}`, () => showCourse(id))
  return element('li', {}, element('h3', {}, title), ...since, ...bar, open)
}

async function show() {
  document.querySelector('#sign-in').hidden = token !== undefined
  section('My learning').replaceChildren()
  section('Course').replaceChildren()
  const { data } = await ask(CATALOGUE)
  section('Catalogue').replaceChildren(element('h2', {}, 'Catalogue'), element('ul', {}, ...data.courses.nodes.map(card)))
  if (!token) return
  const { viewer } = (await ask(MY_LEARNING)).data
  section('My learning').replaceChildren(element('h2', {}, `Welcome, ${viewer.name}`), element('ul', {}, ...viewer.courses.edges.map(mine)))
}

document.querySelector('#sign-in').onclick = signIn
await show()
