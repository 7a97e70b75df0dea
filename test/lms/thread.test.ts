import { expect, it } from 'vitest'
import { startLmsThread } from '../../src/lms/index.js'

it('x', async () => {
  const lms = await startLmsThread({})
  const r = await fetch(`${lms.url}/lms/v2/price-types`)
  expect(r.status).toBe(200)
  await lms.close()
})
