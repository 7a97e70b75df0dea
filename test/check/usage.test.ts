import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { CLI, Command } from '../support/command.js'
import { authorizationOf } from '../support/world.js'
import { folderOf, lineOf, runWith, type Usage, usageIn } from './logs.js'

const FOLDER = folderOf({
  'titles.graphql': `
# Titles
# variables: {"order": {"field": "TITLE"}}
query Titles($first: Int = 2, $order: CourseOrderBy) {
  courses(first: $first, orderBy: $order) { nodes { ...Named } }
  more: courses(first: 1) { totalCount }
}

query Prices { priceTypes { slug name } }
`,
  'rename.graphql': `
mutation Rename($input: UpdateCourseInput!) {
  updateCourse(input: $input) { ... on UpdateCourseSuccess { course { ...Named } } ... on LmsError { code } }
}
`,
  'fragments.graphql': 'fragment Named on Course { id title }',
})
afterAll(() => FOLDER.remove())

const usage = (log: Parameters<typeof usageIn>[0], schema?: string): Promise<Usage> => usageIn(log, FOLDER.path, schema)

/** A row of figures by its name. */
function rowOf<Row extends { readonly name: string }>(rows: readonly Row[], name: string): Omit<Row, 'name'> | undefined {
  const { name: _, ...figures } = rows.find((row) => row.name === name) ?? ({} as Row)
  return Object.keys(figures).length === 0 ? undefined : figures
}

const NEVER = { count: 0, errors: 0, refused: 0, first: null, last: null, clients: {} }

