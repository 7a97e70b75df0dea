// The floor: no GraphQL and no checks, one handler per job. `operationName` picks it, `variables` are its arguments, the query is
// not read. Calls are as few as the REST interface allows, ask for what is answered only, and start as soon as their ids are known.
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'

const { upstream } = parseArgs({ options: { upstream: { type: 'string' } } }).values
const pool = new Pool(upstream, { connections: 256, pipelining: 1 })

/** Calls for one caller. */
class Rest {
  constructor(authorization) {
    this.headers = authorization === undefined ? {} : { authorization }
  }

  /** The answer to a path; null when the site says that there is no such record. */
  async find(path) {
    const { statusCode, body } = await pool.request({ path: `/lms/${path}`, method: 'GET', headers: this.headers })
    const answer = JSON.parse(await body.text())
    if (statusCode === 200) return answer
    if (statusCode === 404) return null
    throw new Error(`The LMS answers ${path} with ${statusCode}.`)
  }

  async get(path) {
    const answer = await this.find(path)
    if (answer === null) throw new Error(`The LMS has no ${path}.`)
    return answer
  }

  /** Adds those of `ids` that are not in `known`, in batches of 100; null for those that do not exist. */
  async addTitles(known, route, ids, more = '') {
    const missing = [...new Set(ids)].filter((id) => !known.has(id))
    if (missing.length > 1) {
      const batches = []
      for (let start = 0; start < missing.length; start += 100) batches.push(missing.slice(start, start + 100))
      const lists = batches.map((batch) => this.get(`${route}?per_page=100&_fields=${TITLE}${more}&include=${batch.join()}`))
      for (const rows of await Promise.all(lists)) for (const row of rows) known.set(row.id, titled(row))
    }
    // A batch leaves out what is hidden as well as what is not there; only a single read can tell.
    const left = missing.filter((id) => !known.has(id))
    const rows = await Promise.all(left.map((id) => this.find(`${route}/${id}?_fields=${TITLE}`)))
    for (const [index, row] of rows.entries()) known.set(left[index], row && titled(row))
    return known
  }
}

const TITLE = 'id,title.rendered'
const COURSES = 'v1/sfwd-courses'
const titled = (row) => ({ databaseId: row.id, title: row.title.rendered })
const courseList = (size, offset, fields) => `${COURSES}?per_page=${size}&offset=${offset}&orderby=id&order=asc&_fields=${fields}`
const titlesById = (rows) => new Map(rows.map((row) => [row.id, titled(row)]))
const nodes = (rows) => ({ nodes: rows.map(titled) })

