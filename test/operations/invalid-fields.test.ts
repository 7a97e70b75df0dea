import { type GraphQLEnumType, getNamedType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/index.js'
import { defineResource, LmsError } from '../../src/kit.js'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

/** What the site says about the parameters of a write. */
let refused: Readonly<Record<string, { readonly code?: unknown; readonly message: string }>> = {}
let missing: readonly string[] = []
let site: FakeSite
let gateway: Served

beforeAll(async () => {
  site = await FakeSite.start((request, response) => {
    request.resume()
    const names = Object.keys(refused)
    const params = missing.length > 0 ? missing : Object.fromEntries(names.map((name) => [name, refused[name]?.message]))
    json(response, { code: 'rest_invalid_param', message: 'Invalid.', data: { status: 400, params, details: refused } }, { status: 400 })
  })
  gateway = await serve({ site: { url: site.url }, protection: { retries: 0 } })
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

/** The invalid fields of a mutation, and the number of REST calls. */
async function refusedBy(mutation: string, input: object, type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`) {
  const before = site.requests.length
  const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename ... on InvalidInputError { code message fields { field path code limit message } } } }`
  const response = await gateway.post({ query, variables: { input } }, { authorization: 'Basic YTpi' })
  const { data, errors } = (await response.json()) as any
  expect(errors).toBe(undefined)
  expect(data[mutation]).toMatchObject({ __typename: 'InvalidInputError', code: 'BAD_USER_INPUT' })
  return { ...data[mutation], calls: site.requests.length - before }
}

describe('a value that the gateway rejects', () => {
  it.each([
    [{ title: null, points: null }, 'points', 'REQUIRED', null, "It can't be null. Omit it to keep the current value."],
    [{ slug: 'x'.repeat(201) }, 'slug', 'TOO_LONG', 200, 'It has 201 characters; it must have at most 200.'],
    [{ points: -1 }, 'points', 'TOO_SMALL', 0, 'It is -1; it must be 0 or more.'],
    [{ slug: 'a b' }, 'slug', 'INVALID_FORMAT', null, 'It is `a b`; it must be letters, digits, `-` and `_`.'],
    [{ authorId: 'x' }, 'authorId', 'INVALID_FORMAT', null, 'It must be the `id` or the `databaseId` of a User, not `x`.'],
    [{ date: '2026-11-20T18:12:23', dateGmt: '2026-11-20T18:12:23Z' }, 'dateGmt', 'CONFLICT', null, "It can't be combined with `date`."],
  ])('%j has a code, and no call is made', async (values, field, code, limit, message) => {
    const { calls, ...result } = await refusedBy('updateCourse', { id: 7, ...values })
    expect(result).toMatchObject({ message: `\`${field}\`: ${message}`, fields: [{ field, path: [field], code, limit, message }] })
    expect(calls).toBe(0)
  })

  it('has the largest value as its limit when it is larger', async () => {
    const { fields } = await refusedBy('createQuiz', { threshold: 1.5 })
    expect(fields).toEqual([
      { field: 'threshold', path: ['threshold'], code: 'TOO_LARGE', limit: 1, message: 'It is 1.5; it must be from 0 to 1.' },
    ])
  })

  it('of a list has the path to its item, and each wrong item is named', async () => {
    const { fields, message, calls } = await refusedBy('createCourse', { prerequisiteIds: ['x', 7, 'y'], tagIds: [3, 0] })
    const shown = (fields as any[]).map(({ path, code }) => [path.join('.'), code])
    expect(shown).toEqual([
      ['tagIds.1', 'TOO_SMALL'],
      ['prerequisiteIds.0', 'INVALID_FORMAT'],
      ['prerequisiteIds.2', 'INVALID_FORMAT'],
    ])
    expect(message).toContain('`tagIds[1]`: It is 0; it must be 1 or more. `prerequisiteIds[0]`: It must be')
    expect(calls).toBe(0)
    const { fields: words } = await refusedBy('createLesson', { assignmentUploadLimitExtensions: ['pdf', '.zip'] })
    expect(words).toEqual([
      {
        field: 'assignmentUploadLimitExtensions',
        path: ['assignmentUploadLimitExtensions', '1'],
        code: 'INVALID_FORMAT',
        limit: null,
        message: 'It is `.zip`; it must be letters and digits, such as `pdf`.',
      },
    ])
  })

  it.each([
    [[], 'TOO_FEW', 1, 'It has 0 ids; it must have 1 to 500.'],
    [Array.from({ length: 501 }, (_, index) => index + 1), 'TOO_MANY', 500, 'It has 501 ids; it must have 1 to 500.'],
  ])('can be the number of ids in a list', async (courseIds, code, limit, message) => {
    const { fields, calls } = await refusedBy('addCoursesToGroup', { id: 7, courseIds })
    expect([fields, calls]).toEqual([[{ field: 'courseIds', path: ['courseIds'], code, limit, message }], 0])
  })
})

describe('a value that the site rejects', () => {
  /** The only invalid field when the site says this about `course_prerequisite`. */
  async function told(code: unknown, message: string) {
    refused = { course_prerequisite: { code, message } }
    const { fields, calls } = await refusedBy('createCourse', { prerequisiteIds: [7] })
    expect([fields.length, calls]).toEqual([1, 1])
    const { field, limit, ...shown } = fields[0]
    expect([field, limit]).toEqual(['prerequisiteIds', null])
    return shown
  }

  it.each([
    ['rest_missing_callback_param', 'REQUIRED'],
    ['rest_too_long', 'TOO_LONG'],
    ['rest_out_of_bounds', 'OUT_OF_RANGE'],
    ['rest_too_few_items', 'TOO_FEW'],
    ['rest_too_many_items', 'TOO_MANY'],
    ['rest_invalid_type', 'INVALID_FORMAT'],
    ['rest_invalid_pattern', 'INVALID_FORMAT'],
    ['rest_invalid_date', 'INVALID_FORMAT'],
    ['rest_invalid_url', 'INVALID_FORMAT'],
    ['rest_too_short', 'INVALID_FORMAT'],
    ['rest_not_in_enum', 'NOT_ONE_OF'],
    ['rest_term_invalid', 'NOT_FOUND'],
    ['rest_invalid_author', 'NOT_FOUND'],
    ['rest_post_invalid_id', 'NOT_FOUND'],
    ['rest_of_a_plugin', 'REJECTED'],
    [undefined, 'REJECTED'],
    [7, 'REJECTED'],
  ])('with the code %s has the code %s', async (wire, code) => {
    expect((await told(wire, 'No.')).code).toBe(code)
  })

  it.each([
    ['course_prerequisite is not one of open, free, and closed.', 'It is not one of open, free, and closed.'],
    ['course_prerequisite must be between 0 (inclusive) and 9 (inclusive)', 'It must be between 0 (inclusive) and 9 (inclusive).'],
    ['course_prerequisite: there is no term 1 in this taxonomy.', 'There is no term 1 in this taxonomy.'],
    ['course_prerequisite ist kein gültiges Datum.', 'prerequisiteIds ist kein gültiges Datum.'],
    ['Ungültiger Parameter: course_prerequisite', 'Ungültiger Parameter: prerequisiteIds.'],
    ['Invalid date.', 'Invalid date.'],
    ['', 'The site rejects it.'],
  ])('with the message %j shows %j', async (message, shown) => {
    expect(await told('rest_of_a_plugin', message)).toEqual({ path: ['prerequisiteIds'], code: 'REJECTED', message: shown })
  })

  it('of a list has the path to its item', async () => {
    expect(await told('rest_invalid_type', 'course_prerequisite[12] is not of type integer.')).toEqual({
      path: ['prerequisiteIds', '12'],
      code: 'INVALID_FORMAT',
      message: 'It is not of type integer.',
    })
  })

  it('and that is missing is required', async () => {
    missing = ['title', 'constructor']
    const { fields } = await refusedBy('createCourse', { title: 'x' })
    missing = []
    const shown = { limit: null, code: 'REQUIRED', message: 'It is missing.' }
    expect(fields).toEqual(['title', 'constructor'].map((field) => ({ field, path: [field], ...shown })))
  })
})

it('an error of a resource from outside has its code, or UNKNOWN', async () => {
  class OddError extends LmsError {
    constructor(readonly code: never) {
      super('Odd.')
    }
  }
  const odd = defineResource('odd errors', (builder) => {
    builder.objectType(OddError, { name: 'OddError', interfaces: ['LmsError' as never] })
    builder.queryField('odd', (t) =>
      t.string({
        args: { code: t.arg.string({ required: true }) },
        errors: { types: [OddError] },
        resolve: (_, { code }) => {
          throw new OddError(code as never)
        },
      }),
    )
  })
  const other = await serve({ site: { url: site.url }, resources: [odd] })
  const response = await other.post({
    query: '{ a: odd(code: "NOT_FOUND") { ... on LmsError { code } } b: odd(code: "ODD") { ... on LmsError { code message } } }',
  })
  expect(await response.json()).toEqual({ data: { a: { code: 'NOT_FOUND' }, b: { code: 'UNKNOWN', message: 'Odd.' } } })
  await other.close()
})

it('the enumeration of error codes has every code that an error can have, and UNKNOWN', () => {
  const schema = graphSchema()
  const enumeration = schema.getType('ErrorCode') as GraphQLEnumType
  const values = enumeration.getValues().map(({ name }) => name)
  expect(values.sort()).toEqual([...ERROR_CODES.map(({ code }) => code), 'UNKNOWN'].sort())
  for (const { name, description } of enumeration.getValues())
    expect([name, description]).toEqual([name, expect.stringMatching(/^[^[\]]+\.$/)])
  for (const type of schema.getPossibleTypes(schema.getType('LmsError') as never))
    expect(getNamedType(type.getFields().code?.type)?.name).toBe('ErrorCode')
})
