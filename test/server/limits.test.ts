import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Kind, Lexer, parse, Source, TokenKind } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPTIONS } from '../../src/options/table.js'
import { LIMITS, type LimitName } from '../../src/server/limits/limits.js'
import { nestingOf } from '../../src/server/limits/measures.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { create } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { times } from './attacks/attack.js'

// Each limit where it begins: what is allowed passes, and one more does not.

let site: FakeSite
beforeAll(async () => {
  site = await FakeSite.start((_, response) => json(response, [], { headers: { 'x-wp-total': '0' } }))
})
afterAll(() => site.close())

interface Case {
  /** A request that holds so much of it. */
  readonly of: (count: number) => { readonly query: string; readonly variables?: unknown; readonly extensions?: unknown }
  /** What the limit is set to, where the default is too much to try. */
  readonly most?: number
}

const nested = (count: number, inside = 'id'): string => `${'prerequisites{'.repeat(count)}${inside}${'}'.repeat(count)}`
const list = (count: number): string => `[${times(count, () => '1', ',')}]`

const CASES: Readonly<Partial<Record<LimitName, Readonly<Record<string, Case>>>>> = {
  maxTokens: {
    words: { of: (count) => ({ query: `{${times(count - 2, () => '__typename')}}` }) },
    marks: { of: (count) => ({ query: `query(${times((count - 9) / 6, (i) => `$a${i}:[Int]`)}){viewer{id}}` }), most: 513 },
  },
  maxNesting: {
    'selection sets': {
      of: (count) => ({ query: `{course(id:1){${'...{'.repeat(count - 2)}id${'}'.repeat(count - 2)}}}` }),
    },
    lists: { of: (count) => ({ query: `{courses(where:${'['.repeat(count - 1)}${']'.repeat(count - 1)}){totalCount}}` }) },
    variables: { of: (count) => ({ query: '{viewer{id}}', variables: { a: JSON.parse('['.repeat(count) + ']'.repeat(count)) } }) },
    extensions: { of: (count) => ({ query: '{viewer{id}}', extensions: { a: JSON.parse('['.repeat(count) + ']'.repeat(count)) } }) },
  },
  maxDepth: {
    fields: { of: (count) => ({ query: `{course(id:1){${nested(count - 2)}}}` }) },
    fragments: {
      of: (count) => ({
        query: `{course(id:1){...A}} fragment A on Course {${nested(count - 3, 'prerequisites{...B}')}} fragment B on Course {...{id}}`,
      }),
    },
  },
  maxRootFields: {
    fields: { of: (count) => ({ query: `{${times(count, (i) => `a${i}:__typename`)}}` }) },
    fragments: {
      of: (count) => ({
        query: `{...A ...on Query{...A} b:__typename} fragment A on Query{${times((count - 1) / 2, (i) => `a${i}:__typename`)}}`,
      }),
      most: 51,
    },
  },
  maxAliases: { aliases: { of: (count) => ({ query: `{courses{nodes{${times(count, (i) => `a${i}:id`)}}}}` }) } },
  maxFragments: {
    fragments: {
      of: (count) => ({ query: `{viewer{${times(count, (i) => `...F${i}`)}}} ${times(count, (i) => `fragment F${i} on User{id}`)}` }),
    },
  },
  maxSelections: {
    fields: { of: (count) => ({ query: `{courses{nodes{${times(count - 2, () => 'id')}}}}` }), most: 500 },
    fragments: {
      of: (count) => ({ query: `{courses{nodes{...A ...A ...A}}} fragment A on Course{${times((count - 5) / 3, () => 'id')}}` }),
      most: 500,
    },
    'fragments in fragments': {
      of: (count) => ({
        query: `{courses{nodes{...A}}} fragment A on Course{a:prerequisites{...B} b:prerequisites{...B}} fragment B on Course{${times((count - 7) / 2, () => 'id')}}`,
      }),
      most: 501,
    },
  },
  maxRepeats: {
    fields: { of: (count) => ({ query: `{courses{nodes{${times(count, () => 'id')}}}}` }) },
    'fields of fields': {
      of: (count) => ({ query: `{courses{nodes{${times(10, () => `a:prerequisites{${times(count / 10, () => 'id')}}`)}}}}` }),
    },
    'fields of fragments': {
      of: (count) => ({
        query: `{courses{nodes{...A ...{...A id} ...B}}} fragment A on Course{${times(count - 2, () => 'id')} ...B} fragment B on Course{id}`,
      }),
    },
  },
  maxDirectives: { directives: { of: (count) => ({ query: `{courses{nodes{${times(count, (i) => `a${i}:id@include(if:true)`)}}}}` }) } },
  maxListItems: {
    'a list': { of: (count) => ({ query: `{courses(where:{categories:{in:${list(count)}}}){totalCount}}` }) },
    'an object': { of: (count) => ({ query: `{courses(where:{${times(count, (i) => `a${i}:1`)}}){totalCount}}` }) },
    'a list in a variable': { of: (count) => ({ query: '{viewer{id}}', variables: { a: Array(count).fill(1) } }) },
    'an object in a variable': {
      of: (count) => ({
        query: '{viewer{id}}',
        variables: { a: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])) },
      }),
    },
  },
  maxVariableValues: { values: { of: (count) => ({ query: '{viewer{id}}', variables: { a: Array(count - 1).fill(1) } }), most: 900 } },
}

