import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { Turns } from '../../src/execute/turns.js'

/** Keeps this process busy for longer than responses are written in one turn. */
function work(): void {
  const until = performance.now() + 15
  while (performance.now() < until);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('responses are written at once until a turn has taken long, and long ones one in each turn after that', async () => {
  const turns = new Turns()
  expect([turns.next('a'), turns.next('a')]).toEqual([undefined, undefined])
  work()
  const written: number[] = []
  const waiting = [1, 2, 3].map((number) =>
    turns.next('a')?.then(() => {
      work()
      written.push(number)
    }),
  )
  expect(written).toEqual([])
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await nextTurn()
    expect(written).toEqual(expected)
  }
  await Promise.all(waiting)
  await nextTurn()
  expect(turns.next('a')).toBe(undefined)
})

it('a line with many responses does not delay a line with one', async () => {
  const turns = new Turns()
  turns.next('many')
  work()
  const written: string[] = []
  const write = async (line: string, name: string): Promise<void> => {
    await turns.next(line)
    written.push(name)
  }
  const all = [...[1, 2, 3, 4].map((number) => write('many', `many ${number}`)), write('one', 'one')]
  await Promise.all(all)
  expect(written).toEqual(['many 1', 'one', 'many 2', 'many 3', 'many 4'])
})
