import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/server/gateway.js'
import { FakeSite, json } from '../support/site.js'

const ROWS = [
  { id: 1, title: { rendered: 'Good' }, course_points: '5' },
  { id: 2, title: { rendered: 'Odd' }, course_points: { no: 'number' } },
]

let site: FakeSite
let gateway: Gateway
const told: string[] = []
beforeAll(async () => {
  site = await FakeSite.start()
  gateway = createGateway({ upstream: site.url, metrics: true, onCall: ({ route }) => told.push(route) })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ask = (query: string): Promise<Response> =>
  gateway.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })

const metrics = async (): Promise<string> => (await gateway.fetch('http://gateway.test/metrics')).text()

/** The value of a series. */
const seriesOf = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1],
  )

it('counts calls, cleaned answers and values that could not be decoded', async () => {
  expect(seriesOf(await metrics(), 'lms_repairs_total{field="Course.points"}')).toBeNaN()
  site.handler = (_, response) => json(response, ROWS, { headers: { 'x-wp-total': '2', 'x-wp-totalpages': '1' } })
  await ask('{ courses { nodes { title points } } }')
  await ask('{ courses { nodes { points } } }')
  site.handler = (_, response) => response.end(`<br />\n<b>Warning</b>: x\n${JSON.stringify(ROWS[0])}`)
  await ask('{ course(id: 1) { title } }')
  site.handler = (_, response) => json(response, { code: 'rest_forbidden', message: 'No.' }, { status: 403 })
  await ask('{ course(id: 77) { title } }')

  const text = await metrics()
  expect(seriesOf(text, 'lms_rest_calls_total{method="GET",route="v1/sfwd-courses",status="200"}')).toBe(2)
  expect(seriesOf(text, 'lms_rest_calls_total{method="GET",route="v1/sfwd-courses/:id",status="200"}')).toBe(1)
  expect(seriesOf(text, 'lms_rest_calls_total{method="GET",route="v1/sfwd-courses/:id",status="403"}')).toBe(1)
  expect(seriesOf(text, 'lms_rest_bytes_total{method="GET",route="v1/sfwd-courses"}')).toBe(2 * JSON.stringify(ROWS).length)
  expect(seriesOf(text, 'lms_rest_call_seconds_total{method="GET",route="v1/sfwd-courses"}')).toBeGreaterThan(0)
  expect(seriesOf(text, 'lms_cleaned_answers_total{route="v1/sfwd-courses/:id"}')).toBe(1)
  expect(seriesOf(text, 'lms_repairs_total{field="Course.points"}')).toBe(2)
  expect(told).toHaveLength(4)
})

it('is in the format of Prometheus, and contains no values of requests', async () => {
  const response = await gateway.fetch('http://gateway.test/metrics')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const text = await response.text()
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) lms_\w+_total .+|lms_\w+_total\{\w+="[\w/:.-]+"(,\w+="[\w/:.-]+")*\} \d+(\.\d+)?)$/)
  // Only labels and help: seconds may hold any digits.
  const labels = text.replace(/ [\d.]+$/gm, '')
  expect(labels).not.toMatch(/77|127\.0\.0\.1/)
})

it('is served only with a setting', async () => {
  const without = createGateway({ upstream: site.url })
  const { status } = await without.fetch('http://gateway.test/metrics')
  await without.close()
  expect(status).toBe(404)
})