describe('the usage in the log of a gateway', () => {
  let lms: RunningLms
  let log: string
  let startedAt: string
  let endedAt: string

  const KEYS = { shop: 'shop-0123456789abcdef', app: 'app-0123456789abcdef' }

  beforeAll(async () => {
    lms = await startLms()
    const env = { NODE_ENV: 'production', GATEWAY_API_KEYS: `shop:${KEYS.shop},app:${KEYS.app}`, GATEWAY_OPEN: 'true' }
    const gateway = new Command(['--port', '0', '--upstream', lms.url, '--log-level', 'debug'], env)
    const address = await gateway.address()
    const send = async (body: object | string, headers: Record<string, string> = {}): Promise<void> => {
      const response = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      await response.text()
    }
    const titles = 'query Titles { courses(first: 2) { nodes { id title } } }'
    startedAt = new Date().toISOString()
    await send({ query: titles }, { 'x-api-key': KEYS.shop })
    await send({ query: titles }, { 'x-api-key': KEYS.app })
    await send({ query: titles }, { 'x-api-key': KEYS.app, authorization: authorizationOf('admin') })
    await send({ query: titles })
    await send({ query: titles }, { authorization: authorizationOf('learner') })
    // Another document under a name of the folder, which has an error.
    await send({ query: 'query Titles { courses(first: 1) { nodes { titleRaw title } } }' })
    await send({ query: 'query Titles { nothing }' })
    await send({ query: 'query Titles { __typename }' }, { 'x-api-key': 'wrong-0123456789abcdef' })
    const rename = `mutation Rename { updateCourse(input: { id: 10001, customButtonLabel: "Go" }) { __typename } }`
    await send({ query: rename }, { authorization: authorizationOf('admin') })
    await send({ query: 'query Elsewhere { __typename }' })
    await send({ query: 'query Elsewhere { nothing }' })
    await send({ query: '{ __typename }' })
    await send('not JSON')
    await (await fetch(`${address}/health/live`)).text()
    const ended = await gateway.stop()
    endedAt = new Date().toISOString()
    log = ended.stdout
  })
  afterAll(() => lms.close())

  it('has each operation of the folder with who ran it and how it ended', async () => {
    const { operations, lines } = await usage([log])
    expect(operations.map(({ name }) => name)).toEqual(['Rename', 'Titles', 'Prices'])
    const at = expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(rowOf(operations, 'Titles')).toEqual({
      count: 6,
      errors: 1,
      refused: 1,
      first: at,
      last: at,
      clients: { 'key:shop': 1, 'key:app': 2, anonymous: 2, login: 1 },
    })
    expect(rowOf(operations, 'Rename')).toEqual({ count: 1, errors: 0, refused: 0, first: at, last: at, clients: { login: 1 } })
    expect(rowOf(operations, 'Prices')).toEqual(NEVER)
    const { first, last } = rowOf(operations, 'Titles') as Usage['operations'][number]
    expect([startedAt, first, last, endedAt]).toEqual([startedAt, first, last, endedAt].sort())
    expect(lines.operations).toBe(13)
    // The address, REST calls, the mutation, and the health check.
    expect(lines.others).toBe(log.trimEnd().split('\n').length - 13)
  })

  it('has what these operations use of the graph, and nothing that only a refused or an unused one uses', async () => {
    const { coordinates, operations } = await usage([log])
    const { clients, count, first, last } = rowOf(operations, 'Titles') as Usage['operations'][number]
    const ofTitles = { count, errors: 1, refused: 1, first, last, clients, operations: ['Titles'] }
    for (const name of ['Query.courses', 'Query.courses(first:)', 'CourseConnection.nodes', 'CourseOrderBy', 'CourseOrderField.TITLE'])
      expect([name, rowOf(coordinates, name)]).toEqual([name, ofTitles])
    const both = rowOf(coordinates, 'Course.title')
    expect(both).toMatchObject({ count: 7, errors: 1, refused: 1, clients: { 'key:app': 2, login: 2, anonymous: 2, 'key:shop': 1 } })
    expect(both?.operations).toEqual(['Rename', 'Titles'])
    expect(rowOf(coordinates, 'Mutation.updateCourse(input:)')?.operations).toEqual(['Rename'])
    expect(coordinates.filter(({ name }) => /PriceType|titleRaw/.test(name))).toEqual([])
  })

  it('has the operations that the folder does not have by name, and those without a name', async () => {
    const { unknown } = await usage([log])
    expect(unknown.map(({ name, count, refused, clients }) => [name, count, refused, clients])).toEqual([
      // Documents of callers who are not authenticated are not read.
      ['(unnamed)', 1, 2, { anonymous: 1 }],
      ['Elsewhere', 1, 1, { anonymous: 1 }],
    ])
  })

  it('is the sum of the logs of several gateways in any order, with the prefixes of programs that collect them', async () => {
    const one = await usage([log])
    const text = log.trimEnd().split('\n')
    const compose = text.map((line) => `gateway-1  | ${line}`).join('\n')
    const kubernetes = text.map((line) => `[pod/lms-graphql-6d5f/gateway] ${line}`).join('\r\n')
    const backwards = text.toReversed().join('\n')
    const three = await usage([compose, '\n', kubernetes, '\r\n\r\n', backwards])
    expect(three.lines).toEqual({ operations: 39, others: one.lines.others * 3, dropped: 0 })
    const tripled = one.operations.map((row) => ({
      ...row,
      count: row.count * 3,
      errors: row.errors * 3,
      refused: row.refused * 3,
      clients: Object.fromEntries(Object.entries(row.clients).map(([client, count]) => [client, count * 3])),
    }))
    expect(three.operations).toEqual(tripled)
  })

  it('as text has a row for each operation, and says that names are not documents', async () => {
    const { code, stdout, stderr } = await runWith([log], ['usage', FOLDER.path])
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^OPERATION +RUNS +ERRORS +REFUSED +FIRST \(UTC\) +LAST \(UTC\) +CLIENTS$/)
    expect(lines[1]).toMatch(/^Rename +1 +0 +0 +2\d{3}-\d\d-\d\d \d\d:\d\d +2\d{3}-\d\d-\d\d \d\d:\d\d +login 1$/)
    expect(lines[3]).toMatch(/^Prices +0 +0 +0 +- +-$/)
    expect(stdout).toMatch(/^Query\.courses\(first:\) +6 /m)
    expect(stdout).toMatch(/^Elsewhere +1 +0 +1 /m)
    expect(stdout).toContain('anybody can send any document with any name')
    expect(lines.at(-2)).toBe(`Lines: 13 of operations, ${log.trimEnd().split('\n').length - 13} of other kinds, 0 dropped by the gateway.`)
    const { stdout: known } = await runWith([lineOf('Titles')], ['usage', FOLDER.path])
    expect(known).not.toContain('anybody can send')
  })
})

