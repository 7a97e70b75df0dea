import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '../../src/index.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const DEEP = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
const DEEP_LIST = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

let site: FakeSite
beforeAll(async () => {
  site = await FakeSite.start()
})
afterAll(() => site.close())

const started: Served[] = []
const calls: Call[] = []
const repairs: string[] = []
const faults: unknown[] = []
beforeEach(() => {
  for (const list of [calls, repairs, faults]) list.length = 0
})
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.close()
  expect(faults).toEqual([])
})

async function gatewayWith(options: Partial<Parameters<typeof serve>[0]> = {}): Promise<Served> {
  const gateway = await serve(
    merged(
      {
        site: { url: site.url },
        protection: { retries: 0 },
        on: {
          call: (call) => calls.push(call),
          repair: (shape, column) => repairs.push(`${shape}.${column}`),
          fault: (fault) => faults.push(fault),
        },
      },
      options,
    ),
  )
  started.push(gateway)
  return gateway
}

const says = (body: string, status = 200): void => {
  site.handler = (_, response) => response.writeHead(status, { 'content-type': 'application/json', 'x-wp-total': '1' }).end(body)
}

const ask = async (gateway: Served, query: string, extensions?: object): Promise<any> => (await gateway.post({ query, extensions })).json()

describe('a value that nests too deep', () => {
  const QUERY = '{ courses { nodes { databaseId title meta } } }'
  const rowWith = (meta: string): string => `{"id":1,"title":{"rendered":"Algebra"},"meta":${meta}}`
  const wanted = { courses: { nodes: [{ databaseId: 1, title: 'Algebra', meta: null }] } }

  it.each([
    ['objects', DEEP],
    ['a list', `{"a":${DEEP_LIST}}`],
  ])('of %s is null and counted, and other values are kept', async (_, meta) => {
    says(`[${rowWith(meta)}]`)
    for (const compile of [true, false]) {
      const gateway = await gatewayWith({ tuning: { compile } })
      // Once as a new operation, and once as a known one.
      for (let i = 0; i < 2; i++) expect(await ask(gateway, QUERY)).toEqual({ data: wanted })
    }
    expect(repairs).toEqual(Array(4).fill('Course.meta'))
    expect(calls).toHaveLength(4)
  })

  it('is listed with its path, on request', async () => {
    says(`[${rowWith(DEEP)}]`)
    expect(await ask(await gatewayWith(), QUERY, { repairs: true })).toEqual({
      data: wanted,
      extensions: { repairs: [{ path: ['courses', 'nodes', 0, 'meta'], field: 'Course.meta' }] },
    })
  })

  it('does no harm when the operation is explained, answered in parts, or answered from a stale answer', async () => {
    says(`[${rowWith(DEEP)}]`)
    const gateway = await gatewayWith({ observe: { explainFor: ['everybody'] }, cache: { staleIfError: 60 } })
    expect((await ask(gateway, QUERY, { explain: 'run' })).data).toEqual(wanted)
    const parts = await gateway.post({ query: '{ courses { nodes { databaseId ... @defer { meta } } } }' }, { accept: 'multipart/mixed' })
    expect(await parts.text()).toContain('"meta":null')
    says('', 503)
    expect(await ask(gateway, QUERY)).toEqual({
      data: wanted,
      extensions: { stale: { age: expect.any(Number), routes: ['v1/sfwd-courses'] } },
    })
  })

  it('does no harm to a router, or in the answer to a change', async () => {
    says(rowWith(DEEP))
    const gateway = await gatewayWith({ subgraph: { enabled: true } })
    const representations = '[{ __typename: "Course", databaseId: 1 }]'
    const { data } = await ask(gateway, `{ _entities(representations: ${representations}) { ... on Course { title meta } } }`)
    expect(data).toEqual({ _entities: [{ title: 'Algebra', meta: null }] })
    const change = await ask(
      await gatewayWith(),
      'mutation { updateCourse(input: { id: 1, title: "x" }) { ... on UpdateCourseSuccess { data: course { title meta } } } }',
    )
    expect(change.data.updateCourse.data).toEqual({ title: 'Algebra', meta: null })
  })

  it.each(['title', 'link', 'status', 'date', 'class_list', 'course_prerequisite', '_links', 'course_points', 'author'])(
    'in place of %s is that field alone',
    async (name) => {
      const everything = 'databaseId title link status date classList prerequisiteIds links { href allow } points authorId slug'
      for (const value of [DEEP, DEEP_LIST]) {
        says(`[{"id":1,"slug":"algebra","${name}":${value}}]`)
        const { data, errors } = await ask(await gatewayWith(), `{ courses { nodes { ${everything} } } }`)
        expect(errors).toBeUndefined()
        expect(data.courses.nodes).toMatchObject([{ databaseId: 1, slug: 'algebra' }])
      }
    },
  )

  it('in a refusal does no harm', async () => {
    const gateway = await gatewayWith()
    const bodies = [
      DEEP,
      DEEP_LIST,
      `{"code":"x","message":${DEEP_LIST}}`,
      `{"code":"x","message":"No.","data":{"params":${DEEP}}}`,
      `{"code":"x","message":"No.","data":{"params":{"title":${DEEP_LIST}}}}`,
      `{"code":"x","message":"No.","data":{"params":[${DEEP_LIST}]}}`,
      '{"code":"x","message":"No.","data":{"params":{"title":{"toString":1}}}}',
      '{"code":"x","message":"No.","data":{"params":{"constructor":"No.","__proto__":"No.","toString":"No.","":"No."}}}',
    ]
    for (const body of bodies) {
      says(body, 400)
      const read = await ask(gateway, '{ courses { nodes { databaseId } } }')
      expect(read.errors[0].extensions.code).toBe('UPSTREAM_REJECTED')
      const change =
        'mutation { createCourse(input: { title: "x" }) { ... on LmsError { code } ... on InvalidInputError { fields { field message } } } }'
      const { errors, data } = await ask(gateway, change)
      expect([body.slice(0, 60), errors, data.createCourse.code]).toEqual([
        body.slice(0, 60),
        undefined,
        expect.stringMatching(/^(UPSTREAM_REJECTED|BAD_USER_INPUT)$/),
      ])
    }
  })

  it('in a request is refused', async () => {
    const gateway = await gatewayWith({ limits: { maxBodyBytes: 1_000_000 } })
    const query = '"query":"{ __typename }"'
    const codes = await Promise.all(
      [
        DEEP,
        DEEP_LIST,
        `{"query":${DEEP}}`,
        `{"query":"query($m: JSONObject) { __typename }","variables":{"m":${DEEP}}}`,
        `{${query},"variables":${DEEP_LIST}}`,
        `{${query},"operationName":${DEEP}}`,
        `{${query},"extensions":${DEEP}}`,
        `{${query},"extensions":{"persistedQuery":${DEEP_LIST}}}`,
      ].map(async (body) => {
        const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
        const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })
        const { errors } = (await response.json()) as { errors: any[] }
        return [response.status, errors[0].extensions.code]
      }),
    )
    expect(codes).toEqual([
      ...[
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
      ],
      ...[
        [400, 'LIMIT_EXCEEDED'],
        [400, 'LIMIT_EXCEEDED'],
      ],
      [400, 'BAD_REQUEST'],
      ...[
        [400, 'LIMIT_EXCEEDED'],
        [400, 'LIMIT_EXCEEDED'],
      ],
    ])
    expect(calls).toEqual([])
  })
})