async function codesOf(options: TunedOptions, params: object): Promise<[unknown, unknown][]> {
  const gateway = create(merged({ site: { url: site.url } }, options))
  const response = await gateway.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: unknown; limit?: unknown } }[] }
  await gateway.close()
  return errors.map(({ extensions }) => [extensions.code, extensions.limit])
}

describe.each(Object.entries(CASES) as [LimitName, Readonly<Record<string, Case>>][])('%s', (limit, cases) => {
  it.each(Object.entries(cases))('of %s', async (_, { of, most = LIMITS[limit] }) => {
    const set = (value: number): TunedOptions =>
      merged(
        { limits: { maxBodyBytes: 10_000_000 } },
        limit in OPTIONS.limits ? { limits: { [limit]: value } } : { tuning: { limits: { [limit]: value } } },
      )
    const isRefused = (codes: [unknown, unknown][]): boolean => codes.some(([code, name]) => code === 'LIMIT_EXCEEDED' && name === limit)
    expect(isRefused(await codesOf(set(most), of(most)))).toBe(false)
    expect(isRefused(await codesOf(set(most - 1), of(most)))).toBe(true)
  })
})

it('has a case for every limit on requests', () => {
  const others: LimitName[] = ['maxErrors', 'maxAnswerSize', 'maxIntrospection']
  expect([...Object.keys(CASES), ...others].sort()).toEqual(Object.keys(LIMITS).sort())
})

describe('libraries', () => {
  const all = {
    limits: { maxBodyBytes: 10_000_000, maxTokens: 100_000 },
    tuning: { limits: { maxSelections: 100_000, maxRepeats: 10_000 } },
  }

  it('end the comparison of repeated fields by their own limit, which is reported as a limit', async () => {
    const query = `{course(id:1){${times(1_500, (i) => (i % 2 ? 'id' : 'id:id'))}}}`
    expect(await codesOf(all, { query })).toEqual([['LIMIT_EXCEEDED', 'maxSelections']])
  })

  it('report more errors than allowed as they are', async () => {
    const query = `{${times(30, (i) => `x${i}`)}}`
    expect(await codesOf({ tuning: { limits: { maxErrors: 10 } } }, { query })).toEqual(
      Array(10).fill(['GRAPHQL_VALIDATION_FAILED', undefined]),
    )
  })

  it('have no name for the limit on tokens: other syntax errors below it stay as they are', async () => {
    const text = `{${times(20, () => 'a')}`
    expect(await codesOf({ limits: { maxTokens: 21 } }, { query: text })).toEqual([['GRAPHQL_PARSE_FAILED', undefined]])
    expect(await codesOf({ limits: { maxTokens: 20 } }, { query: text })).toEqual([['LIMIT_EXCEEDED', 'maxTokens']])
    expect(await codesOf({ limits: { maxTokens: 20 } }, { query: `{${times(19, () => 'a')} ! "` })).toEqual([
      ['LIMIT_EXCEEDED', 'maxTokens'],
    ])
    expect(await codesOf({ limits: { maxTokens: 21 } }, { query: `{${times(18, () => 'a')} "` })).toEqual([
      ['GRAPHQL_PARSE_FAILED', undefined],
    ])
  })
})

