import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { backEnd } from '../docs/examples/sign-in/back-end.js'
import { basic, signIn } from '../docs/examples/sign-in/sign-in.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

// The code of docs/front-ends/sign-in.md.

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function start(): Promise<World> {
  const world = await World.start({}, { profile: 'lms' }, { routes: ['users/me'] })
  open.push(world)
  return world
}

/** A browser of the back end: its requests, with the cookie that it was given last. */
async function browse(gateway: string) {
  const server = backEnd(gateway)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.unshift({ close: () => new Promise((resolve) => server.close(resolve)) })
  let cookie = ''
  const post = async (path: string, body: object, type = 'application/json') => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, cookie },
      body: JSON.stringify(body),
    })
    const [given] = response.headers.getSetCookie()
    if (given !== undefined) cookie = /Max-Age=0/.test(given) ? '' : (given.split(';')[0] as string)
    const received = await response.text()
    return { status: response.status, given, body: received === '' ? undefined : JSON.parse(received) }
  }
  return { post, cookie: () => cookie }
}

const FORM = '{ viewer { name } course(id: 10003) { title viewerCanUpdate } }'

it('the form learns whether credentials are right', async () => {
  const { gateway } = await start()
  const ask = (login: string, password: string) => signIn(gateway.url, basic(login, password))
  expect(await ask('learner', 'learner-demo')).toEqual({ state: 'accepted', name: 'Lena Learner', roles: ['subscriber'] })
  expect(await ask('learner', 'wrong')).toEqual({ state: 'rejected' })
  expect(await ask('nobody', 'wrong')).toEqual({ state: 'rejected' })
})

it('the form learns that nobody knows, when the site fails or too many passwords were wrong', async () => {
  const site = await FakeSite.start((_, response) => json(response, {}, { status: 503 }))
  const failing = await serve({ site: { url: site.url, routes: ['users/me'] }, protection: { retries: 0 } })
  open.push(failing, site)
  expect(await signIn(failing.url, basic('learner', 'learner-demo'))).toMatchObject({ state: 'failed', code: 'UPSTREAM_UNAVAILABLE' })
  const { gateway } = await start()
  const states: string[] = []
  for (let round = 0; round < 12; round++) {
    const result = await signIn(gateway.url, basic('learner', `wrong ${round}`))
    states.push(result.state)
    if (result.state === 'failed') expect(result).toEqual({ state: 'failed', code: 'RATE_LIMITED', retryAfter: expect.any(Number) })
  }
  expect([states.slice(0, 9).every((state) => state === 'rejected'), states.at(-1)]).toEqual([true, 'failed'])
})

it('the back end keeps the credentials of a session, until the user signs out', async () => {
  const { gateway } = await start()
  const { post, cookie } = await browse(gateway.url)
  expect((await post('/graphql', { query: FORM })).body.data).toMatchObject({ viewer: null, course: { viewerCanUpdate: false } })
  const refused = await post('/sign-in', { login: 'admin', password: 'wrong' })
  expect([refused.body, refused.given]).toEqual([{ state: 'rejected' }, undefined])
  const accepted = await post('/sign-in', { login: 'admin', password: 'admin-demo' })
  expect(accepted.body).toEqual({ state: 'accepted', name: 'Ada Administrator', roles: ['administrator'] })
  expect(accepted.given).toMatch(/^session=[\w-]{43}; HttpOnly; Secure; SameSite=Strict; Path=\/$/)
  const held = cookie()
  expect((await post('/graphql', { query: FORM })).body.data).toMatchObject({
    viewer: { name: 'Ada Administrator' },
    course: { viewerCanUpdate: true },
  })
  await post('/sign-out', {})
  expect(cookie()).toBe('')
  expect((await post('/graphql', { query: FORM })).body.data.viewer).toBeNull()
  const other = await browse(gateway.url)
  expect((await other.post('/graphql', { query: FORM })).body.data.viewer).toBeNull()
  expect(held).not.toBe('')
})

it('the back end ends a session whose password the site no longer accepts, and no other', async () => {
  let isRevoked = false
  const site = await FakeSite.start(({ url = '' }, response) => {
    const refuse = (code: string) => json(response, { code, message: 'No.', data: { status: 401 } }, { status: 401 })
    if (isRevoked) refuse('incorrect_password')
    else if (url.includes('users/me')) json(response, { id: 5, name: 'Ann', roles: [] })
    else refuse('rest_forbidden')
  })
  const gateway = await serve({ site: { url: site.url, routes: ['users/me'] } })
  open.push(gateway, site)
  const { post, cookie } = await browse(gateway.url)
  await post('/sign-in', { login: 'ann', password: 'x' })
  const query = '{ courses { totalCount } }'
  expect((await post('/graphql', { query })).body.errors[0].extensions.code).toBe('UNAUTHENTICATED')
  expect(cookie()).not.toBe('')
  isRevoked = true
  await post('/graphql', { query })
  expect(cookie()).toBe('')
})

it('the back end refuses what is no JSON, and survives a gateway that is gone', async () => {
  const { post } = await browse('http://127.0.0.1:9')
  expect((await post('/graphql', {}, 'text/plain')).status).toBe(415)
  expect((await post('/graphql', {})).status).toBe(502)
  expect((await post('/sign-in', {})).status).toBe(502)
})
