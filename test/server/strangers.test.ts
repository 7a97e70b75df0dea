import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { readManifest } from '../../src/operations/manifest.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'

// Which pages and which documents of strangers are let in, where settings say so.

const MANIFEST = readFileSync(new URL('../../schema/trusted-documents.json', import.meta.url), 'utf8')

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms()
})
afterAll(() => lms.close())

async function within<T>(options: TunedOptions, act: (gateway: Served) => Promise<T>): Promise<T> {
  const gateway = await serve(merged({ site: { url: lms.url } }, options))
  try {
    return await act(gateway)
  } finally {
    await gateway.close()
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const post = ({ url }: Served, params: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(params) })

const bothPaths = describe.each([
  ['the short path', true],
  ['the path of Yoga', false],
] as const)

bothPaths('pages of other origins, on %s', (_, shortPath) => {
  const [OURS, THEIRS] = ['https://app.example.org', 'https://evil.example.org']
  type Told = readonly [origin: string | null, credentials: string | null, vary: boolean]

  const told = ({ headers }: Response): Told => [
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
    /\borigin\b/i.test(headers.get('vary') ?? ''),
  ]

  it.each<[string, TunedOptions, string, Told]>([
    ['nobody is named', {}, OURS, [null, null, false]],
    ['they are named', { http: { corsOrigins: [OURS] } }, OURS, [OURS, null, true]],
    ['others are named', { http: { corsOrigins: [OURS] } }, THEIRS, [null, null, true]],
    ['they come from nowhere', { http: { corsOrigins: [OURS] } }, 'null', [null, null, true]],
    [
      'they are named, and cookies go to the site',
      { http: { corsOrigins: [OURS] }, site: { forwardCookie: true } },
      OURS,
      [OURS, 'true', true],
    ],
    ['all may come', { http: { corsOrigins: ['*'] } }, THEIRS, ['*', null, false]],
    [
      'all may come, and cookies go to the site',
      { http: { corsOrigins: ['*', OURS] }, site: { forwardCookie: true } },
      OURS,
      ['*', null, false],
    ],
  ])('receive CORS headers when %s', (_, options, origin, expected) =>
    within(merged({ tuning: { shortPath } }, options), async (gateway) => {
      const good = await post(gateway, { query: '{ __typename }' }, { origin })
      expect([good.status, told(good)]).toEqual([200, expected])
      const refused = await post(gateway, { query: '{' }, { origin, accept: 'application/graphql-response+json' })
      expect([refused.status, told(refused)]).toEqual([400, expected])
      const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,authorization' }
      const preflight = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers: asked })
      expect([preflight.status, told(preflight)]).toEqual([204, expected])
      const allowed = [preflight.headers.get('access-control-allow-methods'), preflight.headers.get('access-control-allow-headers')]
      expect(allowed).toEqual(expected[0] === null ? [null, null] : ['GET, POST', 'content-type,authorization'])
    }),
  )

  it.each(['app.example.org', 'https://app.example.org/', 'https://*.example.org', 'null'])('%s is not an origin', async (origin) => {
    await expect(within({ http: { corsOrigins: [origin] } }, async () => {})).rejects.toThrow(
      `startGateway: \`http.corsOrigins\` has \`${origin}\`, item 1; it must be a list of origins`,
    )
  })
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hashed = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

bothPaths('documents, on %s', (_, shortPath) => {
  const codes = async (gateway: Served, params: object): Promise<string[]> => {
    const { errors = [] } = (await (await post(gateway, params)).json()) as { errors?: { extensions: { code: string } }[] }
    return errors.map(({ extensions }) => extensions.code)
  }

  it('of the manifest run by hash and by text, and no others', () =>
    within({ tuning: { shortPath }, http: { operations: readManifest(MANIFEST), onlyTrusted: true } }, async (gateway) => {
      const [name, text] = Object.entries(JSON.parse(MANIFEST) as Record<string, string>).find(([, text]) =>
        text.includes('query Search'),
      ) as [string, string]
      const variables = { text: 'algebra' }
      const answers = await Promise.all([
        post(gateway, { ...hashed(name), variables }),
        post(gateway, { ...hashed(`sha256:${name}`), variables }),
        post(gateway, { query: text, variables }),
        post(gateway, { query: text, ...hashed(name), variables }),
        fetch(
          `${gateway.url}/graphql?${new URLSearchParams({ extensions: JSON.stringify(hashed(name).extensions), variables: JSON.stringify(variables) })}`,
        ),
      ])
      const found = await Promise.all(answers.map((answer) => answer.json()))
      expect((found[0] as { data: { courses: { totalCount: number } } }).data.courses.totalCount).toBeGreaterThan(0)
      for (const each of found) expect(each).toEqual(found[0])
      for (const params of [
        { query: '{ __typename }' },
        { query: `${text} `, variables },
        { query: '{ __typename }', ...hashed(sha256('{ __typename }')) },
        hashed(sha256('{ __typename }')),
        hashed('constructor'),
      ])
        expect(await codes(gateway, params)).toEqual(['DOCUMENT_NOT_TRUSTED'])
      expect(await codes(gateway, { query: '{ __typename }', ...hashed(name) })).toEqual(['BAD_REQUEST'])
    }))

  it('outside of a manifest run too, unless only trusted ones may', () =>
    within({ tuning: { shortPath }, http: { operations: readManifest(MANIFEST) } }, async (gateway) => {
      expect(await codes(gateway, { query: '{ __typename }' })).toEqual([])
    }))

  it('that clients send with a hash are stored after they have run, the last 1,000 of them', () =>
    within({ tuning: { shortPath } }, async (gateway) => {
      const documentOf = (i: number): string => `{ a${i}: __typename }`
      const [wrong, first] = ['{ nothing }', documentOf(0)]
      expect(await codes(gateway, hashed(sha256(first)))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
      expect(await codes(gateway, { query: wrong, ...hashed(sha256(wrong)) })).toEqual(['GRAPHQL_VALIDATION_FAILED'])
      expect(await codes(gateway, hashed(sha256(wrong)))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
      expect(await codes(gateway, { query: first, ...hashed(sha256(documentOf(1))) })).toEqual(['BAD_REQUEST'])
      for (let i = 0; i < 1_000; i += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, j) => documentOf(i + j)).map(async (query) =>
            expect(await codes(gateway, { query, ...hashed(sha256(query)) })).toEqual([]),
          ),
        )
      expect(await (await post(gateway, hashed(sha256(first)))).json()).toEqual({ data: { a0: 'Query' } })
      const more = documentOf(1_000)
      expect(await codes(gateway, { query: more, ...hashed(sha256(more)) })).toEqual([])
      const left = await Promise.all([first, documentOf(1), more].map((query) => codes(gateway, hashed(sha256(query)))))
      // What was asked for last stays: the first one, and not the second.
      expect(left).toEqual([[], ['PERSISTED_QUERY_NOT_FOUND'], []])
    }))

  it('that clients send with a hash are stored up to 10 MB', () =>
    within({ tuning: { shortPath }, limits: { maxBodyBytes: 1_000_000 } }, async (gateway) => {
      // 200 KB each: a character outside of Latin-1 makes all characters of a text take two bytes.
      const documents = Array.from({ length: 60 }, (_, i) => `{ a${i}: __typename } # ☃${'x'.repeat(100_000)}`)
      for (const query of documents) expect(await codes(gateway, { query, ...hashed(sha256(query)) })).toEqual([])
      const known: string[] = []
      for (const query of documents) if ((await codes(gateway, hashed(sha256(query)))).length === 0) known.push(query)
      expect(known).toEqual(documents.slice(-49))
    }))
})

describe('a manifest', () => {
  it.each<[string, unknown, Readonly<Record<string, string>>]>([
    ['of GraphQL Code Generator', { abc: '{ a }' }, { abc: '{ a }' }],
    ['with names of hashes', { 'sha256:abc': '{ a }' }, { abc: '{ a }' }],
    [
      'of Apollo',
      { format: 'apollo-persisted-query-manifest', version: 1, operations: [{ id: 'abc', body: '{ a }', name: 'A', type: 'query' }] },
      { abc: '{ a }' },
    ],
  ])('%s is read', (_, manifest, expected) => {
    expect(Object.fromEntries(readManifest(JSON.stringify(manifest)))).toEqual(expected)
  })

  it.each([
    ['{', 'It is not JSON.'],
    ['[]', 'It must be an object with documents by hash.'],
    ['{}', 'It has no document.'],
    ['{"abc":1}', 'Each document must be a text with a name; `abc` is not.'],
    ['{"abc":" "}', 'Each document must be a text with a name; `abc` is not.'],
    ['{"operations":[1]}', 'Each document must be a text with a name; `1` is not.'],
  ])('%s is not valid', (text, message) => {
    expect(() => readManifest(text)).toThrow(message)
  })

  it('of the example operations has the texts of its hashes', () => {
    for (const [name, text] of readManifest(MANIFEST)) expect(sha256(text)).toBe(name)
  })

  it('is required to refuse other documents', async () => {
    await expect(within({ http: { onlyTrusted: true } }, async () => {})).rejects.toThrow(
      '`http.onlyTrusted` has no effect without `http.operations`',
    )
  })
})
