import { expect, it } from 'vitest'
import { ANONYMOUS, Credentials } from '../../../src/upstream/credentials.js'
import { CapabilityCache } from '../../../src/upstream/site/capabilities.js'

const as = (authorization: string) => new Credentials({ authorization })
const a = as('a')

it('remembers a refusal for its credentials and capability only, for a while', () => {
  let now = 0
  const capabilities = new CapabilityCache(() => now, 1_000)
  capabilities.refuse(a, 'edit')
  expect([capabilities.allows(a, 'edit'), capabilities.allows(a, 'include')]).toEqual([false, true])
  expect([capabilities.allows(as('b'), 'edit'), capabilities.allows(ANONYMOUS, 'edit')]).toEqual([true, true])
  now = 1_001
  expect(capabilities.allows(a, 'edit')).toBe(true)
})

it('keeps a bounded number of credentials, and forgets the least recently used', () => {
  const capabilities = new CapabilityCache(() => 0, 1_000, 3)
  for (let caller = 0; caller < 3; caller++) capabilities.refuse(as(`${caller}`), 'edit')
  expect(capabilities.allows(as('0'), 'edit')).toBe(false)
  capabilities.refuse(as('3'), 'edit')
  expect(['0', '1', '2', '3'].map((caller) => capabilities.allows(as(caller), 'edit'))).toEqual([false, true, false, false])
})

it('drops credentials without unexpired capabilities', () => {
  let now = 0
  const capabilities = new CapabilityCache(() => now, 1_000)
  for (let caller = 0; caller < 100; caller++) capabilities.refuse(as(`${caller}`), 'edit')
  now = 900
  capabilities.grant(as('99'), 'include')
  now = 1_001
  capabilities.refuse(as('new'), 'edit')
  expect(capabilities.size).toBe(2)
  expect([capabilities.allows(as('99'), 'edit'), capabilities.grants(as('99'), 'include')]).toEqual([true, true])
})
