// A site in a process of its own. Each call takes SERVICE milliseconds, and like a PHP worker it goes on when its connection is closed.
import { createServer } from 'node:http'

const SERVICE = Number(process.env.SERVICE ?? 20)
let state
let running = 0
const reset = () => {
  state = { calls: 0, reads: 0, most: running, busy: 0, writes: {} }
}
reset()

const json = (response, body, status = 200) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const bodyOf = async (request) => {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

const server = createServer(async (request, response) => {
  if (request.url === '/-/state') return json(response, { ...state, running })
  if (request.url === '/-/reset') {
    reset()
    return json(response, {})
  }
  const since = performance.now()
  state.calls++
  state.most = Math.max(state.most, ++running)
  const body = await bodyOf(request).catch(() => '')
  setTimeout(() => {
    running--
    state.busy += performance.now() - since
    const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url)?.[1] ?? 0)
    if (request.method === 'GET') {
      if (id > 0) state.reads++
      return json(response, id > 0 ? { id, title: { rendered: `Title ${id}` } } : [])
    }
    const { title } = JSON.parse(body)
    state.writes[title] = (state.writes[title] ?? 0) + 1
    json(response, { id, title: { rendered: title, raw: title } })
  }, SERVICE)
})
server.keepAliveTimeout = 5_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
