// A site with more records than the sample school: a course for every id, each with two prerequisites of its own and three lessons. It runs in
// the process of the benchmark, and answers every call alike, with the same columns.
import { createServer } from 'node:http'
import { LESSONS_OF_A_COURSE } from './growth-jobs.mjs'

/** Courses in lists. */
const LISTED = 20_000

// Prerequisites of different courses differ, as the children of a binary tree do.
const course = (id) => ({
  id,
  title: { rendered: `Course ${id}: an introduction` },
  course_price: `${id % 100}.00`,
  course_prerequisite: [2 * id, 2 * id + 1],
})

const lesson = (course, index) => ({
  id: LESSONS_OF_A_COURSE * course + index,
  title: { rendered: `Lesson ${index + 1} of ${course}` },
  course,
})

/** The rows of a path, and how many there are in all. */
function rowsOf({ pathname, searchParams }) {
  const size = Number(searchParams.get('per_page') ?? 10)
  const offset = Number(searchParams.get('offset') ?? 0)
  const ids = searchParams.get('include')?.split(',').map(Number)
  if (ids) return [ids.slice(offset, offset + size).map(course), ids.length]
  const [total, row] = pathname.endsWith('/sfwd-lessons')
    ? [LESSONS_OF_A_COURSE, (index) => lesson(Number(searchParams.get('course')), index)]
    : [LISTED, (index) => course(index + 1)]
  return [Array.from({ length: Math.max(0, Math.min(size, total - offset)) }, (_, index) => row(offset + index)), total]
}

/** Starts the site. `counted` returns the calls of an action, as that of `startLms` does. */
export async function startLargeSite() {
  const count = { calls: 0, bytes: 0 }
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const [rows, total] = rowsOf(new URL(request.url, 'http://127.0.0.1'))
    const body = JSON.stringify(rows)
    count.calls++
    count.bytes += body.length
    response.writeHead(200, { 'content-type': 'application/json', 'x-wp-total': total, 'content-length': body.length }).end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const counted = async (act) => {
    const before = { ...count }
    const result = await act()
    return { result, calls: count.calls - before.calls, bytes: count.bytes - before.bytes }
  }
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, counted, close }
}
