import { describe, expect, it } from 'vitest'
import { BadInputError } from '../../src/kit.js'
import { windowArgs } from '../../src/load/windows.js'
import { cursorOf } from '../../src/model/connection.js'
import type { WindowArgs } from '../../src/model/edge.js'

const MAX_ROWS = 1_000

describe('window arguments', () => {
  const args = (given: Record<string, unknown>) => windowArgs(given, MAX_ROWS)

  it.each<[string, Record<string, unknown>, WindowArgs]>([
    ['ten rows unless told otherwise', {}, { start: 0, end: null, first: 10, last: null }],
    [
      'ten rows for nulls',
      { first: null, last: null, after: null, before: null, offset: null },
      { start: 0, end: null, first: 10, last: null },
    ],
    ['none', { first: 0 }, { start: 0, end: null, first: 0, last: null }],
    ['the largest number', { first: MAX_ROWS }, { start: 0, end: null, first: MAX_ROWS, last: null }],
    ['behind a cursor', { first: 5, after: cursorOf(7) }, { start: 8, end: null, first: 5, last: null }],
    ['ten behind a cursor', { after: cursorOf(7) }, { start: 8, end: null, first: 10, last: null }],
    ['from an offset', { first: 5, offset: 20 }, { start: 20, end: null, first: 5, last: null }],
    ['from the start, as an offset', { first: 5, offset: 0 }, { start: 0, end: null, first: 5, last: null }],
    ['from the farthest offset', { first: 5, offset: 1_000_000 }, { start: 1_000_000, end: null, first: 5, last: null }],
    ['behind the farthest cursor', { first: 5, after: cursorOf(1_000_000) }, { start: 1_000_001, end: null, first: 5, last: null }],
    ['from the end', { last: 3 }, { start: 0, end: null, first: null, last: 3 }],
    ['before a cursor', { last: 3, before: cursorOf(9) }, { start: 0, end: 9, first: null, last: 3 }],
    ['between cursors', { first: 3, after: cursorOf(1), before: cursorOf(9) }, { start: 2, end: 9, first: 3, last: null }],
  ])('mean %s', (_, given, wanted) => expect(args(given)).toEqual(wanted))

  it.each<[Record<string, unknown>, string]>([
    [{ first: -1 }, '`first` is -1; it must be from 0 to 1000.'],
    [{ first: 1_001 }, '`first` is 1001; it must be from 0 to 1000.'],
    [{ last: -1 }, '`last` is -1; it must be from 0 to 1000.'],
    [{ last: 5_000 }, '`last` is 5000; it must be from 0 to 1000.'],
    [{ first: 1, last: 1 }, 'Give `first` or `last`, not both.'],
    [{ offset: 5 }, '`offset` needs `first`.'],
    [{ last: 5, offset: 5 }, '`offset` needs `first`.'],
    [{ first: 5, offset: 5, after: cursorOf(1) }, 'Give `offset` or a cursor, not both.'],
    [{ first: 5, offset: 5, before: cursorOf(1) }, 'Give `offset` or a cursor, not both.'],
    [{ first: 5, offset: -1 }, '`offset` is -1; it must be from 0 to 1000000.'],
    [{ first: 5, offset: 1_000_001 }, '`offset` is 1000001; it must be from 0 to 1000000.'],
    ...[
      '',
      'x',
      '7',
      'offset:7',
      cursorOf(7).slice(1),
      `${cursorOf(7)}=`,
      Buffer.from('offset:-1').toString('base64url'),
      Buffer.from('offset:07').toString('base64url'),
      Buffer.from(' offset:7').toString('base64url'),
      Buffer.from('offset:7 ').toString('base64url'),
      cursorOf(10_000_000),
    ].flatMap((cursor): [Record<string, unknown>, string][] => [
      [{ after: cursor }, '`after` is not a cursor of this list.'],
      [{ before: cursor }, '`before` is not a cursor of this list.'],
    ]),
  ])('%j is refused', (given, message) => expect(() => args(given)).toThrow(new BadInputError(message)))
})
