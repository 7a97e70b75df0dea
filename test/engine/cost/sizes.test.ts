import { describe, expect, it } from 'vitest'
import { Sizes, SizesByCaller } from '../../../src/engine/cost/observed-sizes.js'

const lists = (length: number) => ({ parents: 1, lists: 1, lengths: [length], rows: length, records: length })

describe('observed sizes', () => {
  it('are bounded, and keep the most recent', () => {
    const sizes = new Sizes()
    for (let edge = 0; edge < 1_000; edge++) {
      sizes.learnLists([`list ${edge}`], lists(7))
      sizes.learnKeys([`key ${edge}`], { parents: 1, keys: 1, reads: 1, records: 1 })
      sizes.learnShown([`edge ${edge}`], 1, 1)
    }
    expect([sizes.listsOf(['list 0']), sizes.keysOf(['key 0']), sizes.shownOf(['edge 0'])]).toEqual([undefined, undefined, 1])
    expect([sizes.listsOf(['list 999'])?.lengths.known, sizes.keysOf(['key 999'])?.reads.count.at(1)]).toEqual([true, 1])
    expect(sizes.shownOf(['edge 999'])).toBe(0)
    const held = (map: unknown): number => (map as Map<string, unknown>).size
    const { keys, lists: known, shown } = sizes as unknown as Record<string, Map<string, unknown>>
    expect([held(keys), held(known), held(shown)]).toEqual([100, 100, 100])
  })

  it('are kept for each caller, for a bounded number of callers', () => {
    const sizes = new SizesByCaller()
    sizes.due('a')?.learnLists(['list'], lists(7))
    expect([sizes.of('a').listsOf(['list'])?.lengths.known, sizes.of('b').listsOf(['list'])]).toEqual([true, undefined])
    for (let caller = 0; caller < 1_000; caller++) {
      sizes.due(`caller ${caller}`)?.learnLists(['list'], lists(7))
      sizes.of('a')
    }
    expect([sizes.of('caller 0').listsOf(['list']), sizes.of('caller 999').listsOf(['list'])?.lengths.known]).toEqual([undefined, true])
    // Whoever comes back is not forgotten for others.
    expect(sizes.of('a').listsOf(['list'])?.lengths.known).toBe(true)
    expect((sizes as unknown as { callers: { size: number } }).callers.size).toBe(200)
  })

  it('are looked up with the closest known path', () => {
    const sizes = new Sizes()
    sizes.learnKeys(['a > b', 'b'], { parents: 1, keys: 3, reads: 3, records: 3 })
    expect(sizes.keysOf(['a > b', 'b'])?.keys.count.at(1)).toBe(3)
    expect(sizes.keysOf(['c > b', 'b'])?.keys.count.at(1)).toBe(3)
    expect(sizes.keysOf(['c > b'])).toBeUndefined()
  })

  it('follow changes within some dozens of operations', () => {
    const sizes = new Sizes()
    const mean = (): number => {
      let sum = 0
      sizes.listsOf(['list'])?.lengths.each((length, share) => {
        sum += length * share
      })
      return sum
    }
    for (let run = 0; run < 500; run++) sizes.learnLists(['list'], lists(10))
    expect(mean()).toBeCloseTo(10)
    for (let run = 0; run < 300; run++) sizes.learnLists(['list'], lists(80))
    expect(mean()).toBeGreaterThan(79)
  })

  it('are interpolated between numbers of parents', () => {
    const sizes = new Sizes()
    const at = (parents: number): number => Math.round(10 * (sizes.keysOf(['edge'])?.records.count.at(parents) ?? Number.NaN)) / 10
    sizes.learnKeys(['edge'], { parents: 1, keys: 1, reads: 1, records: 1 })
    expect([at(0.5), at(1), at(10)]).toEqual([0.5, 1, 10])
    // The more parents, the more of them lead to the same.
    sizes.learnKeys(['edge'], { parents: 64, keys: 16, reads: 16, records: 16 })
    expect([at(1), at(64), at(128)]).toEqual([1, 16, 32])
    expect(at(8)).toBe(5)
  })

  it('are learned from all operations at first, then from a sample', () => {
    const sizes = new Sizes()
    const due = (count: number): number => Array.from({ length: count }, () => sizes.isDue()).filter(Boolean).length
    expect(due(100)).toBe(100)
    expect(due(796)).toBe(50)
  })
})
