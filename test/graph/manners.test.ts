import { expect, it } from 'vitest'
import { Manners } from '../../src/graph/manners.js'
import { ANONYMOUS, Credentials } from '../../src/rest/session.js'

const as = (authorization: string) => new Credentials({ authorization })
const a = as('a')

it('remembers a refusal for its credential and liberty only, for a while', () => {
  let now = 0
  const manners = new Manners(() => now, 1_000)
  manners.refuse(a, 'edit')
  expect([manners.allows(a, 'edit'), manners.allows(a, 'include')]).toEqual([false, true])
  expect([manners.allows(as('b'), 'edit'), manners.allows(ANONYMOUS, 'edit')]).toEqual([true, true])
  now = 1_001
  expect(manners.allows(a, 'edit')).toBe(true)
})

it('keeps a bounded number of refusals', () => {
  const manners = new Manners(() => 0, 1_000, 3)
  for (let caller = 0; caller < 4; caller++) manners.refuse(as(`${caller}`), 'edit')
  expect(manners.allows(as('0'), 'edit')).toBe(true)
  expect(manners.allows(as('3'), 'edit')).toBe(false)
})
