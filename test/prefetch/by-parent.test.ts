import { describe, expect, it } from 'vitest'
import type { LmsRecord } from '../../src/model/entity.js'
import { ByParent } from '../../src/prefetch/by-parent.js'

const parents: LmsRecord[] = Array.from({ length: 40 }, (_, id) => ({ id }))
const [first, second, , fourth] = parents as [LmsRecord, LmsRecord, LmsRecord, LmsRecord]
const values = (): ByParent<string> =>
  new ByParent(
    parents,
    parents.map((_, position) => `value ${position}`),
  )

describe('values by parent', () => {
  it('are found in the order of the parents', () => {
    const byParent = values()
    expect(parents.map((parent) => byParent.get(parent))).toEqual(parents.map((_, position) => `value ${position}`))
  })

  it('are found several times in a row, and again from the beginning', () => {
    const byParent = values()
    for (let round = 0; round < 3; round++)
      for (const [position, parent] of parents.entries())
        for (let field = 0; field < 3; field++) expect(byParent.get(parent)).toBe(`value ${position}`)
  })

  it('are found in any order', () => {
    const byParent = values()
    let at = 7
    for (let read = 0; read < 400; read++) {
      at = (at * 29 + 13) % parents.length
      expect(byParent.get(parents[at] as LmsRecord)).toBe(`value ${at}`)
    }
    expect(byParent.get({ id: 0 })).toBeUndefined()
    expect(byParent.get(first)).toBe('value 0')
  })

  it('are found for a parent that occurs twice, and not for others', () => {
    const byParent = new ByParent([first, second, first, fourth], ['a', 'b', 'a', 'c'])
    expect([first, second, first, fourth, fourth, second, first].map((parent) => byParent.get(parent))).toEqual([
      'a',
      'b',
      'a',
      'c',
      'c',
      'b',
      'a',
    ])
    expect(new ByParent<string>([], []).get(first)).toBeUndefined()
  })
})
