import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { json } from '../../support/site.js'
import { as, ProtectedSetup, until } from './setup.js'

// While the queue is long, the gateway verifies credentials, and gives those that are verified a queue of their own.

const IDENTITY = '/wp-json/wp/v2/users/me'
const refuse = (response: ServerResponse, status = 401): void =>
  json(response, { code: 'rest_not_logged_in', message: 'No.', data: { status } }, { status })
const isGood = ({ headers }: IncomingMessage): boolean => headers.authorization === 'good'

let setup: ProtectedSetup
afterEach(() => setup.close())

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Paths of the checks, after a caller has read something while the queue is long. */
async function checksOf(
  authorization: string,
  { identity, record }: { identity: Answer; record: Answer },
  crowd = 60,
  path = '/record/1',
): Promise<string[]> {
  setup = await ProtectedSetup.start({}, { maxInFlight: 2, identityPath: IDENTITY })
  const { site } = setup
  site.handler = (request, response) => {
    const { url = '' } = request
    if (url === IDENTITY) identity(request, response)
    else if (url.startsWith('/record')) record(request, response)
    else setTimeout(() => json(response, []), 5)
  }
  const others = Array.from({ length: crowd }, (_, i) => setup.get(`/other/${i}`, { principal: '' }))
  const read = setup.get(path, { ...as(authorization), principal: '' })
  await read
  await Promise.all(others)
  const seen = site.requests.filter(({ url = '' }) => !url.startsWith('/other'))
  return seen.map(({ url, headers }) => `${url} ${headers.authorization ?? 'anonymous'}`)
}

/** Whether calls of a caller have a queue of their own, which takes turns with the queue of all unverified callers. */
async function hasOwnQueue(authorization: string): Promise<boolean> {
  const { site } = setup
  const held: ServerResponse[] = []
  site.requests.length = 0
  site.handler = (_, response) => held.push(response)
  const all: Promise<unknown>[] = []
  for (let i = 0; i < 12; i++) all.push(setup.get(`/unverified/${i}`, { ...as(`made up ${i}`), principal: '', address: `${i}` }))
  for (let i = 0; i < 4; i++) all.push(setup.get(`/own/${i}`, { ...as(authorization), principal: '', address: 'own' }))
  for (let i = 0; i < 16; i++) {
    await until(() => held.length > 0)
    json(held.shift() as ServerResponse, [])
  }
  await Promise.all(all)
  const places = site.paths.flatMap((path, at) => (path.startsWith('/own') ? [at] : []))
  return (places.at(-1) as number) < 12
}

const tellsWhoCalls: Answer = (request, response) => (isGood(request) ? json(response, { id: 7 }) : refuse(response))
const public_: Answer = (_, response) => json(response, { id: 1 })
const guardedRecord: Answer = (request, response) => (isGood(request) ? json(response, { id: 1 }) : refuse(response))
const missing: Answer = (_, response) => json(response, { code: 'rest_no_route', message: 'No.', data: { status: 404 } }, { status: 404 })

describe('credentials are verified', () => {
  it('by a path that identifies callers and refuses anonymous ones', async () => {
    expect(await checksOf('good', { identity: tellsWhoCalls, record: public_ })).toEqual([
      '/record/1 good',
      `${IDENTITY} anonymous`,
      `${IDENTITY} good`,
    ])
    expect(await hasOwnQueue('good')).toBe(true)
  })

  it('by a read that the site refuses to anonymous callers', async () => {
    const identity: Answer = (_, response) => refuse(response)
    expect(await checksOf('good', { identity, record: guardedRecord })).toEqual([
      '/record/1 good',
      `${IDENTITY} anonymous`,
      `${IDENTITY} good`,
      '/record/1 anonymous',
    ])
    expect(await hasOwnQueue('good')).toBe(true)
  })

  it('by a write', async () => {
    setup = await ProtectedSetup.start({}, { maxInFlight: 2 })
    await setup.post('/x', { ...as('good'), principal: '' })
    expect(await hasOwnQueue('good')).toBe(true)
  })
})

describe('credentials are not verified', () => {
  it('by a read with a password of a record, which is never sent without the credentials of its caller', async () => {
    const path = '/record/1?password=open'
    const identity: Answer = (_, response) => refuse(response)
    expect(await checksOf('good', { identity, record: guardedRecord }, 60, path)).toEqual([`${path} good`])
  })

  it('by a successful read alone, on a site that treats wrong credentials as none', async () => {
    expect(await checksOf('made up', { identity: tellsWhoCalls, record: public_ })).toEqual([
      '/record/1 made up',
      `${IDENTITY} anonymous`,
      `${IDENTITY} made up`,
      '/record/1 anonymous',
    ])
    expect(await hasOwnQueue('made up')).toBe(false)
  })

  it('by a site that answers all callers alike, or has no such path', async () => {
    expect(await checksOf('made up', { identity: (_, response) => json(response, { id: 7 }), record: public_ })).toHaveLength(3)
    expect(await hasOwnQueue('made up')).toBe(false)
    await setup.close()
    await checksOf('made up', { identity: missing, record: public_ })
    expect(await hasOwnQueue('made up')).toBe(false)
  })

  it('by a refusal without a code of the interface, such as one of a firewall', async () => {
    const record: Answer = (request, response) =>
      request.headers.authorization ? json(response, { id: 1 }) : void response.writeHead(403).end('<html>Blocked</html>')
    await checksOf('made up', { identity: missing, record })
    expect(await hasOwnQueue('made up')).toBe(false)
  })
})

it('credentials are not verified while the queue is short', async () => {
  expect(await checksOf('good', { identity: tellsWhoCalls, record: public_ }, 10)).toEqual(['/record/1 good'])
})
