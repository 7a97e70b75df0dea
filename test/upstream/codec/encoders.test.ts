import { Settings } from 'luxon'
import { afterEach, beforeEach, expect, it } from 'vitest'
import * as encoders from '../../../src/upstream/codec/encoders.js'
import type { FieldCode } from '../../../src/upstream/error-codes.js'
import { InvalidValueError } from '../../../src/upstream/errors.js'

const { defaultZone } = Settings
beforeEach(() => {
  Settings.defaultZone = 'America/New_York'
})
afterEach(() => {
  Settings.defaultZone = defaultZone
})

const { text, urlText, number, reference, listed, instant, localDateTime, localDate, asIs } = encoders

const form = { fits: (value: string): boolean => /^[a-z]+$/.test(value), allowed: 'small letters' }

it.each<[string, () => unknown, unknown]>([
  ['text', () => text('abc', {}), 'abc'],
  ['text as long as allowed', () => text('abc', { longest: 3 }), 'abc'],
  ['a URL', () => urlText('https://site.example/', {}), 'https://site.example/'],
  ['an address for mail', () => urlText('mailto:a@site.example', {}), 'mailto:a@site.example'],
  ['a number', () => number(-5, {}), -5],
  ['the least number', () => number(2, { least: 2 }), 2],
  ['the largest number', () => number(2, { most: 2 }), 2],
  ['a text of its form', () => text('abc', { form }), 'abc'],
  ['no text, whatever its form', () => text('', { form }), ''],
  ['a word of its form', () => listed('a', { form }), 'a'],
  ['a day', () => localDate('0001-01-01'), '0001-01-01'],
  ['an id', () => reference(1), 1],
  ['words', () => listed(' a b'), ' a b'],
  ['a moment', () => instant('2026-11-20T18:12:23Z'), '2026-11-20T18:12:23'],
  ['a moment in small letters', () => instant('2026-11-20T18:12:23z'), '2026-11-20T18:12:23'],
  ['a moment elsewhere', () => instant('2026-11-20T18:12:23+05:30'), '2026-11-20T12:42:23'],
  ['a moment elsewhere, without colon', () => instant('2026-11-20T18:12:23-0530'), '2026-11-20T23:42:23'],
  ['a local time', () => localDateTime('2026-11-20T18:12:23'), '2026-11-20T18:12:23'],
  ['anything', () => asIs({ a: 1 } as never, {}), { a: 1 }],
])('%s is encoded', (_, write, wanted) => expect(write()).toEqual(wanted))

it.each<[string, () => unknown, string, code?: FieldCode, limit?: number]>([
  ['a longer text', () => text('abcd', { longest: 3 }), 'It has 4 characters; it must have at most 3.', 'TOO_LONG', 3],
  [
    'a URL that runs code',
    () => urlText('javascript:alert(1)', {}),
    'It must be a relative URL, or a URL with http, https, mailto or tel.',
  ],
  ['a smaller number', () => number(1, { least: 2 }), 'It is 1; it must be 2 or more.', 'TOO_SMALL', 2],
  ['a larger number', () => number(3, { most: 2 }), 'It is 3; it must be 2 or less.', 'TOO_LARGE', 2],
  ['a number above a range', () => number(7, { least: 0, most: 1 }), 'It is 7; it must be from 0 to 1.', 'TOO_LARGE', 1],
  ['a number below a range', () => number(-7, { least: 0, most: 1 }), 'It is -7; it must be from 0 to 1.', 'TOO_SMALL', 0],
  ['a text of another form', () => text('A7', { form }), 'It is `A7`; it must be small letters.'],
  ['a word of another form', () => listed('B', { form }), 'It is `B`; it must be small letters.'],
  ['a day of no year', () => localDate('0000-01-01'), 'It must have a year from 1 to 9999.'],
  ['a moment past all years', () => instant('9999-12-31T23:59:59-01:00'), 'It must have a year from 1 to 9999.'],
  ['no id', () => reference(0), 'It is 0; it must be 1 or more.', 'TOO_SMALL', 1],
  ['a blank word', () => listed(' '), 'It is ` `; it must not be blank and not contain a comma.'],
  ['an empty word', () => listed(''), 'It is ``; it must not be blank and not contain a comma.'],
  ['a comma', () => listed(`${'x'.repeat(50)},y`), `It is \`${'x'.repeat(40)}\`; it must not be blank and not contain a comma.`],
  ...['2026-11-20T18:12:23', 'Z2026-11-20T18:12:23', '2026-11-20T18:12:23+05', '2026-11-20T18:12:23+05:30x'].map(
    (value): [string, () => unknown, string] => [
      value,
      () => instant(value),
      'It has no time zone; it must be written as 2026-11-20T18:12:23Z.',
    ],
  ),
])('%s is refused, with a code', (_, write, message, code = 'INVALID_FORMAT', limit) => {
  expect(write).toThrow(new InvalidValueError(code, message, limit))
  expect(write).toThrow(expect.objectContaining({ reason: code, limit: limit ?? null, code: 'BAD_USER_INPUT' }))
})