describe('@defer and @stream', () => {
  const deferred = (first: string, second: string) => `{ course(id: 1) { ... @defer(${first}) { id } ... @defer(${second}) { title } } }`
  const LABELLED = 'query ($text: String) { course(id: 1) { ... @defer(label: $text) { id } } }'

  it.each([
    ['at the root of a mutation', 'mutation { ... @defer { updateCourse(input: { id: 1 }) { __typename } } }'],
    ['on a field that is no list', '{ course(id: 1) { title @stream } }'],
    ['with a label twice', deferred('label: "a"', 'label: "a"')],
    ['with a label in a variable', LABELLED],
  ])('are refused %s', async (_, query) => {
    expect(await codesOf({}, { query })).toEqual([['GRAPHQL_VALIDATION_FAILED', undefined]])
  })

  it('are valid on fragments and lists, with different labels', async () => {
    for (const query of [deferred('label: "a"', 'label: "b"'), '{ courses(first: 1) { nodes @stream(label: "a") { title } } }'])
      expect((await codesOf({}, { query })).map(([code]) => code)).not.toContain('GRAPHQL_VALIDATION_FAILED')
  })
})

describe('the nesting of a text', () => {
  /** Brackets of the tokens of a text, as deep as they nest. */
  function nestingByLexer(text: string): number {
    const lexer = new Lexer(new Source(text))
    let [depth, most] = [0, 0]
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      if (token.kind === TokenKind.BRACE_L || token.kind === TokenKind.BRACKET_L) most = Math.max(most, ++depth)
      if (token.kind === TokenKind.BRACE_R || token.kind === TokenKind.BRACKET_R) depth--
    }
    return most
  }

  it('is that of the lexer of graphql-js, with any strings and comments', () => {
    const part = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        'a',
        '(',
        ')',
        ':',
        '$',
        '#{[\n',
        '#"""{\r',
        '"{["',
        '"\\"{"',
        '"\\\\"',
        '""',
        '"""{"""',
        '"""\\"""{"""',
        '""""""',
        '"""\n"{\\n"""',
        '#\n',
        '"#{"',
        '"""#{"""',
        ' ',
        '...',
      ],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join(' ')
        expect(nestingOf(text, 1_000)).toBe(nestingByLexer(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is measured up to the limit only', () => {
    expect(nestingOf('{'.repeat(100_000), 10)).toBe(11)
  })
})

describe('limits by default', () => {
  const url = new URL('../../schema/operations/', import.meta.url)
  it.each(readdirSync(url))('are far from %s', (name) => {
    const query = readFileSync(new URL(name, url), 'utf8')
    const document = parse(query)
    expect(nestingOf(query, 1_000) * 5).toBeLessThan(LIMITS.maxNesting)
    expect(document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length * 10).toBeLessThan(LIMITS.maxFragments)
  })
})

describe('an answer', () => {
  const ask = async (query: string, options: TunedOptions): Promise<any> => {
    const gateway = create(merged({ site: { url: site.url } }, options))
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const answer = await response.json()
    await gateway.close()
    return answer
  }

  it.each([true, false])('has no more errors than allowed, and the number of the others (compiled: %s)', async (compile) => {
    const query = `{${times(30, (i) => `a${i}: course(id: "x") { id }`)}}`
    const { data, errors, extensions } = await ask(query, { tuning: { limits: { maxErrors: 10 }, compile } })
    expect([Object.keys(data).length, errors.length, extensions]).toEqual([30, 10, { errorsLeftOut: 20 }])
    expect(await ask(query, { tuning: { limits: { maxErrors: 30 }, compile } })).not.toHaveProperty('extensions')
  })

  it.each([true, false])('has no more characters than allowed (compiled: %s)', async (compile) => {
    const query = `{${times(40, (i) => `a${i}: user(id: ${i + 1}) { id databaseId }`)}}`
    const { data } = await ask(query, { tuning: { compile } })
    const size = JSON.stringify(data).length
    expect(await ask(query, { tuning: { compile }, limits: { maxAnswerSize: size + 1 } })).toEqual({ data })
    const refused = await ask(query, { tuning: { compile }, limits: { maxAnswerSize: Math.round(size * 0.8) } })
    expect([refused.data, refused.errors[0].extensions.code]).toEqual([undefined, 'ANSWER_TOO_LARGE'])
  })

  it('quotes only a bounded part of the request', async () => {
    const { errors } = await ask(`{ ${'x'.repeat(5_000)} }`, {})
    expect(errors[0].message).toMatch(/^Cannot query field "x{400,490}…$/)
  })
})
