import { afterAll, beforeAll, expect, it } from 'vitest'
import { Course, defineResource } from '../../src/kit.js'
import { startBroken } from '../support/broken-world.js'
import { takeFallbacks } from '../support/fallbacks.js'
import type { World } from '../support/world.js'

// An exception of the gateway itself while a response is written is logged and counted, and graphql-js answers the operation.

let faultsLeft = 0

const broken = defineResource('broken', (builder) => {
  builder.objectField(Course, 'oddValue', (t) =>
    t.string({
      nullable: true,
      description: 'Fails while it is written.',
      extensions: {
        lms: {
          resolve: () => {
            if (faultsLeft-- > 0) throw new TypeError('a fault of the gateway')
            return 'value'
          },
        },
      },
      resolve: () => 'value',
    }),
  )
})

let world: World
let told: Awaited<ReturnType<typeof startBroken>>['told']
beforeAll(async () => {
  ;({ world, told } = await startBroken(broken))
})
afterAll(() => world.close())

/** The values of a metric. */
async function counted(name: string): Promise<string[]> {
  const text = await (await fetch(`${world.gateway.url}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(name))
}

it('a fault of a response writer is logged once, counted, and answered by graphql-js', async () => {
  const query = 'query Named { course(id: 10001) { oddValue title } }'
  const data = { course: { oddValue: 'value', title: expect.any(String) } }
  faultsLeft = 1
  const answer = await world.query(query, { headers: { 'x-request-id': 'of-write' } })
  expect(faultsLeft).toBeLessThan(1)
  expect([answer.data, answer.errors]).toEqual([data, []])
  expect(takeFallbacks()).toMatchObject([{ step: 'write', operationName: 'Named' }])
  expect(told).toEqual([{ fault: expect.any(Error), requestId: 'of-write' }])
  const fault = told[0]?.fault as Error
  expect(fault.message).toBe('The fast path failed at the step `write` of the operation `Named`; graphql-js answered it.')
  expect(fault.cause).toMatchObject({ message: 'a fault of the gateway' })
  expect(await counted('lms_fallbacks_total')).toContain('lms_fallbacks_total{step="write"} 1')
  expect(await counted('lms_responses_written_total')).toContain('lms_responses_written_total{writer="graphql-js"} 1')
  // Without the fault the same operation is written.
  const again = await world.query(query)
  expect([again.data, takeFallbacks()]).toEqual([answer.data, []])
  expect(await counted('lms_responses_written_total')).toContain('lms_responses_written_total{writer="fast"} 1')
})
