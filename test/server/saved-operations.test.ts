import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type DocumentNode, Kind, parse, print, visit } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_USERS, type RunningLms, startLms } from '../../src/lms/index.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { OPERATIONS_FOLDER, SAVED_OPERATIONS } from '../support/saved-operations.js'
import { create, type Served, serve } from '../support/served.js'

// Operations of a folder: clients name them, and they are prepared before the first request.

const CATALOGUE =
  '# Catalogue\n# group: For visitors\nquery Catalogue($first: Int = 2, $slugs: Boolean = true) {\n  courses(first: $first) { ...Card }\n}'
const CARD = '# Of every page\nfragment Card on CourseConnection { nodes { ...Title } totalCount }'
const TITLE = 'fragment Title on Course { id title slug @include(if: $slugs) }'
const SEARCH =
  'fragment Found on Course { title }\n\n# Search\nquery Search($text: String = "algebra") { courses(where: { search: $text }) { nodes { ...Found } } }\n'
const GROUPS =
  'query Groups { groups(first: 1) { nodes { title } } }\nmutation Rename($id: ID!) { updateCourse(input: { id: $id, title: "x" }) { __typename } }\n'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hashed = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms()
})
afterAll(() => lms.close())

const folders: string[] = []
const gateways: Served[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'saved-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function started(options: TunedOptions): Promise<Served> {
  const gateway = await serve(merged({ site: { url: lms.url } }, options))
  gateways.push(gateway)
  return gateway
}

const FILES = {
  'catalogue.graphql': CATALOGUE,
  'shared/fragments.graphql': `${CARD}\n${TITLE}\n`,
  'search.graphql': SEARCH,
  'groups.graphql': GROUPS,
}

const trusting = (options: TunedOptions = {}): Promise<Served> =>
  started(merged({ http: { operations: folderOf(FILES), onlyTrusted: true } }, options))

const answerTo = async (gateway: Served, params: object, headers?: Readonly<Record<string, string>>): Promise<any> =>
  (await gateway.post(params, headers)).json()

async function refusal(gateway: Served, params: object): Promise<[status: number, code: string, message: string]> {
  const response = await gateway.post(params)
  const [{ message, extensions }] = ((await response.json()) as any).errors
  return [response.status, extensions.code, message]
}