describe('lines', () => {
  it('that are cut, of other programs, or odd are counted, and change no other figure', async () => {
    const log = [
      'php-fpm: ready',
      '{"msg":"operation"}',
      '{"msg":"operation","operation":"Titles","outcome":"great"}',
      '[{"msg":"operation","operation":"Titles","outcome":"ok"}]',
      '{"level":"debug","route":"v2/courses","msg":"call"}',
      '{"__proto__":{"msg":"operation","outcome":"ok"}}',
      '{"toString":1,"msg":{"toString":2}}',
      'null',
      '{',
      '',
      '   ',
      lineOf('Titles'),
      lineOf('Prices').slice(0, -3),
    ].join('\n')
    const { lines, operations, unknown } = await usage([log])
    expect(lines).toEqual({ operations: 1, others: 10, dropped: 0 })
    expect(operations.map(({ count }) => count)).toEqual([0, 1, 0])
    expect(unknown).toEqual([])
  })

  it('with names of prototypes, no names, odd callers or odd times are counted', async () => {
    const long = 'N'.repeat(101)
    const log = [
      ...['__proto__', 'constructor', 'toString', '__proto__'].map((name) => lineOf(name)),
      ...[null, undefined, 7, '', 'a b', long, { toString: 1 }].map((name) => lineOf(name)),
      ...[
        '__proto__',
        'constructor',
        'key:__proto__',
        'key:shop token:ada',
        'token:ada@example.org',
        'bearer',
        'cookie',
        'login:a b',
        'cookies',
        5,
        null,
      ].map((caller) => lineOf('Prices', { caller })),
      ...[undefined, null, '2026-10-01', Number.NaN, -1, 0, 1e300].map((time) => lineOf('Titles', { time })),
      lineOf('Rename', { time: Date.UTC(2026, 9, 3) }),
      lineOf('Rename', { time: Date.UTC(2026, 9, 2), outcome: 'cancelled', status: 0 }),
      lineOf('Rename', { time: Date.UTC(2026, 9, 4), outcome: 'failed' }),
      lineOf('Rename', { time: Date.UTC(2026, 9, 5), outcome: 'refused' }),
    ].join('\n')
    const { operations, unknown } = await usage([log])
    expect(unknown.map(({ name, count }) => [name, count])).toEqual([
      ['__proto__', 2],
      ['constructor', 1],
      ['toString', 1],
      ['(unnamed)', 7],
    ])
    expect(rowOf(operations, 'Prices')?.clients).toEqual({
      unknown: 5,
      'key:__proto__': 1,
      'key:shop': 1,
      token: 1,
      bearer: 1,
      cookie: 1,
      login: 1,
    })
    expect(rowOf(operations, 'Titles')).toMatchObject({ count: 7, first: null, last: null })
    const [first, last] = ['2026-10-02T00:00:00.000Z', '2026-10-04T00:00:00.000Z']
    expect(rowOf(operations, 'Rename')).toEqual({ count: 3, errors: 1, refused: 1, first, last, clients: { 'key:shop': 3 } })
  })

  it('that are longer than a megabyte are one other line each, wherever they end', async () => {
    const long = lineOf('Titles', { variables: 'x'.repeat(3_000_000) })
    const log = [long, lineOf('Titles'), long, long, lineOf('Prices'), 'y'.repeat(1_000_001), lineOf('Titles'), long].join('\n')
    const { lines, operations } = await usage([log])
    expect(lines).toEqual({ operations: 3, others: 5, dropped: 0 })
    expect(operations.map(({ count }) => count)).toEqual([0, 2, 1])
    const almost = lineOf('Titles', { variables: 'x'.repeat(999_000) })
    expect((await usage([almost])).lines).toEqual({ operations: 1, others: 0, dropped: 0 })
  })

  it('may come in pieces of any size', async () => {
    const log = Buffer.from([lineOf('Titles', { variables: { text: 'Größe 👍' } }), lineOf('Prices'), 'é', lineOf('Titles')].join('\r\n'))
    const whole = await usage([log])
    expect(whole.lines).toEqual({ operations: 3, others: 1, dropped: 0 })
    for (const size of [1, 7, 100])
      expect(
        await usage(Array.from({ length: Math.ceil(log.length / size) }, (_, at) => log.subarray(at * size, (at + 1) * size))),
      ).toEqual(whole)
  })

  it('that a gateway dropped are in the report', async () => {
    const dropped = { level: 'warn', time: 1_772_356_364_310, droppedLines: 12, msg: 'lines of the log were dropped' }
    const { lines } = await usage([[lineOf('Titles'), JSON.stringify(dropped), JSON.stringify(dropped)].join('\n')])
    expect(lines).toEqual({ operations: 1, others: 2, dropped: 24 })
  })

  it('with names or API keys without end are counted, but only a hundred of each by themselves', async () => {
    function* log() {
      for (let each = 0; each < 5_000; each++) yield `${lineOf(`Made${each}`)}\n${lineOf('Titles', { caller: `key:k${each}` })}\n`
      yield `${lineOf('Made1')}\n${lineOf('Titles', { caller: 'key:k1' })}\n`
    }
    const { operations, unknown, coordinates } = await usage(log())
    expect(unknown).toHaveLength(101)
    expect(unknown[1]).toMatchObject({ name: 'Made1', count: 2 })
    expect(unknown.at(-1)).toMatchObject({ name: '(others)', count: 4_900 })
    const { count, clients = {} } = rowOf(operations, 'Titles') ?? {}
    expect([count, Object.keys(clients).length, clients['key:k1'], clients['(others)']]).toEqual([5_001, 101, 2, 4_900])
    expect(rowOf(coordinates, 'Course.title')).toMatchObject({ count: 5_001, clients: { '(others)': 4_900 } })
  })
})

