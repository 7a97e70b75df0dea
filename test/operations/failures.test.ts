import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { merged } from '../support/merged.js'
import { PROFILE, READER, SITE_NAMES, SPELLING } from '../support/profile.js'
import { type RunningProxy, type Substitute, startProxy } from '../support/proxy.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf, CANDID } from '../support/world.js'

const said = (status: number, code: string, message = 'No.'): Substitute => ({
  status,
  body: JSON.stringify({ code, message, data: { status } }),
})

describe('refusals and invalid responses of the site', () => {
  let lms: RunningLms
  let proxy: RunningProxy
  let gateway: Served
  let intercept: (path: string) => Substitute | undefined

  beforeAll(async () => {
    lms = await startLms({ profile: PROFILE })
    proxy = await startProxy(lms.url, (path) => intercept(SPELLING.specified(path)))
    gateway = await serve(merged({ tuning: { site: defineSite(proxy.url, SITE_NAMES) } }, CANDID))
  })
  afterAll(async () => {
    await gateway.close()
    await proxy.close()
    await lms.close()
  })

  async function query(text: string, spoil: (path: string) => Substitute | undefined): Promise<any> {
    intercept = spoil
    return (await gateway.post({ query: text }, READER.as ? { authorization: authorizationOf(READER.as) } : {})).json()
  }

  it('one failing group of ten makes only its own branch null', async () => {
    const { data, errors } = await query('{ groups(first: 10) { nodes { databaseId courses(first: 1) { nodes { title } } } } }', (path) =>
      path.includes('/groups/1009/courses') ? said(500, 'internal_server_error') : undefined,
    )
    const { nodes } = data.groups
    const failing = nodes.findIndex((group: any) => group.databaseId === 1009)
    expect(nodes).toHaveLength(10)
    expect(nodes.filter((group: any) => group.courses === null)).toEqual([{ databaseId: 1009, courses: null }])
    expect(errors).toMatchObject([
      {
        path: ['groups', 'nodes', failing, 'courses'],
        message: 'The site answered 500 for v2/groups/:id/courses.',
        extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: { status: 500, code: 'internal_server_error' } },
      },
    ])
  })

  it('a failing batch makes its records null, each with the error at its index', async () => {
    const { data, errors } = await query(
      '{ course(id: 10002) { title prerequisites { title } lessons(first: 1) { nodes { title } } } }',
      (path) =>
        /sfwd-courses\/?\?.*include|sfwd-courses\/100[0-9]{2}/.test(path) && !path.includes('/10002?')
          ? said(503, 'wp_die', '<p>Closed &amp; shut</p>')
          : undefined,
    )
    expect(data.course.title).toBeTruthy()
    expect(data.course.lessons.nodes).toHaveLength(1)
    expect(data.course.prerequisites.length).toBeGreaterThan(0)
    expect(data.course.prerequisites.every((course: any) => course === null)).toBe(true)
    expect(errors).toHaveLength(data.course.prerequisites.length)
    expect(errors[0]).toMatchObject({ path: ['course', 'prerequisites', 0], extensions: { code: 'UPSTREAM_UNAVAILABLE' } })
    expect(errors[0].message).not.toContain('<')
  })

  it.each([
    [said(401, 'rest_not_logged_in'), 'UNAUTHENTICATED'],
    [said(403, 'rest_forbidden'), 'FORBIDDEN'],
    [said(429, 'too_many'), 'UPSTREAM_RATE_LIMITED'],
    [said(400, 'rest_invalid_param'), 'UPSTREAM_REJECTED'],
    [said(404, 'rest_no_route'), 'NOT_FOUND'],
    [said(502, ''), 'UPSTREAM_UNAVAILABLE'],
    [{ status: 200, body: '<html>Hello</html>', type: 'text/html' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '[{"id": 10001' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '[]' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '"text"' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: 'null' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '{"code":"x","message":"y","data":{"status":500}}' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '{"id":10002,"title":{"rendered":"Another"}}' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '{}' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '{"title":{"rendered":"Nobody\'s"}}' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 200, body: '{"id":"odd"}' }, 'UPSTREAM_INVALID_RESPONSE'],
    [{ status: 301, body: '' }, 'UPSTREAM_INVALID_RESPONSE'],
  ] as [Substitute, string][])('%j is %s', async (substitute, code) => {
    const { data, errors } = await query('{ course(id: 10001) { title } }', () => substitute)
    expect(data).toEqual({ course: null })
    expect(errors).toMatchObject([{ path: ['course'], extensions: { code } }])
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|<html|at \w+ \(/)
  })

  it.each([
    ['{ question(id: 500001) { title } }', { question: null }],
    ['{ priceType(slug: "free") { name } }', { priceType: null }],
    ['{ user(id: 3) { progressIn(course: 10001) { stepsTotal } } }', { user: { progressIn: null } }],
  ])('an object that is not a record counts as missing: %s', async (text, nothing) => {
    for (const body of ['{}', '{"odd":1}', '[{"odd":1}]']) {
      const { data, errors } = await query(text, () => ({ status: 200, body }))
      expect(data).toEqual(nothing)
      expect(errors?.map(({ extensions }: any) => extensions.code)).toEqual(['UPSTREAM_INVALID_RESPONSE'])
    }
  })

  it.each([
    ['{ courses(first: 3) { nodes { title } } }', { courses: null }],
    ['{ priceTypes { name } }', { priceTypes: null }],
  ])('a list without valid rows, or an object, is an error: %s', async (text, nothing) => {
    for (const body of ['["odd"]', '[1,null]', '{"id":7,"title":{"rendered":"x"}}', '"odd"', 'null']) {
      const { data, errors } = await query(text, () => ({ status: 200, body }))
      expect([body, data]).toEqual([body, nothing])
      expect(errors?.map(({ extensions }: any) => extensions.code)).toEqual(['UPSTREAM_INVALID_RESPONSE'])
    }
  })

  it('an unknown record is null without an error', async () => {
    expect(await query('{ course(id: 77) { title } node(id: "Q291cnNlOjc3") { id } }', () => undefined)).toEqual({
      data: { course: null, node: null },
    })
  })

  it('a byte order mark and warnings before the JSON are ignored', async () => {
    const body = '\uFEFF<br />\n<b>Warning</b>: something [here]\n{"id":10001,"title":{"rendered":"Found"}}'
    expect(await query('{ course(id: 10001) { title } }', () => ({ status: 200, body }))).toEqual({ data: { course: { title: 'Found' } } })
  })

  it('a record that a batch omits is read by its id, at most ten times', async () => {
    const seen: string[] = []
    const { data, errors } = await query('{ courses(first: 60) { nodes { prerequisites { title } } } }', (path) => {
      seen.push(path)
      if (path.includes('include=')) return { status: 200, body: '[]' }
      return undefined
    })
    const prerequisites = data.courses.nodes.flatMap((course: any) => course.prerequisites)
    expect(seen.filter((path) => /sfwd-courses\/\d+/.test(path))).toHaveLength(10)
    expect(errors.every((error: any) => error.extensions.code === 'RECORD_UNRESOLVED')).toBe(true)
    expect(errors.length).toBe(prerequisites.filter((course: any) => course === null).length - missing(prerequisites, errors))
  })

  /** Nulls without an error: the missing prerequisite, if it was among the ten. */
  const missing = (records: unknown[], errors: unknown[]): number => records.filter((record) => record === null).length - errors.length
})
