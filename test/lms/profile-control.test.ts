import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { afterAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms, startLmsThread } from '../../src/lms/index.js'

const running: RunningLms[] = []
afterAll(() => Promise.all(running.map((lms) => lms.close())))

async function start(options: Parameters<typeof startLms>[0] = {}, by = startLms): Promise<RunningLms> {
  const lms = await by(options)
  running.push(lms)
  return lms
}

const headers = { 'content-type': 'application/json' }
async function control(lms: RunningLms, method = 'GET', body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${lms.url}/-/switches`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return { status: response.status, body: await response.json() }
}

describe('the control route', () => {
  it('exists only with the option', async () => {
    expect((await control(await start())).body.code).toBe('rest_no_route')
  })

  it('refuses deeply nested bodies', async () => {
    const lms = await start({ control: true })
    for (const value of [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`]) {
      const response = await fetch(`${lms.url}/-/switches`, { method: 'PATCH', headers, body: `{"switches":{"workers":${value}}}` })
      expect([response.status, await response.json()]).toEqual([400, { complaints: ['The body must nest at most 16 levels.'] }])
    }
  })

  it('returns and sets profile and switches', async () => {
    const lms = await start({ control: true, profile: 'learndash', switches: { workers: 3 } })
    const state = await control(lms)
    expect(state.body).toMatchObject({ profile: 'learndash', switches: { namespace: 'ldlms', workers: 3, bom: null, adminOnly: true } })

    const patched = await control(lms, 'PATCH', { switches: { bom: { next: 1 } } })
    expect(patched.body).toMatchObject({ profile: 'learndash', switches: { workers: 3, bom: { next: 1 } } })
    const again = await control(lms, 'PATCH', { profile: 'learndash-5' })
    expect(again.body).toMatchObject({ profile: 'learndash-5', switches: { workers: 3, gmtDates: true } })

    const put = await control(lms, 'PUT', { switches: { adminOnly: true } })
    expect(put.body).toMatchObject({ profile: 'lms', switches: { namespace: 'lms', workers: 0, bom: null, adminOnly: true } })
    expect((await fetch(`${lms.url}/lms/v1/groups`)).status).toBe(401)
    expect((await control(lms, 'PUT', {})).body.switches.adminOnly).toBe(false)
    expect((await fetch(`${lms.url}/lms/v1/groups`)).status).toBe(200)
  })

  it('keeps the count of `next` when other switches change', async () => {
    const lms = await start({ control: true, switches: { fatalHtml: { next: 2 } } })
    const status = async (): Promise<number> => (await fetch(`${lms.url}/lms/v2/price-types`)).status
    expect(await status()).toBe(500)
    await control(lms, 'PATCH', { switches: { workers: 4 } })
    expect([await status(), await status()]).toEqual([500, 200])
  })

  it('is not affected by faults', async () => {
    const lms = await start({ control: true, switches: { fatalHtml: true } })
    expect((await control(lms)).status).toBe(200)
  })

  it('names all errors, and then changes nothing', async () => {
    const lms = await start({ control: true })
    const switches = {
      bomb: true,
      workers: -1,
      openCourses: 'some',
      latency: { median: 5 },
      fatalhtml: true,
      cutOff: { nxt: 1 },
      namespace: 'A b',
    }
    const { status, body } = await control(lms, 'PUT', { profile: 'moodle', also: 1, switches: { ...switches, adminOnly: true } })
    expect(status).toBe(400)
    const expected = [
      /Unknown member `also`/,
      /profile is `moodle`; it must be one of lms, learndash, learndash-5\./,
      /no switch `bomb`\./,
      /`workers` is `-1`; it must be a whole number from 0 to 1000\./,
      /`openCourses` is `some`; it must be one of none, unknown, all\./,
      /`latency` is `\{"median":5\}`; it must be false, or median and p95/,
      /no switch `fatalhtml`\. Did you mean fatalHtml\?/,
      /`cutOff` is `\{"nxt":1\}`; it must be true, false, or some of next, chance, route and retryAfter/,
      /`namespace` is `A b`; it must be a word\./,
    ]
    expect(body.complaints).toHaveLength(expected.length)
    for (const [place, pattern] of expected.entries()) expect(body.complaints[place]).toMatch(pattern)
    expect((await control(lms)).body.switches.adminOnly).toBe(false)
  })

  it('accepts only GET, PUT and PATCH, with JSON objects', async () => {
    const lms = await start({ control: true })
    expect((await control(lms, 'DELETE')).status).toBe(405)
    for (const body of [[], 'x', 1, null, { switches: [] }]) expect((await control(lms, 'PUT', body)).status).toBe(400)
    const put = async (body: string, type: string): Promise<number> =>
      (await fetch(`${lms.url}/-/switches`, { method: 'PUT', body, headers: { 'content-type': type } })).status
    expect([await put('{', 'application/json'), await put('{}', 'text/plain'), await put('{}', 'application/json')]).toEqual([
      400, 415, 200,
    ])
  })

  it('accepts only clients and host names of this machine', async () => {
    const lms = await start({ control: true })
    const named = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request(`${lms.url}/-/switches`, { headers: { host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode!)
        })
          .on('error', reject)
          .end()
      })
    expect([await named('evil.example'), await named(`localhost:${lms.port}`), await named('127.0.0.1')]).toEqual([403, 200, 200])
    const address = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')
    if (!address) return
    const open = await start({ control: true, host: '0.0.0.0' })
    const response = await fetch(`http://${address.address}:${open.port}/-/switches`, { headers: { host: 'localhost' } })
    expect(response.status).toBe(403)
  })
})

describe.each([
  ['startLms', startLms],
  ['startLmsThread', startLmsThread],
] as const)('%s', (_name, by) => {
  it('accepts profile, switches and control', async () => {
    const lms = await start(
      { profile: 'learndash', switches: { adminOnly: false, namespace: 'school', bom: { next: 1 } }, control: true },
      by,
    )
    const ask = async (path: string): Promise<string> => Buffer.from(await (await fetch(lms.url + path)).arrayBuffer()).toString()
    expect((await ask('/school/v1/groups/1001?_fields=id')).replace('\uFEFF', 'BOM')).toBe('BOM{"id":1001}')
    expect((await control(lms)).body.profile).toBe('learndash')
  })

  it('names all errors in them', async () => {
    const wrong = by({ profile: 'moodle' as never, switches: { workers: 'many', bomb: true } as never })
    await expect(wrong).rejects.toThrow(/moodle.*\n.*`workers` is `many`.*\n.*no switch `bomb`/)
  })
})
