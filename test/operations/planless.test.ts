import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { type Executed, Executors } from '../support/executors.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'
import type { Login } from '../support/world.js'

// Without a plan every record is read by the DataLoader of its type, when a resolver asks for it. The answer is the same; only the calls differ.

let lms: RunningLms
let executors: Executors
const rows: string[] = []
beforeAll(async () => {
  lms = await startLms()
  executors = new Executors(lms.url)
})
afterAll(async () => {
  await executors.close()
  await lms.close()
  console.log(['REST calls with the plan, and without it:', ...rows].join('\n'))
})

const wholeIds = (call: string): string => decodeURIComponent(call).replace(/(?<=include=)[\d,]+/, (ids) => `${ids.split(',').length} ids`)

/** Runs a query with the plan and without it; both answer the same. */
async function both(name: string, query: string, caller?: Login, variables = {}): Promise<{ planned: Executed; alone: Executed }> {
  const asked = { query, caller, variables }
  const [planned, alone] = [await executors.run('ordinary', asked), await executors.run('alone', asked)]
  expect(alone.data).toEqual(planned.data)
  const sorted = ({ errors }: Executed): string[] => errors.map((error) => JSON.stringify(error)).sort()
  expect(sorted(alone)).toEqual(sorted(planned))
  rows.push(`${String(planned.calls.length).padStart(4)} ${String(alone.calls.length).padStart(4)}  ${name}`)
  return { planned, alone }
}

const EXAMPLES = SAVED_OPERATIONS.filter(({ kind }) => kind === 'query')

describe('without a plan', () => {
  it.each(EXAMPLES)('$file has the same response', async ({ file, query, caller, variables }) => {
    const { planned } = await both(file, query, caller, { ...variables })
    expect(planned.errors).toEqual([])
  })

  it('records of all parents are read in one batch, with all columns', async () => {
    const query = '{ courses(first: 60) { nodes { title prerequisites { title } } } }'
    const { planned, alone } = await both('prerequisites of sixty courses', query, 'admin')
    const batches = ({ calls }: Executed): string[] => calls.map(wholeIds).filter((call) => /sfwd-courses\?.*include=/.test(call))
    expect(batches(planned)).toEqual([expect.stringMatching(/_filter=id,title.rendered&include=\d+ ids&status=any$/)])
    // The filter names every column that `view` sends.
    expect(batches(alone)).toHaveLength(1)
    expect(batches(alone)[0]).toMatch(/content.*course_price_type.*include=\d+ ids&status=any$/)
  })

  it('records of several types are read in one batch for each type', async () => {
    const ids = ['Course:10001', 'Course:10002', 'Lesson:100001', 'Group:1001', 'Course:10003'].map((id) => btoa(id))
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on LmsContent { title } } }'
    const { alone } = await both('five nodes of three types', query, 'admin', { ids })
    expect(alone.calls).toHaveLength(3)
  })

  it('a record is read once, however often it is selected', async () => {
    const { alone } = await both(
      'one course four times',
      '{ a: course(id: 10001) { title } b: course(id: 10001) { slug } c: node(id: "Q291cnNlOjEwMDAx") { id } }',
    )
    expect(alone.calls).toHaveLength(1)
  })

  it('edit-only columns have a loader of their own', async () => {
    const query = '{ courses(first: 3) { nodes { title titleRaw } } }'
    const { alone } = await both('edit-only columns of three courses', query, 'admin')
    const single = await both('an edit-only column of one course', '{ course(id: 10001) { titleRaw priceType { name } } }', 'admin')
    expect(single.alone.calls.map(wholeIds)).toContainEqual(
      expect.stringMatching(/sfwd-courses\/10001\?context=edit&_filter=course_price_type,id,title.raw$/),
    )
    expect(alone.calls.length).toBeLessThanOrEqual(2)
  })

  it('a password is sent with the read of its own record only', async () => {
    const { id, password } = { id: SAMPLES.protectedCourse, password: SAMPLES.password }
    const query = `{ open: course(id: ${id}, password: "${password}") { content } closed: course(id: ${id}) { content } }`
    const { alone } = await both('a course with its password and without', query)
    expect(alone.data.open.content).not.toBe(alone.data.closed.content)
    expect(alone.calls.filter((call) => call.includes('password='))).toHaveLength(1)
    expect(alone.calls).toHaveLength(2)
  })
})