describe('a URL that would run code', () => {
  const BAD = ' Java\tScript:alert(1)'

  it('is null and counted, in fields and in links', async () => {
    says(
      JSON.stringify([
        {
          id: 1,
          title: { rendered: 'Algebra' },
          link: BAD,
          custom_button_url: 'data:text/html,x',
          _links: {
            self: [{ href: 'https://site.example/1' }],
            about: [{ href: BAD, count: 3 }],
            curies: [{ name: 'wp', href: 'vbscript:{rel}', templated: true }],
          },
        },
        { id: 2, link: 'https://site.example/2', custom_button_url: 'mailto:a@site.example' },
      ]),
    )
    const query = '{ courses { nodes { databaseId link customButtonUrl links { rel href count } curies { name href templated } } } }'
    const nodes = [
      {
        databaseId: 1,
        link: null,
        customButtonUrl: null,
        links: [
          { rel: 'self', href: 'https://site.example/1', count: null },
          { rel: 'about', href: null, count: 3 },
        ],
        curies: [{ name: 'wp', href: null, templated: true }],
      },
      { databaseId: 2, link: 'https://site.example/2', customButtonUrl: 'mailto:a@site.example', links: [], curies: [] },
    ]
    for (const compile of [true, false])
      expect(await ask(await gatewayWith({ tuning: { compile } }), query)).toEqual({ data: { courses: { nodes } } })
    const told = ['Course.customButtonUrl', 'Course.link', 'RestCurie.href', 'RestLink.href']
    expect(repairs.sort()).toEqual(told.flatMap((field) => [field, field]))
    const { data, extensions } = await ask(await gatewayWith(), query, { repairs: true })
    expect(data).toEqual({ courses: { nodes } })
    expect(extensions.repairs).toEqual([
      { path: ['courses', 'nodes', 0, 'link'], field: 'Course.link' },
      { path: ['courses', 'nodes', 0, 'customButtonUrl'], field: 'Course.customButtonUrl' },
      { path: ['courses', 'nodes', 0, 'links', 1, 'href'], field: 'RestLink.href' },
      { path: ['courses', 'nodes', 0, 'curies', 0, 'href'], field: 'RestCurie.href' },
    ])
  })

  it('is not written', async () => {
    const mutation = `mutation { createCourse(input: { customButtonUrl: "javascript:alert(1)" }) { ... on InvalidInputError { code fields { field message } } } }`
    expect((await ask(await gatewayWith(), mutation)).data.createCourse).toEqual({
      code: 'BAD_USER_INPUT',
      fields: [{ field: 'customButtonUrl', message: 'It must be a relative URL, or a URL with http, https, mailto or tel.' }],
    })
    expect(calls).toEqual([])
  })
})

describe('a page of more rows than a function takes arguments', () => {
  it('is cut to the requested window', async () => {
    const rows = Array.from({ length: 150_000 }, (_, index) => ({ id: index + 1 }))
    site.handler = (_, response) => json(response, rows)
    const { data } = await ask(await gatewayWith(), '{ courses(first: 2) { nodes { databaseId } } }')
    expect(data).toEqual({ courses: { nodes: [{ databaseId: 1 }, { databaseId: 2 }] } })
  })
})
