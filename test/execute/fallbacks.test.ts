import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchByIds, Course, columns as c, defineResource, postColumns } from '../../src/kit.js'
import { startBroken } from '../support/broken-world.js'
import { takeFallbacks } from '../support/fallbacks.js'
import type { World } from '../support/world.js'

// An exception of the gateway itself on the fast path is logged and counted, and graphql-js answers the operation.

/** Throws a number of times, and then no more. */
class Fault {
  left = 0

  check(): void {
    if (this.left-- > 0) throw new TypeError('a fault of the gateway')
  }
}

const faults = { estimate: new Fault(), fetch: new Fault() }

const broken = defineResource('broken', (builder) => {
  const columns = { databaseId: postColumns.databaseId, title: postColumns.title, authorId: c.integer('author', 'Id of the author.') }
  const Odd = builder.lmsNodeRef('OddCourse', {
    columns,
    load: batchByIds({ path: 'v1/sfwd-courses', window: 'offset', filters: {}, orders: {} }),
  })
  Odd.implement({ description: 'A course, by code that fails.' })
  builder.queryField('oddRoot', (t) =>
    t.lmsRelation(Odd, {
      description: 'Fails while it is estimated.',
      key: () => {
        faults.estimate.check()
        return 10_001
      },
    }),
  )
  builder.objectField(Course, 'oddRelation', (t) =>
    t.lmsRelation(Odd, {
      description: 'Fails while it is fetched.',
      needs: ['title'],
      key: ({ databaseId }) => {
        faults.fetch.check()
        return databaseId
      },
    }),
  )
})

let world: World
let told: Awaited<ReturnType<typeof startBroken>>['told']
beforeAll(async () => {
  ;({ world, told } = await startBroken(broken))
})
afterAll(() => world.close())

const counted = async (): Promise<string[]> =>
  (await (await fetch(`${world.gateway.url}/metrics`)).text()).split('\n').filter((line) => line.startsWith('lms_fallbacks_total'))

describe('a fault on the fast path', () => {
  it.each([
    ['estimate', 'query Named { oddRoot { title } }', { oddRoot: { title: expect.any(String) } }],
    ['fetch', 'query Named { course(id: 10001) { oddRelation { title } } }', { course: { oddRelation: { title: expect.any(String) } } }],
  ] as const)('at the step %s is logged once, counted, and answered by graphql-js', async (step, query, data) => {
    told.length = 0
    const before = await counted()
    faults[step].left = 1
    const answer = await world.query(query, { headers: { 'x-request-id': `of-${step}` } })
    expect(faults[step].left).toBeLessThan(1)
    expect([answer.data, answer.errors]).toEqual([data, []])
    expect(takeFallbacks()).toMatchObject([{ step, operationName: 'Named' }])
    expect(told).toHaveLength(1)
    const [{ fault, requestId }] = told as [{ fault: Error; requestId: string }]
    expect(requestId).toBe(`of-${step}`)
    expect(fault.message).toBe(`The fast path failed at the step \`${step}\` of the operation \`Named\`; graphql-js answered it.`)
    expect(fault.cause).toMatchObject({ message: 'a fault of the gateway' })
    expect(before).not.toContain(`lms_fallbacks_total{step="${step}"} 1`)
    expect(await counted()).toContain(`lms_fallbacks_total{step="${step}"} 1`)
    // Without the fault the same operation takes the fast path.
    const again = await world.query(query)
    expect([again.data, takeFallbacks()]).toEqual([answer.data, []])
  })
})
