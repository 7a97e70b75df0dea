import { describe, expect, it } from 'vitest'
import { count, milliseconds, size } from '../../src/graphiql/words.js'

describe('words', () => {
  it.each([
    [0, '0 ms'],
    [0.04, '0 ms'],
    [12.34, '12.3 ms'],
    [99.96, '100 ms'],
    [266.4, '266 ms'],
    [1240, '1.24 s'],
    [12_400, '12.4 s'],
  ])('%d ms is %s', (time, text) => expect(milliseconds(time)).toBe(text))

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [24_120, '24.1 kB'],
    [241_200, '241 kB'],
    [2_412_000, '2.4 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text))

  it.each([
    [0, '0 calls'],
    [1, '1 call'],
    [1200, '1,200 calls'],
  ])('%d calls are %s', (number, text) => expect(count(number, 'call')).toBe(text))
})
