import { describe, expect, it } from 'vitest'
import { globalId, readDatabaseId, readGlobalId, readId } from '../../src/graph/kit/ids.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('global ids', () => {
  it.each([
    ['Course', 7, 'Course:7'],
    ['PriceType', 'paynow', 'PriceType:paynow'],
    ['CourseProgress', '3:10001', 'CourseProgress:3:10001'],
  ] as const)('of a %s can be read again', (type, key, text) => {
    expect(globalId(type, key)).toBe(base64(text))
    expect(readGlobalId(globalId(type, key))).toEqual({ type, key: String(key) })
    expect(readGlobalId(Buffer.from(text).toString('base64url'))).toEqual({ type, key: String(key) })
  })

  it.each([
    '',
    'x',
    'Course:7',
    '7',
    '10001',
    '!!!',
    base64('Course'),
    base64(':7'),
    base64('Course:'),
    base64('Cou rse:7'),
    base64('Course:a b'),
    base64('C\u0000:7'),
    base64('Course:7/..'),
    'A'.repeat(201),
  ])('are not read from %j', (text) => expect(readGlobalId(text)).toBeUndefined())
})

describe('readDatabaseId', () => {
  it('takes positive whole numbers of at most 32 bits', () => {
    const good = ['1', '7', '10001', '2147483647']
    expect(good.map(readDatabaseId)).toEqual(good.map(Number))
    for (const text of ['0', '-1', '+1', '01', '1.0', '1e3', ' 1', '1 ', '', '2147483648', '99999999999', '٣', 'x'])
      expect([text, readDatabaseId(text)]).toEqual([text, undefined])
  })
})

describe('readId', () => {
  it('takes the global id of its type, or the bare REST id as text or number', () => {
    expect(['7', 7, globalId('Course', 7)].map((given) => readId('id', 'Course', given))).toEqual([7, 7, 7])
  })

  it('says which argument holds the id of another type', () => {
    expect(() => readId('where.id.in[2]', 'Course', globalId('Lesson', 7))).toThrow(
      '`where.id.in[2]` is the id of a Lesson; it must be the id of a Course.',
    )
  })

  it.each(['', '0', '-5', 'abc', '1.5', '99999999999', globalId('Course', 0), globalId('Course', 'abc'), 'x'.repeat(300)])(
    'says which argument holds no id: %j',
    (given) => {
      expect(() => readId('id', 'Course', given)).toThrow(
        `\`id\` must be the \`id\` or the \`databaseId\` of a Course, not \`${given.slice(0, 40)}\`.`,
      )
    },
  )
})