const get = (
  { url }: Served,
  params: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${url}/graphql?${new URLSearchParams(params)}`, { headers: { accept: 'application/graphql-response+json', ...headers } })

describe('a saved operation', () => {
  it('runs by its name, as `documentId` and as the name of a persisted document, by POST and GET', async () => {
    const gateway = await trusting()
    const variables = { first: 3 }
    const first = await answerTo(gateway, { documentId: 'Catalogue', variables })
    expect(first.data.courses).toMatchObject({ nodes: { length: 3 }, totalCount: expect.any(Number) })
    const { extensions } = hashed('Catalogue')
    for (const params of [
      { documentId: 'Catalogue', operationName: 'Catalogue', variables },
      { documentId: 'Catalogue', variables, extensions: {} },
      { extensions, variables },
      { documentId: 'Catalogue', query: null, variables },
    ])
      expect(await answerTo(gateway, params)).toEqual(first)
    for (const params of [{ documentId: 'Catalogue' }, { extensions: JSON.stringify(extensions) }])
      expect(await (await get(gateway, { ...params, variables: JSON.stringify(variables) })).json()).toEqual(first)
  })

  it('runs by the hash of each text that clients make of it, and by these texts', async () => {
    const gateway = await trusting()
    const withTypenames = (text: string): DocumentNode =>
      visit(parse(text), {
        SelectionSet: (node, _, parent) =>
          (parent as { kind: string }).kind === Kind.OPERATION_DEFINITION ||
          node.selections.some((each) => 'name' in each && each.name.value === '__typename')
            ? undefined
            : { ...node, selections: [...node.selections, { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] },
      })
    const catalogue = [CATALOGUE, CARD, TITLE].join('\n')
    const [, ofSearch = ''] = SEARCH.split('\n\n')
    const texts = [
      print(parse(catalogue)),
      print(withTypenames(catalogue)),
      // What GraphiQL shows.
      [CATALOGUE.replace('# group: For visitors\n', ''), CARD, TITLE].join('\n\n'),
      // A file that is complete, as it is and as loaders read it.
      SEARCH,
      print(parse(SEARCH)),
      print(withTypenames(SEARCH)),
      `${ofSearch.trim()}\n\nfragment Found on Course { title }`,
      print(parse(`${ofSearch} fragment Found on Course { title }`)),
    ]
    for (const query of texts) {
      const answer = await answerTo(gateway, { query })
      expect([query, answer.errors, answer.data.courses.nodes.length > 0]).toEqual([query, undefined, true])
      expect(JSON.stringify(answer).includes('__typename')).toBe(query.includes('__typename'))
      for (const params of [
        { documentId: `sha256:${sha256(query)}` },
        { documentId: sha256(query) },
        hashed(sha256(query)),
        { query, ...hashed(sha256(query)) },
      ])
        expect(await answerTo(gateway, params)).toEqual(answer)
      expect(await answerTo(gateway, { query, documentId: sha256(query) })).toEqual(answer)
    }
    // A file with several operations needs the name of one.
    expect((await answerTo(gateway, { query: GROUPS, operationName: 'Groups' })).data.groups.nodes).toHaveLength(1)
    expect(await refusal(gateway, { query: GROUPS })).toEqual([400, 'OPERATION_RESOLUTION_FAILURE', expect.any(String)])
  })

  it('is refused where its name, its text or its method is wrong', async () => {
    const gateway = await trusting()
    const untrusted = [400, 'DOCUMENT_NOT_TRUSTED', expect.any(String)]
    for (const params of [
      { documentId: 'Missing' },
      { documentId: 'constructor' },
      { documentId: `sha256:${'0'.repeat(64)}` },
      { query: '{ __typename }' },
      { query: '{ __typename }', documentId: sha256('{ __typename }') },
      { query: `${CATALOGUE}\n${CARD}\n${TITLE}` },
      // Fragments of other files are missing in it.
      { query: CATALOGUE },
    ])
      expect([params, await refusal(gateway, params)]).toEqual([params, untrusted])
    const mismatch = [400, 'BAD_REQUEST', 'The hash or name that the request gives is not that of `query`.']
    expect(await refusal(gateway, { query: '{ __typename }', documentId: 'Catalogue' })).toEqual(mismatch)
    const wrong = '`documentId` must be the SHA-256 of `query`, in hexadecimal digits, or the name of a trusted document.'
    for (const documentId of [7, '', 'a b', 'x'.repeat(201), {}, []])
      expect(await refusal(gateway, { documentId })).toEqual([400, 'BAD_REQUEST', wrong])
    expect(await refusal(gateway, { documentId: 'Catalogue', operationName: 'Search' })).toEqual([
      400,
      'OPERATION_RESOLUTION_FAILURE',
      expect.any(String),
    ])
    const mutation = await get(gateway, { documentId: 'Rename', variables: '{"id":"1"}' })
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await get(gateway, { documentId: 'Missing' })).status).toBe(400)
  })

  it('does not keep others from running, unless only trusted documents may', async () => {
    const gateway = await started({ http: { operations: folderOf(FILES) } })
    expect(await answerTo(gateway, { query: '{ __typename }' })).toEqual({ data: { __typename: 'Query' } })
    expect(await refusal(gateway, { documentId: 'Missing' })).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'])
    // Clients store documents by `documentId` as they do by `persistedQuery`.
    const query = '{ a: __typename }'
    const documentId = `sha256:${sha256(query)}`
    expect(await answerTo(gateway, { query, documentId })).toEqual({ data: { a: 'Query' } })
    expect(await answerTo(gateway, { documentId })).toEqual({ data: { a: 'Query' } })
    // Nobody can store another text by the name of an operation.
    expect(await refusal(gateway, { query, documentId: 'Catalogue' })).toEqual([400, 'BAD_REQUEST', expect.any(String)])
  })

  it('is kept by HTTP caches when it is asked for by name', async () => {
    const gateway = await trusting({ http: { maxAge: 60 } })
    const response = await get(gateway, { documentId: 'Catalogue' })
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    const again = await get(gateway, { documentId: 'Catalogue' }, { 'if-none-match': response.headers.get('etag') as string })
    expect(again.status).toBe(304)
  })

  it('is shown to GraphiQL, and those of the package are where no folder is given', async () => {
    const shown = async (options: TunedOptions): Promise<any[]> => {
      const gateway = create(merged({ site: { url: lms.url } }, options))
      const response = await gateway.fetch('http://gateway.test/graphql/graphiql/operations.json')
      await gateway.close()
      return response.status === 200 ? ((await response.json()) as any).operations : [response.status]
    }
    const { document: _, caller, file, ...example } = SAVED_OPERATIONS[0]!
    expect((await shown({}))[0]).toEqual(example)
    expect(await shown({ http: { operations: new Map([['x', '{ __typename }']]) } })).toHaveLength(SAVED_OPERATIONS.length)
    const own = await shown({ http: { operations: folderOf(FILES) } })
    expect(own.map(({ name, title, group }) => [name, title, group])).toEqual([
      ['Catalogue', 'Catalogue', 'For visitors'],
      ['Groups', 'Groups', null],
      ['Rename', 'Rename', null],
      ['Search', 'Search', null],
    ])
    expect(await shown({ http: { graphiql: false, operations: folderOf(FILES) } })).toEqual([404])
  })
})

describe('trusted documents', () => {
  const metricsOf = async ({ url }: Served): Promise<string> => (await fetch(`${url}/metrics`)).text()
  const seriesOf = async (gateway: Served, series: string): Promise<number> => {
    const line = (await metricsOf(gateway)).split('\n').find((each) => each.startsWith(`${series} `))
    return Number(line?.slice(series.length))
  }
  const preparedIn = (gateway: Served): Promise<number> => seriesOf(gateway, 'lms_prepared_operations')
  const looked = async (gateway: Served): Promise<[hits: number, misses: number]> => [
    await seriesOf(gateway, 'lms_prepared_operation_lookups_total{result="hit"}'),
    await seriesOf(gateway, 'lms_prepared_operation_lookups_total{result="miss"}'),
  ]

  it.each<[what: string, options: TunedOptions, headers: Readonly<Record<string, string>>]>([
    ['callers with credentials of their own', {}, {}],
    [
      'visitors and administrators of a service account',
      {
        site: { user: 'admin', password: DEMO_USERS.find(({ login }) => login === 'admin')!.password },
        access: { apiKeys: ['admin:0123456789abcdef'], open: true, roles: ['administrator=key:admin'] },
      },
      { 'x-api-key': '0123456789abcdef' },
    ],
  ])('are prepared at the start, for %s', async (_, options, headers) => {
    const gateway = await started(merged({ http: { operations: OPERATIONS_FOLDER }, observe: { metrics: 'open' } }, options))
    // As they are printed, with the fields of caches, and as urql has these.
    await expect.poll(() => preparedIn(gateway)).toBeGreaterThan(2 * SAVED_OPERATIONS.length)
    let runs = 0
    for (const { name, variables, kind } of SAVED_OPERATIONS) {
      if (kind !== 'query') continue
      for (const given of [
        { documentId: name, variables },
        { documentId: name, operationName: name, variables },
      ])
        for (const of of [{}, headers]) {
          await answerTo(gateway, given, of)
          runs++
        }
      expect([name, ...(await looked(gateway))]).toEqual([name, runs, 0])
    }
  })

  it('are prepared with the defaults of their variables', async () => {
    const gateway = await started({ http: { operations: folderOf(FILES) }, observe: { metrics: 'open' } })
    await expect.poll(() => preparedIn(gateway)).toBeGreaterThanOrEqual(8)
    await answerTo(gateway, { documentId: 'Catalogue' })
    expect(await looked(gateway)).toEqual([1, 0])
    const { data } = await answerTo(gateway, { documentId: 'Catalogue', variables: { slugs: false } })
    expect([Object.keys(data.courses.nodes[0]), await looked(gateway)]).toEqual([
      ['id', 'title'],
      [1, 1],
    ])
  })

  it('are prepared up to a bound in memory, in turns in which requests are answered', async () => {
    const selection = Array.from({ length: 100 }, (_, n) => `a${n}: title`).join(' ')
    const operations = Array.from({ length: 5_000 }, (_, n) => `query Q${n} { courses(first: ${1 + (n % 9)}) { nodes { ${selection} } } }`)
    const gateway = await started({
      http: { operations: folderOf(filesOf(operations)) },
      observe: { metrics: 'open' },
    })
    let answered = 0
    let most = 0
    let prepared = -1
    for (let before = -2; prepared !== before || prepared === 0; ) {
      before = prepared
      for (let each = 0; each < 50; each++) {
        const started = performance.now()
        expect((await gateway.post({ query: '{ __typename }' })).status).toBe(200)
        most = Math.max(most, performance.now() - started)
        answered++
        await setImmediate()
      }
      prepared = await preparedIn(gateway)
    }
    expect(answered).toBeGreaterThan(100)
    expect(prepared).toBeGreaterThan(100)
    expect(prepared).toBeLessThan(2_000)
    expect((await answerTo(gateway, { documentId: 'Q4999' })).data.courses.nodes).toHaveLength(5)
  })

  const filesOf = (operations: readonly string[]): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.graphql`, operations.slice(n * 100, n * 100 + 100).join('\n')]))

  it('count by the names of the first 200 of their operations that run', async () => {
    const names = Array.from({ length: 205 }, (_, n) => `Number${n}`)
    const operations = folderOf({ 'a.graphql': names.map((name) => `query ${name} { __typename }`).join('\n') })
    const gateway = await started({ http: { operations }, observe: { metrics: 'open' } })
    for (const name of names.toReversed()) await answerTo(gateway, { documentId: name })
    await answerTo(gateway, { query: 'query Number204 { a: __typename }' })
    const counted = [
      ...(await metricsOf(gateway)).matchAll(/^lms_operations_total\{operation="(\w+)",kind="query",outcome="ok"\} (\d+)$/gm),
    ]
    expect(new Map(counted.map(([, name, count]) => [name, Number(count)]))).toEqual(
      new Map([...names.slice(5).map((name) => [name, 1] as const), ['other', 6]]),
    )
  })
})