describe('the graph', () => {
  it('is that of `--schema`, and fields that it does not have are left out', async () => {
    const graph = folderOf({ 'graph.graphql': 'type Query { priceTypes: [PriceType] } type PriceType { slug: String }' })
    const { coordinates } = await usage([lineOf('Prices')], `${graph.path}/graph.graphql`)
    expect(coordinates.map(({ name }) => name)).toEqual(['Query', 'Query.priceTypes', 'PriceType.slug'])
    graph.remove()
  })
})

describe('the command', () => {
  it('prints the usage as JSON', async () => {
    const { code, stdout, stderr } = await runWith(
      [lineOf('Titles'), '\n', lineOf('Elsewhere')],
      ['usage', FOLDER.path, '--format', 'json'],
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(await usage([lineOf('Titles'), '\n', lineOf('Elsewhere')]))
  })

  const NOTHING =
    'lms-graphql: The log has no operation. A gateway writes their lines with `LOG_FORMAT=json` and `LOG_LEVEL=info`; `zcat` decompresses files.\n'
  const NEEDS = 'lms-graphql: `usage` needs a folder and a log: `lms-graphql usage DIR < FILE`.\n'

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['blank lines', '\n\r\n \n'],
    [
      'lines for people',
      '[12:00:00.123] INFO: query Titles: ok (200, 4.2 ms, REST calls: 1) by anonymous from 127.0.0.1 [f0c1] {"role":"visitor"}\n',
    ],
    ['a compressed log', gzipSync(`${lineOf('Titles')}\n`)],
    ['a log of another level', '{"level":"warn","time":1772356364310,"msg":"call failed"}\n'],
  ])('says what it reads when it gets %s', async (_, input) => {
    expect(await runWith([input], ['usage', FOLDER.path])).toEqual({ code: 2, stdout: '', stderr: NOTHING })
  })

  it('needs a folder', async () => {
    expect(await runWith([lineOf('Titles')], ['usage'])).toEqual({ code: 2, stdout: '', stderr: NEEDS })
    const { code, stderr } = await runWith([lineOf('Titles')], ['usage', `${FOLDER.path}/missing`])
    expect([code, stderr]).toEqual([2, expect.stringContaining('missing` does not exist')])
  })

  // `script` of util-linux runs a command in a terminal.
  const hasTerminal = spawnSync('script', ['--version']).status === 0
  const skipped = hasTerminal ? '' : ' (skipped: `script` is not installed)'
  it.skipIf(!hasTerminal && process.env.CI !== 'true')(`does not wait for a terminal${skipped}`, () => {
    const { stdout, status } = spawnSync('script', ['-qec', `${process.execPath} ${CLI} usage ${FOLDER.path}`, '/dev/null'], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect([status, stdout.replaceAll('\r', '')]).toEqual([2, NEEDS])
  })

  it('ends without a word when the reader of the report has gone', async () => {
    // Names of types fill more than a pipe holds.
    const child = spawn(process.execPath, [CLI, 'usage', FOLDER.path], { env: { PATH: process.env.PATH } })
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.stdout.destroy()
    child.stdin.end(lineOf('Titles'))
    const [code] = await once(child, 'close')
    expect([code, stderr]).toEqual([0, ''])
  })
})
