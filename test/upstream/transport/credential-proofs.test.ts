import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { json } from '../../support/site.js'
import { as, Guarded, until } from './setup.js'

// While much waits for the site, the gateway learns whose credentials are good: then they have a line of their own.

const IDENTITY = '/wp-json/wp/v2/users/me'
const refuse = (response: ServerResponse, status = 401): void =>
  json(response, { code: 'rest_not_logged_in', message: 'No.', data: { status } }, { status })
const isGood = ({ headers }: IncomingMessage): boolean => headers.authorization === 'good'

let guarded: Guarded
afterEach(() => guarded.close())

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Paths of the checks, after a caller has read something while others wait. */
async function checksOf(authorization: string, { identity, record }: { identity: Answer; record: Answer }, crowd = 60): Promise<string[]> {
  guarded = await Guarded.to({}, { maxInFlight: 2, identityPath: IDENTITY })
  const { site } = guarded
  site.handler = (request, response) => {
    const { url = '' } = request
    if (url === IDENTITY) identity(request, response)
    else if (url.startsWith('/record')) record(request, response)
    else setTimeout(() => json(response, []), 5)
  }
  const others = Array.from({ length: crowd }, (_, i) => guarded.get(`/other/${i}`, { principal: '' }))
  const read = guarded.get('/record/1', { ...as(authorization), principal: '' })
  await read
  await Promise.all(others)
  const seen = site.requests.filter(({ url = '' }) => !url.startsWith('/other'))
  return seen.map(({ url, headers }) => `${url} ${headers.authorization ?? 'anonymous'}`)
}

/** Whether calls of a caller have a line of their own: they then take turns with all strangers together. */
async function hasLine(authorization: string): Promise<boolean> {
  const { site } = guarded
  const held: ServerResponse[] = []
  site.requests.length = 0
  site.handler = (_, response) => held.push(response)
  const all: Promise<unknown>[] = []
  for (let i = 0; i < 12; i++) all.push(guarded.get(`/stranger/${i}`, { ...as(`made up ${i}`), principal: '', address: `${i}` }))
  for (let i = 0; i < 4; i++) all.push(guarded.get(`/own/${i}`, { ...as(authorization), principal: '', address: 'own' }))
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

describe('credentials are proven', () => {
  it('by a path that tells callers who they are, and refuses anonymous ones', async () => {
    expect(await checksOf('good', { identity: tellsWhoCalls, record: public_ })).toEqual([
      '/record/1 good',
      `${IDENTITY} anonymous`,
      `${IDENTITY} good`,
    ])
    expect(await hasLine('good')).toBe(true)
  })

  it('by a read that an anonymous caller is refused', async () => {
    const identity: Answer = (_, response) => refuse(response)
    expect(await checksOf('good', { identity, record: guardedRecord })).toEqual([
      '/record/1 good',
      `${IDENTITY} anonymous`,
      `${IDENTITY} good`,
      '/record/1 anonymous',
    ])
    expect(await hasLine('good')).toBe(true)
  })

  it('by a write', async () => {
    guarded = await Guarded.to({}, { maxInFlight: 2 })
    await guarded.post('/x', { ...as('good'), principal: '' })
    expect(await hasLine('good')).toBe(true)
  })
})

describe('credentials are not proven', () => {
  it('by an answered read alone, on a site that takes wrong credentials for none', async () => {
    expect(await checksOf('made up', { identity: tellsWhoCalls, record: public_ })).toEqual([
      '/record/1 made up',
      `${IDENTITY} anonymous`,
      `${IDENTITY} made up`,
      '/record/1 anonymous',
    ])
    expect(await hasLine('made up')).toBe(false)
  })

  it('by a site that tells everybody the same, or has no such path', async () => {
    expect(await checksOf('made up', { identity: (_, response) => json(response, { id: 7 }), record: public_ })).toHaveLength(3)
    expect(await hasLine('made up')).toBe(false)
    await guarded.close()
    await checksOf('made up', { identity: missing, record: public_ })
    expect(await hasLine('made up')).toBe(false)
  })

  it('by a refusal that is not one of the interface, such as that of a firewall', async () => {
    const record: Answer = (request, response) =>
      request.headers.authorization ? json(response, { id: 1 }) : void response.writeHead(403).end('<html>Blocked</html>')
    await checksOf('made up', { identity: missing, record })
    expect(await hasLine('made up')).toBe(false)
  })
})

it('costs no call while little waits for the site', async () => {
  expect(await checksOf('good', { identity: tellsWhoCalls, record: public_ }, 10)).toEqual(['/record/1 good'])
})
