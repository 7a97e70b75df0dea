import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { isHeld, LocalVersions } from '../../../src/upstream/cache/tag-versions.js'

const TAGS = ['course:1', 'courses']
const start = (holdFor = 10_000) => new LocalVersions(holdFor)

/** Whether an answer to a read that started with these versions may be kept now. */
const mayKeep = (versions: LocalVersions, taken: readonly string[]): boolean => !taken.some(isHeld) && versions.keep(TAGS, taken)

describe('versions of tags', () => {
  it('stay the same until a tag is raised, and never come back', async () => {
    const versions = start()
    const seen = new Set<string>()
    for (let times = 0; times < 100; times++) {
      const taken = versions.look(TAGS).versions
      expect(versions.look(TAGS).versions).toEqual(taken)
      expect(mayKeep(versions, taken)).toBe(true)
      for (const version of taken) expect(seen.has(version)).toBe(false)
      for (const version of taken) seen.add(version)
      await versions.raise(TAGS)
      expect(mayKeep(versions, taken)).toBe(false)
    }
  })

  it('are held during a write, so that nothing is kept that was read meanwhile', async () => {
    const versions = start()
    const before = versions.look(TAGS).versions
    await versions.hold(['course:1'], 'a')
    const during = versions.look(TAGS).versions
    expect([mayKeep(versions, before), mayKeep(versions, during)]).toEqual([false, false])
    await versions.raise(['course:1'], 'a')
    expect([mayKeep(versions, before), mayKeep(versions, during), mayKeep(versions, versions.look(TAGS).versions)]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('stay held until the last of several writes has ended', async () => {
    const versions = start()
    await versions.hold(TAGS, 'a')
    await versions.hold(TAGS, 'b')
    await versions.raise(TAGS, 'a')
    await versions.raise(TAGS)
    expect(versions.look(TAGS).versions.every(isHeld)).toBe(true)
    await versions.raise(TAGS, 'b')
    expect(versions.look(TAGS).versions.some(isHeld)).toBe(false)
  })

  it('stay held for a time after a write whose end is not known', async () => {
    const versions = start(60)
    await versions.hold(TAGS, 'a')
    await versions.hold(TAGS, 'a')
    const during = versions.look(TAGS).versions
    expect(during.every(isHeld)).toBe(true)
    await sleep(80)
    expect(versions.look(TAGS).versions.some(isHeld)).toBe(false)
    expect(mayKeep(versions, during)).toBe(false)
  })

  it('of a tag that was forgotten are new', () => {
    const versions = start()
    const taken = versions.look(TAGS).versions
    versions.look(Array.from({ length: 200_000 }, (_, id) => `lesson:${id}`))
    expect(mayKeep(versions, taken)).toBe(false)
  })
})
