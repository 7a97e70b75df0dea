import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fromFragment, LinkError, toFragment } from '../../src/graphiql/share/link.js'
import { CopyError, toCurl, toTypeScript } from '../../src/graphiql/share/programs.js'

const fragmentOf = (content: unknown) => `#operation=${deflateRawSync(JSON.stringify(content)).toString('base64url')}`

describe('links', () => {
  it.each([
    { query: '{ a }', variables: '' },
    { query: '# Grüße 🎵 – „x“ \ud83c\n{ a(b: "`$(c)`\\n") }', variables: '{ "a": "é" } // text', operationName: 'A' },
    { query: '', variables: '{' },
    { query: `{ ${'field '.repeat(10_000)}}`, variables: '' },
  ])('hold an operation %#', async ({ query, variables, operationName }) => {
    const fragment = await toFragment({ query, variables, operationName })
    expect(fragment).toMatch(/^#operation=[\w-]+$/)
    expect(await fromFragment(fragment)).toEqual({ query, variables, operationName })
  })

  it.each(['', '#', '#other', '#operation', '?operation=x'])('are not %j', async (fragment) => {
    expect(await fromFragment(fragment)).toBeUndefined()
  })

  it.each([
    ['#operation=', 'damaged'],
    ['#operation=%%%', 'damaged'],
    ['#operation=abc', 'damaged'],
    [fragmentOf({ query: '{ a }' }).slice(0, -4), 'damaged'],
    [`#operation=${deflateRawSync('{').toString('base64url')}`, 'damaged'],
    [`#operation=${deflateRawSync(Buffer.from([0xff, 0xfe])).toString('base64url')}`, 'damaged'],
    [fragmentOf(null), 'does not hold an operation'],
    [fragmentOf([]), 'does not hold an operation'],
    [fragmentOf('{ a }'), 'does not hold an operation'],
    [fragmentOf({ query: 1 }), 'does not hold an operation'],
    [fragmentOf({ query: '{ a }', variables: {} }), 'does not hold an operation'],
    [fragmentOf({ query: '{ a }', operationName: null }), 'does not hold an operation'],
    [fragmentOf({ query: ' '.repeat(100_001) }), 'too large'],
    [fragmentOf({ query: ' '.repeat(10_000_000) }), 'too large'],
    [`#operation=${'a'.repeat(20_000)}`, 'too large'],
  ])('say what is wrong: %#', async (fragment, message) => {
    const error = await fromFragment(fragment).catch((each) => each)
    expect(error).toBeInstanceOf(LinkError)
    expect(error.message).toContain(message)
  })

  it('are not made for large operations', async () => {
    await expect(toFragment({ query: ' '.repeat(100_001), variables: '' })).rejects.toThrow('too large for a link')
    const query = randomBytes(30_000).toString('base64')
    await expect(toFragment({ query, variables: '' })).rejects.toThrow('too large for a link')
  })
})

const sent = { url: 'http://127.0.0.1:4000/graphql', query: '{ a }', variables: {}, headers: [] }

/** The arguments that a shell gives to the command. */
function argumentsOf(command: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)
}

describe('toCurl', () => {
  it.each(['{ a }', "it's '$HOME' `id` $(id) \\ \" ! % \n\t # ; & | < > * ? [a] {b} ~", "''", '\u0000\u0007é🎵', '-d @/etc/passwd'])(
    'quotes %j',
    (text) => {
      const [url, ...rest] = argumentsOf(toCurl({ ...sent, query: text, variables: { [text]: text }, operationName: 'A' }))
      expect(url).toBe(sent.url)
      expect(rest.slice(0, 3)).toEqual(['-H', 'content-type: application/json', '-d'])
      expect(JSON.parse(rest[3] ?? '')).toEqual({ query: text, variables: { [text]: text }, operationName: 'A' })
    },
  )

  it('leaves out what is not there, and takes header values from the environment', () => {
    const command = toCurl({ ...sent, url: "http://h/it's/[a]", headers: ['Authorization', 'X-API-Key', 'X`id`', '2x'] })
    expect(command).toBe(
      [
        String.raw`curl 'http://h/it'\''s/%5Ba%5D' \ `.trim(),
        String.raw`  -H 'content-type: application/json' \ `.trimEnd(),
        String.raw`  -H "Authorization: $AUTHORIZATION" \ `.trimEnd(),
        String.raw`  -H "X-API-Key: $X_API_KEY" \ `.trimEnd(),
        String.raw`  -H "2x: $_2X" \ `.trimEnd(),
        `  -d '{"query":"{ a }"}'`,
        '',
      ].join('\n'),
    )
    expect(argumentsOf(command, { AUTHORIZATION: 'Bearer "x" $HOME', X_API_KEY: "it's" })).toEqual(
      expect.arrayContaining(['Authorization: Bearer "x" $HOME', "X-API-Key: it's", '{"query":"{ a }"}']),
    )
  })
})

describe('toTypeScript', () => {
  it('writes one operation with its fragments, its variables and the call', () => {
    const query = [
      'fragment Other on A { b }',
      'fragment Line on A { b(text: "x") }',
      'query one($a: ID!) { a(id: $a) { ...Line } }',
      'query Two { a { ...Other } }',
    ].join('\n')
    const variables = { a: "it's", 'not-defined': 1 }
    expect(toTypeScript({ ...sent, query, variables, operationName: 'one', headers: ['authorization', 'X-API-Key'] })).toBe(
      [
        '// `graphql` comes from the client preset of GraphQL Code Generator, and `execute` from its guide in the documentation of lms-graphql.',
        '// The gateway also takes an API key: let `execute` send it in the header X-API-Key.',
        "import { execute } from './execute.js'",
        "import { graphql } from './gql/index.js'",
        '',
        'const One = graphql(`',
        '  query one($a: ID!) {',
        '    a(id: $a) {',
        '      ...Line',
        '    }',
        '  }',
        '',
        '  fragment Line on A {',
        '    b(text: "x")',
        '  }',
        '`)',
        '',
        "const gateway = { url: 'http://127.0.0.1:4000/graphql', authorization: process.env.AUTHORIZATION }",
        "export const data = await execute(gateway, One, { a: 'it\\'s' })",
        '',
      ].join('\n'),
    )
  })

  it('names an operation without a name, and writes nested values over several lines', () => {
    const variables = {
      input: { title: 'A "long" title\nof two lines', tags: ['a', 'b', null, true, 1.5], 'a-b': {}, text: 'x'.repeat(60) },
    }
    const text = toTypeScript({ ...sent, query: 'mutation ($input: In!) { a(input: $input) }', variables })
    expect(text).toContain('mutation Operation($input: In!) {')
    expect(text).toContain(
      [
        'execute(gateway, Operation, {',
        '  input: {',
        `    title: 'A "long" title\\nof two lines',`,
        "    tags: ['a', 'b', null, true, 1.5],",
        "    'a-b': {},",
        `    text: '${'x'.repeat(60)}',`,
        '  },',
        '})',
      ].join('\n'),
    )
    expect(toTypeScript({ ...sent, query: '{ a }' })).toContain('query Operation {')
  })

  it.each([
    ['{ a', 'The query has an error'],
    ['fragment A on B { c }', 'no operation'],
    ['{ a(b: "c\\"d") }', 'backslash'],
    ['{ a(b: "`") }', 'backtick'],
    [`{ a(b: "$${'{c}'}") }`, 'variable'],
  ])('says why it cannot: %j', (query, message) => {
    expect(() => toTypeScript({ ...sent, query })).toThrow(CopyError)
    expect(() => toTypeScript({ ...sent, query })).toThrow(message)
  })
})
