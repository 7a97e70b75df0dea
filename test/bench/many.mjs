// A site with 10,000 courses and nothing else: it answers one list, with as many columns as are asked for.
import { createServer } from 'node:http'

const TOTAL = 10_000

const course = (id) => ({
  id,
  title: { rendered: `Course ${id}: an introduction` },
  course_price: `${id % 100}.00`,
  course_prerequisite: id % 3 === 0 ? [id - 1, id - 2] : [],
})

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://127.0.0.1')
  const size = Number(searchParams.get('per_page') ?? 10)
  const offset = Number(searchParams.get('offset') ?? 0)
  const rows = Array.from({ length: Math.max(0, Math.min(size, TOTAL - offset)) }, (_, index) => course(offset + index + 1))
  const headers = { 'content-type': 'application/json', 'x-wp-total': TOTAL, 'x-wp-totalpages': Math.ceil(TOTAL / size) }
  response.writeHead(200, headers)
  response.end(JSON.stringify(rows))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
