import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, type Handler, json } from '../support/site.js'
import { CANDID } from '../support/world.js'

// Responses of real sites to writes where the specification is silent.

let site: FakeSite
let gateway: Served
beforeAll(async () => {
  site = await FakeSite.start()
  gateway = await serve(merged({ site: { url: site.url }, protection: { timeout: 300 } }, CANDID))
})
afterEach(() => {
  site.requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ERRORS =
  '... on LmsError { code message } ... on InvalidInputError { fields { field message } } ... on UpstreamError { upstream { status code } }'

async function mutate(mutation: string): Promise<{ data: any; errors?: any[] }> {
  const response = await gateway.post({ query: `mutation { ${mutation} }` }, { authorization: 'Basic abc' })
  return (await response.json()) as { data: any }
}
const update = () =>
  mutate(
    `result: updateCourse(input: { id: 7, title: "New" }) { __typename ... on UpdateCourseSuccess { course { databaseId title points } } ${ERRORS} }`,
  )
const create = () =>
  mutate(
    `result: createCourse(input: { title: "New" }) { __typename ... on CreateCourseSuccess { course { databaseId title points } } ${ERRORS} }`,
  )

/** The record of the site, as a read returns it. */
const RECORD = { id: 7, title: { rendered: 'New', raw: 'New' }, course_points: '2.5' }
const COURSE = { databaseId: 7, title: 'New', points: 2.5 }

/** Answers writes as `write` does, and reads with the record. */
function answering(write: Handler, read: Handler = (_, response) => json(response, RECORD)): void {
  site.handler = (request, response) => (request.method === 'GET' ? read : write)(request, response)
}
const asked = (): string[] => site.requests.map(({ method, url }) => `${method} ${(url as string).split('?')[0]}`)
const [POST, GET, CREATE] = ['POST /lms/v1/sfwd-courses/7', 'GET /lms/v1/sfwd-courses/7', 'POST /lms/v1/sfwd-courses']

describe('a response to an update', () => {
  it.each<[string, Handler, string[]]>([
    ['the record', (_, response) => json(response, RECORD), [POST]],
    ['nothing', (_, response) => response.writeHead(200).end(), [POST, GET]],
    ['204', (_, response) => response.writeHead(204).end(), [POST, GET]],
    ['null', (_, response) => json(response, null), [POST, GET]],
    ['true', (_, response) => json(response, true), [POST, GET]],
    ['an empty object', (_, response) => json(response, {}), [POST, GET]],
    ['another record', (_, response) => json(response, { ...RECORD, id: 8, title: { rendered: 'Not this one' } }), [POST, GET]],
    ['a list', (_, response) => json(response, [RECORD]), [POST, GET]],
    ['a part of the record', (_, response) => json(response, { id: 7, title: { rendered: 'New' } }), [POST, GET]],
    ['a PHP warning before the record', (_, response) => response.end(`<br />\n<b>Warning</b>: x\n${JSON.stringify(RECORD)}`), [POST]],
  ])('with %s shows the right record', async (_, write, calls) => {
    answering(write)
    const { data, errors } = await update()
    expect(errors).toBeUndefined()
    expect(data).toEqual({ result: { __typename: 'UpdateCourseSuccess', course: COURSE } })
    expect(asked()).toEqual(calls)
  })

  it('is a success if the record cannot be read again, with an error at the record', async () => {
    answering(
      (_, response) => json(response, {}),
      (_, response) => json(response, { code: 'rest_forbidden', message: 'No.' }, { status: 403 }),
    )
    const { data, errors } = await update()
    expect(data).toEqual({ result: { __typename: 'UpdateCourseSuccess', course: null } })
    expect(errors).toMatchObject([{ path: ['result', 'course'], extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('a response to a create', () => {
  it('may name the new record in `Location` only', async () => {
    answering((_, response) => response.writeHead(201, { location: 'https://elsewhere.test/wp-json/wp/v2/sfwd-courses/7' }).end())
    expect((await create()).data.result).toEqual({ __typename: 'CreateCourseSuccess', course: COURSE })
    expect(asked()).toEqual([CREATE, GET])
  })

  it('without an id is an error that warns against a second attempt', async () => {
    answering((_, response) => json(response, { done: true }, { status: 201 }))
    const { data } = await create()
    expect(data.result).toMatchObject({
      __typename: 'UpstreamError',
      code: 'UPSTREAM_INVALID_RESPONSE',
      message: expect.stringContaining('before you try again'),
    })
    expect(asked()).toEqual([CREATE])
  })
})

describe('a write that fails', () => {
  const html = '<!DOCTYPE html><p>Fatal error in /var/www/html/wp-content/x.php</p>'
  it.each<[string, Handler, object]>([
    [
      'by 500',
      (_, response) => json(response, { code: 'internal_server_error', message: '<p>at /var/www/html/x.php</p>' }, { status: 500 }),
      { code: 'UPSTREAM_UNAVAILABLE', upstream: { status: 500, code: 'internal_server_error' } },
    ],
    [
      'by 502 in HTML',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end(html),
      { code: 'UPSTREAM_UNAVAILABLE', upstream: { status: 502, code: null } },
    ],
    [
      'by 503',
      (_, response) => json(response, { code: 'wp_die', message: 'Maintenance' }, { status: 503, headers: { 'retry-after': '1' } }),
      { code: 'UPSTREAM_UNAVAILABLE' },
    ],
    ['by 429', (_, response) => json(response, {}, { status: 429 }), { code: 'UPSTREAM_RATE_LIMITED' }],
    [
      'by a broken connection',
      (request) => request.socket.destroy(),
      { code: 'UPSTREAM_UNAVAILABLE', upstream: null, message: expect.stringContaining('The change may have been made') },
    ],
    [
      'by silence',
      () => {},
      { code: 'UPSTREAM_TIMEOUT', upstream: null, message: expect.stringContaining('The change may have been made') },
    ],
    [
      'by HTML under 200',
      (_, response) => response.end(html),
      { code: 'UPSTREAM_INVALID_RESPONSE', message: expect.stringContaining('The change may have been made') },
    ],
    [
      'by an error under 200',
      (_, response) => json(response, { code: 'x', message: 'y', data: { status: 500 } }),
      { code: 'UPSTREAM_INVALID_RESPONSE' },
    ],
    [
      'by a redirect',
      (_, response) => response.writeHead(301, { location: 'https://elsewhere.test/' }).end(),
      { code: 'UPSTREAM_INVALID_RESPONSE', upstream: { status: 301, code: null } },
    ],
    [
      'by a 4xx without names',
      (_, response) => json(response, { code: 'odd', message: 'Odd &amp; <b>bold</b>' }, { status: 418 }),
      { code: 'UPSTREAM_REJECTED', message: 'Odd & bold' },
    ],
  ])('%s is an UpstreamError, and is sent once', async (_, write, expected) => {
    answering(write)
    const { data, errors } = await update()
    expect(errors).toBeUndefined()
    expect(data.result).toMatchObject({ __typename: 'UpstreamError', ...expected })
    expect(JSON.stringify(data)).not.toMatch(/var\/www|<p>|elsewhere|127\.0\.0\.1/)
    expect(asked()).toEqual([POST])
  })

  it('because of values names the fields of the graph, as plain text', async () => {
    answering((_, response) =>
      json(
        response,
        {
          code: 'rest_invalid_param',
          message: 'Invalid parameter(s): course_price_type, lms_course_tag, id, unheard_of',
          data: {
            status: 400,
            params: {
              course_price_type: '<b>Not</b> one of &#8220;open&#8221;.',
              lms_course_tag: 'x'.repeat(2_000),
              id: 'Bad id.',
              unheard_of: 'What?',
            },
          },
        },
        { status: 400 },
      ),
    )
    const { data } = await update()
    expect(data.result).toMatchObject({ __typename: 'InvalidInputError', code: 'BAD_USER_INPUT' })
    expect(data.result.fields).toEqual([
      { field: 'priceTypeSlug', message: 'Not one of “open”.' },
      { field: 'courseTagIds', message: `${'x'.repeat(300)}.` },
      { field: 'id', message: 'Bad id.' },
      { field: 'unheard_of', message: 'What?' },
    ])
    answering((_, response) =>
      json(
        response,
        { code: 'rest_missing_callback_param', message: 'Missing', data: { status: 400, params: ['title'] } },
        { status: 400 },
      ),
    )
    expect((await update()).data.result.fields).toEqual([{ field: 'title', message: 'It is missing.' }])
  })
})

describe('the request', () => {
  const bodies: unknown[] = []
  const keep: Handler = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push({ type: request.headers['content-type'], body: JSON.parse(Buffer.concat(chunks).toString()) })
      json(response, { id: 7 })
    })
  }

  it.each([
    [
      'createCourse',
      'priceTypeSlug: "paynow", points: 2.5, prerequisiteEnabled: true, prerequisiteIds: [3, "Q291cnNlOjQ="], prerequisiteCompare: ALL, meta: { a: [1] }',
      {
        course_price_type: 'paynow',
        course_points: 2.5,
        course_prerequisite_enabled: true,
        course_prerequisite: [3, 4],
        course_prerequisite_compare: 'ALL',
        meta: { a: [1] },
      },
    ],
    [
      'createCourse',
      'priceTypeSlug: "closed", dateGmt: "2026-11-20T18:12:23+02:00", price: null, featuredMediaId: null, categoryIds: null',
      { course_price_type: 'closed', date_gmt: '2026-11-20T16:12:23', course_price: '', featured_media: 0, categories: [] },
    ],
    [
      'createQuiz',
      'threshold: 0.75, passingPercentage: 80, certificateId: 12, date: "2026-11-20T18:12:23"',
      { threshold: '0.75', passingpercentage: '80', certificate: '12', date: '2026-11-20T18:12:23' },
    ],
    [
      'createLesson',
      'visibleType: VISIBLE_AFTER, visibleAfter: 3, videoShown: AFTER, assignmentUploadLimitExtensions: ["pdf", "zip"], isSample: false',
      {
        visible_type: 'visible_after',
        visible_after: 3,
        video_shown: 'AFTER',
        assignment_upload_limit_extensions: 'pdf,zip',
        is_sample: false,
      },
    ],
    [
      'createLesson',
      'visibleType: null, visibleAfterSpecificDate: null, courseId: null, date: null, status: PRIVATE',
      { visible_type: '', visible_after_specific_date: '', course: 0, date: null, status: 'private' },
    ],
    [
      'createGroup',
      'parentId: 5, title: "A", content: "B", groupTagIds: [1, 2]',
      { parent: 5, title: 'A', content: 'B', lms_group_tag: [1, 2] },
    ],
  ])('of %s(%s) has JSON of the types of the interface', async (mutation, input, body) => {
    bodies.length = 0
    answering(keep)
    await mutate(`${mutation}(input: { ${input} }) { __typename }`)
    expect(bodies).toEqual([{ type: 'application/json', body }])
  })
})
