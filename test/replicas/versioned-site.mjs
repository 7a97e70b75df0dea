// A site whose records have a version and the mark of their id, and answers that say for whom they are. Reads show the data of one moment between
// their arrival and their answer, and writes change it right before their answer, so that all orders of them occur.
// Prints its address. `GET /counts` returns how many reads and writes it had, and the most at a time.
import { createServer } from 'node:http'

const [courses, groups, longest] = process.argv.slice(2).map(Number)
const versions = new Map()
const lessons = new Map()
const members = new Map()
const counts = { reads: 0, writes: 0, most: 0 }
let open = 0
let lastLesson = 100_000

for (let id = 1; id <= courses; id++) {
  versions.set(id, 0)
  lessons.set(id, [])
}
for (let id = 1; id <= groups; id++) members.set(id, [id])

const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * longest))
const whoOf = ({ headers }) =>
  headers.authorization ? Buffer.from(headers.authorization.slice(6), 'base64').toString().split(':')[0] : 'anonymous'
const course = (id, who) => ({ id, title: { rendered: `course ${id} v${versions.get(id)} for ${who}` } })

/** The id in a path of the form `<before>/<id><after>`. */
const idIn = (path, before, after = '') => Number(new RegExp(`^${before}/(\\d+)${after}$`).exec(path)?.[1])

const COURSES = '/lms/v1/sfwd-courses'
const GROUPS = '/lms/v1/groups'
const LESSONS = '/lms/v2/sfwd-lessons'
const OF_GROUPS = '/lms/v2/groups'

/** Returns rows and an optional total, or undefined when there is no such record. */
function read(url, who) {
  const path = url.pathname
  const ids = url.searchParams.get('include')?.split(',').map(Number)
  const first = Number(url.searchParams.get('per_page') ?? 10)
  if (path === COURSES) {
    const all = (ids ?? [...versions.keys()]).filter((id) => versions.has(id))
    return [all.slice(0, first).map((id) => course(id, who)), all.length]
  }
  if (path === LESSONS) {
    const of = Number(url.searchParams.get('course'))
    const all = lessons.get(of) ?? []
    return [all.slice(0, first).map((id) => ({ id, course: of, title: { rendered: `lesson ${id} of ${of} for ${who}` } })), all.length]
  }
  const id = idIn(path, COURSES)
  if (versions.has(id)) return [course(id, who)]
  const group = idIn(path, GROUPS)
  if (members.has(group)) return [{ id: group, title: { rendered: `group ${group} for ${who}` } }]
  const all = members.get(idIn(path, OF_GROUPS, '/courses'))
  return all && [all.slice(0, first).map((each) => course(each, who)), all.length]
}

/** Returns the answer to a write. */
function write(url, body, who) {
  const path = url.pathname
  const id = idIn(path, COURSES)
  if (versions.has(id)) {
    versions.set(id, Number(body.title.slice(1)))
    return course(id, who)
  }
  if (path === LESSONS) {
    const lesson = ++lastLesson
    lessons.get(body.course).push(lesson)
    return { id: lesson, course: body.course, title: { rendered: `lesson ${lesson} of ${body.course} for ${who}` } }
  }
  const all = members.get(idIn(path, OF_GROUPS, '/courses'))
  for (const each of body.course_ids) if (!all.includes(each)) all.push(each)
  return body.course_ids.map((each) => ({ course_id: each, status: 'success', code: 'learndash_rest_success' }))
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  if (url.pathname === '/counts') return void response.end(JSON.stringify(counts))
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  open++
  counts.most = Math.max(counts.most, open)
  counts[request.method === 'GET' ? 'reads' : 'writes']++
  await pause()
  const who = whoOf(request)
  const [answer, total] =
    request.method === 'GET' ? (read(url, who) ?? []) : [write(url, JSON.parse(Buffer.concat(chunks).toString()), who)]
  // Writes are answered at once, so that reads that began before them are often still in flight.
  if (request.method === 'GET') await pause()
  open--
  const headers = { 'content-type': 'application/json' }
  if (total !== undefined) Object.assign(headers, { 'x-wp-total': total, 'x-wp-totalpages': Math.ceil(total / 10) })
  response.writeHead(answer === undefined ? 404 : 200, headers)
  response.end(JSON.stringify(answer ?? { code: 'rest_no_route', message: 'None.', data: { status: 404 } }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