const HANDLERS = {
  async Q1(rest, { id }) {
    const row = await rest.get(`${COURSES}/${id}?_fields=${TITLE},slug,date,course_price`)
    return { course: { ...titled(row), slug: row.slug, date: row.date, price: row.course_price } }
  },

  async Q2(rest, { offset }) {
    const rows = await rest.get(courseList(100, offset, `${TITLE},course_price`))
    return { courses: { nodes: rows.map((row) => ({ ...titled(row), price: row.course_price })) } }
  },

  async Q3(rest, { offset }) {
    const rows = await rest.get(courseList(100, offset, `${TITLE},course_prerequisite`))
    const known = titlesById(rows)
    await rest.addTitles(
      known,
      COURSES,
      rows.flatMap((row) => row.course_prerequisite),
    )
    return {
      courses: { nodes: rows.map((row) => ({ ...titled(row), prerequisites: row.course_prerequisite.map((id) => known.get(id)) })) },
    }
  },

  async Q4(rest, { offset }) {
    const [groups, priceTypes] = await Promise.all([
      rest
        .get(`v1/groups?per_page=10&offset=${offset}&orderby=id&order=asc&_fields=${TITLE}`)
        .then((rows) => Promise.all(rows.map((group) => coursesOf(rest, group)))),
      rest.get('v2/price-types?_fields=slug,name'),
    ])
    const courses = groups.flatMap((group) => group.courses)
    const known = titlesById(courses)
    await rest.addTitles(
      known,
      COURSES,
      courses.flatMap((row) => row.prerequisites),
    )
    const prices = new Map(priceTypes.map(({ slug, name }) => [slug, { slug, name }]))
    const course = (row) => ({
      ...titled(row),
      priceType: prices.get(row.price_type),
      prerequisites: row.prerequisites.map((id) => known.get(id)),
    })
    return { groups: { nodes: groups.map(({ group, courses }) => ({ ...titled(group), courses: { nodes: courses.map(course) } })) } }
  },

  async Q5(rest, { id }) {
    const rows = await rest.get(`v2/users/${id}/course-progress?per_page=100&_fields=course,progress_status,steps_completed`)
    const [known, lessons] = await Promise.all([
      rest.addTitles(
        new Map(),
        COURSES,
        rows.map((row) => row.course),
      ),
      Promise.all(rows.map((row) => rest.get(`v2/sfwd-lessons?course=${row.course}&per_page=10&_fields=title.rendered`))),
    ])
    const progress = (row, index) => ({
      status: row.progress_status,
      stepsCompleted: row.steps_completed,
      course: { ...known.get(row.course), lessons: { nodes: lessons[index].map((lesson) => ({ title: lesson.title.rendered })) } },
    })
    return { user: { databaseId: id, courseProgress: { nodes: rows.map(progress) } } }
  },

  async Q6(rest, { offset }) {
    const rows = await rest.get(courseList(50, offset, TITLE))
    const ofEach = (route) => Promise.all(rows.map(({ id }) => rest.get(`${route}?course=${id}&per_page=100&_fields=${TITLE}`)))
    const [lessons, quizzes] = await Promise.all([ofEach('v2/sfwd-lessons'), ofEach('v1/sfwd-quiz')])
    const course = (row, index) => ({ ...titled(row), lessons: nodes(lessons[index]), quizzes: nodes(quizzes[index]) })
    return { courses: { nodes: rows.map(course) } }
  },

  async Q7(rest, ids) {
    const asked = Object.values(ids)
    const rows = await Promise.all(asked.map((id) => rest.get(`v1/sfwd-questions/${id}?_fields=_id,_title,_quizId`)))
    const quizzes = await rest.addTitles(
      new Map(),
      'v1/sfwd-quiz',
      rows.map((row) => row._quizId),
      '&status=any',
    )
    const question = (row, index) => ({ databaseId: asked[index], title: row._title, quiz: quizzes.get(row._quizId) })
    return Object.fromEntries(rows.map((row, index) => [`q${index + 1}`, question(row, index)]))
  },

  // The others are those of `growth-jobs.mjs`.
  async Rows(rest, { first, offset }) {
    const starts = Array.from({ length: Math.ceil(first / 100) }, (_, page) => offset + page * 100)
    const fields = `${TITLE},course_price,course_prerequisite`
    const pages = await Promise.all(starts.map((start) => rest.get(courseList(Math.min(100, first), start, fields))))
    const course = (row) => ({ ...titled(row), price: row.course_price, prerequisiteIds: row.course_prerequisite })
    return { courses: { nodes: pages.flat().map(course) } }
  },

  Path2: (rest, { offset }) => path(rest, offset, 2),
  Path3: (rest, { offset }) => path(rest, offset, 3),
  Path4: (rest, { offset }) => path(rest, offset, 4),
  Path5: (rest, { offset }) => path(rest, offset, 5),
}

/** Ten courses with lessons and, `depth` levels in all, with prerequisites that have the same. */
async function path(rest, offset, depth) {
  const fields = (level) => (level > 2 ? `${TITLE},course_prerequisite` : TITLE)
  const below = async (rows, level) => {
    const lessons = Promise.all(rows.map(({ id }) => rest.get(`v2/sfwd-lessons?course=${id}&per_page=10&_fields=${TITLE}`)))
    if (level === 2) return (await lessons).map((each, index) => ({ ...titled(rows[index]), lessons: nodes(each) }))
    const ids = rows.flatMap((row) => row.course_prerequisite)
    const batches = []
    for (let start = 0; start < ids.length; start += 100) {
      batches.push(rest.get(`${COURSES}?per_page=100&_fields=${fields(level - 1)}&include=${ids.slice(start, start + 100).join()}`))
    }
    const courses = await below((await Promise.all(batches)).flat(), level - 1)
    const known = new Map(courses.map((each) => [each.databaseId, each]))
    const course = (each, index) => {
      const { course_prerequisite: prerequisites } = rows[index]
      return { ...titled(rows[index]), lessons: nodes(each), prerequisites: prerequisites.map((id) => known.get(id)) }
    }
    return (await lessons).map(course)
  }
  return { courses: { nodes: await below(await rest.get(courseList(10, offset, fields(depth))), depth) } }
}

async function coursesOf(rest, group) {
  return { group, courses: await rest.get(`v2/groups/${group.id}/courses?per_page=100&_fields=${TITLE},price_type,prerequisites`) }
}

async function answer(request, chunks) {
  try {
    const { operationName, variables } = JSON.parse(Buffer.concat(chunks))
    return [200, { data: await HANDLERS[operationName](new Rest(request.headers.authorization), variables) }]
  } catch (error) {
    return [500, { errors: [{ message: error.message }] }]
  }
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const [status, body] = await answer(request, chunks)
    const text = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
