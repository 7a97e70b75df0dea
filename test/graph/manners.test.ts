import { expect, it } from 'vitest'
import { Manners } from '../../src/graph/manners.js'

it('remembers a refusal for its credential and liberty only, for a while', () => {
  let now = 0
  const manners = new Manners(() => now, 1_000)
  manners.refuse('Basic a', 'edit')
  expect([manners.allows('Basic a', 'edit'), manners.allows('Basic a', 'include')]).toEqual([false, true])
  expect([manners.allows('Basic b', 'edit'), manners.allows(null, 'edit')]).toEqual([true, true])
  now = 1_001
  expect(manners.allows('Basic a', 'edit')).toBe(true)
})

it('keeps a bounded number of refusals', () => {
  const manners = new Manners(() => 0, 1_000, 3)
  for (let caller = 0; caller < 4; caller++) manners.refuse(`Basic ${caller}`, 'edit')
  expect(manners.allows('Basic 0', 'edit')).toBe(true)
  expect(manners.allows('Basic 3', 'edit')).toBe(false)
})
