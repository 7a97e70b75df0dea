import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_USERS, type LmsOptions, type RunningLms, startLms } from '../../src/lms/index.js'

const CALLERS = [undefined, ...DEMO_USERS]
const KINDS = { 'v1/groups': 1_003, 'v1/sfwd-courses': 10_003, 'v2/sfwd-lessons': 100_003, 'v1/sfwd-quiz': 300_003 }

describe.each<[NonNullable<LmsOptions['profile']>, string]>([
  ['lms', 'lms'],
  ['learndash', 'ldlms'],
])('the methods in the links of records, by the profile %s', (profile, namespace) => {
  let lms: RunningLms
  beforeAll(async () => {
    lms = await startLms({ profile })
  })
  afterAll(() => lms.close())

  async function ask(path: string, user: (typeof CALLERS)[number], method = 'GET') {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (user) headers.authorization = `Basic ${btoa(`${user.login}:${user.password}`)}`
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{"menu_order":1}' }
    const response = await fetch(`${lms.url}/${namespace}/${path}`, { method, headers, ...body })
    return { status: response.status, body: (await response.json()) as any }
  }

  it.each(Object.entries(KINDS))('are those that each caller may use on %s/%i', async (route, id) => {
    for (const user of CALLERS) {
      const { status, body } = await ask(`${route}/${id}`, user)
      if (status !== 200) continue
      const { allow } = body._links.self[0].targetHints
      const may: string[] = []
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        if ((await ask(`${route}/${id}`, user, method)).status === 200) may.push(method)
      expect([user?.login, allow]).toEqual([user?.login, may])
      // What was in the trash is a draft again, which nobody else would see.
      if (may.includes('DELETE')) await publish(route, id)
    }
  })

  /** Publishes a record that was moved to the trash. */
  async function publish(route: string, id: number): Promise<void> {
    const headers = { authorization: `Basic ${btoa('admin:admin-demo')}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"status":"publish"}' }
    expect((await fetch(`${lms.url}/${namespace}/${route}/${id}`, init)).status).toBe(200)
  }

  it('are in answers to writes and in lists, also when `_fields` selects their link', async () => {
    const admin = DEMO_USERS[0]
    const { body: written } = await ask('v1/sfwd-courses/10003', admin, 'POST')
    expect(written._links.self[0].targetHints.allow).toContain('DELETE')
    const { body } = await ask('v1/sfwd-courses?per_page=2&_fields=id,_links.self', admin)
    for (const { _links } of body) expect(_links.self[0].targetHints.allow).toContain('POST')
  })
})

it('topics can be read only', async () => {
  const lms = await startLms()
  const response = await fetch(`${lms.url}/lms/v2/sfwd-topic?per_page=1`, {
    headers: { authorization: `Basic ${btoa('admin:admin-demo')}` },
  })
  const [topic] = (await response.json()) as any
  expect(topic._links.self[0].targetHints.allow).toEqual(['GET'])
  await lms.close()
})

it('records have no methods in their links without the additions to the specification', async () => {
  const lms = await startLms({ switches: { siteRoutes: false } })
  const response = await fetch(`${lms.url}/lms/v1/sfwd-courses/10003`)
  expect(((await response.json()) as any)._links.self).toEqual([{ href: expect.stringContaining('/sfwd-courses/10003') }])
  await lms.close()
})
