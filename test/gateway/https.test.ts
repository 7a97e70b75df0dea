import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway/gateway.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { Command } from '../support/command.js'
import { canSecure, Secured } from '../support/secured.js'
import { FakeSite } from '../support/site.js'
import { authorizationOf } from '../support/world.js'

describe.skipIf(!canSecure)('a site that sends everything on to https', () => {
  let lms: RunningLms
  let secured: Secured
  let plain: FakeSite
  let command: Command
  let url: string

  beforeAll(async () => {
    lms = await startLms()
    secured = new Secured(lms.url)
    const there = await secured.start(30)
    plain = await FakeSite.start((request, response) => response.writeHead(301, { location: `${there.url}${request.url}` }).end())
    command = new Command(['--upstream', plain.url, '--port', '0'], { NODE_EXTRA_CA_CERTS: there.certificate })
    url = `${await command.address()}/graphql`
  })
  afterAll(async () => {
    await command.stop()
    await plain.close()
    secured.close()
    await lms.close()
  })

  async function ask(query: string): Promise<any> {
    const headers = { 'content-type': 'application/json', authorization: authorizationOf('admin') }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json()
  }

  it('is not written to by its http address', async () => {
    const { data } = await ask('mutation { createCourse(input: {}) { ... on UpstreamError { code upstream { status } } } }')
    expect(data.createCourse).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 301 } })
    expect(plain.requests).toHaveLength(1)
  })

  it('is read there, also by those who asked at the same time, and from then on at once', async () => {
    const query =
      '{ course(id: 10001) { title } group(id: 1001) { title } priceTypes { slug } user(id: 3) { courseProgress { totalCount } } }'
    const { data, errors } = await ask(query)
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({ course: { title: expect.any(String) }, group: { title: expect.any(String) } })
    // All four were on their way before the first was sent on.
    expect(plain.requests).toHaveLength(5)
    expect((await ask(query)).data).toEqual(data)
    expect((await ask('mutation { createCourse(input: {}) { __typename } }')).data.createCourse.__typename).toBe('CreateCourseSuccess')
    expect(plain.requests).toHaveLength(5)
  })
})

it('is not followed to another host, another path, or back to http', async () => {
  for (const location of [
    'https://other.example/lms',
    'https://127.0.0.1/elsewhere',
    'http://127.0.0.1:1/lms',
    '/elsewhere',
    'nonsense:',
  ]) {
    const site = await FakeSite.start((_, response) => response.writeHead(302, { location }).end())
    const gateway = createGateway({ upstream: site.url })
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ priceTypes { slug } }' }),
    })
    const { errors } = (await response.json()) as { errors: any[] }
    expect([location, errors[0].extensions]).toEqual([
      location,
      { code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 302, code: null } },
    ])
    expect(site.requests).toHaveLength(1)
    await gateway.close()
    await site.close()
  }
})
