import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCheck } from '../../src/check/run.js'
import { graphSchema } from '../../src/graph/schema.js'
import { startGateway } from '../../src/index.js'
import { effectiveOptions } from '../../src/serve.js'
import { optionsOf } from '../options/setup.js'
import { Command } from '../support/command.js'
import { FakeSite } from '../support/site.js'

let folder: string
let site: FakeSite
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  site = await FakeSite.start()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await site.close()
})

let count = 0
/** Writes files in a folder of their own, and returns its name. */
function files(texts: Readonly<Record<string, string>>): string {
  const own = join(folder, `${count++}`)
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(own, name)), { recursive: true })
    writeFileSync(join(own, name), text)
  }
  return own
}

/** Runs the command in a folder. */
const run = (cwd: string, ...argv: readonly string[]) => new Command(['check', ...argv], {}, [], { cwd }).ended

const SMALL =
  'type Query { course(id: ID!): Course, old: Int @deprecated(reason: "Use course.") }\ntype Course { id: ID!, title: String, price: Price }\nenum Price { FREE PAID }\n'
const COURSE = '# A course\nquery Course($id: ID!) {\n  course(id: $id) { title }\n}\n'

/** What is found in one file, with its place. */
async function findings(text: string, ...argv: readonly string[]): Promise<string[]> {
  const own = files({ 'o.graphql': text, 'small.graphql': SMALL })
  rmSync(join(own, 'o.graphql'))
  mkdirSync(join(own, 'in'))
  writeFileSync(join(own, 'in/o.graphql'), text)
  const schema = argv.includes('--upstream') ? [] : ['--schema', join(own, 'small.graphql')]
  const given = optionsOf(['check', join(own, 'in'), '--format', 'json', ...schema, ...argv])
  const report = JSON.parse((await runCheck({ ...given, options: await effectiveOptions(given, false) }, () => {})).text)
  return report.findings.map(({ severity, line, column, message }: any) => `${line}:${column} ${severity}: ${message}`)
}

describe('lms-graphql check', () => {
  it('prints a table, and exits with 0 when nothing is wrong', async () => {
    const own = files({ 'ops/pages/course.graphql': COURSE, 'ops/me.gql': '# role: visitor\nquery Courses { courses { totalCount } }' })
    const { code, stdout, stderr } = await run(own, 'ops')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'REST CALLS  MIN  EXPECTED  MAX',
      'Courses     1    1         1',
      'Course      1    1         1    with made-up id',
      '',
    ])
    expect(stdout).toMatch(/\n2 operations: 0 errors, 0 warnings\. No operation uses \d+ fields of the graph\.\n$/)
  })

  it('exits with 1 for an error, and names its place', async () => {
    const own = files({ 'ops/course.graphql': COURSE.replace('title', 'titel'), 'ops/f.graphql': 'fragment Spare on Course { id }' })
    const { code, stdout, stderr } = await run(own, 'ops', '--unused')
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toContain(
      'ops/course.graphql:3:21: error: Cannot query field "titel" on type "Course". Did you mean "title", "date", or "type"? (Course)\n',
    )
    expect(stdout).toContain('ops/f.graphql:1:1: warning: No operation uses the fragment "Spare".\n')
    expect(stdout).toMatch(/^unused: Course: id, title, slug, /m)
    expect(stdout).toMatch(/\n1 operation: 1 error, 1 warning\. /)
  })

  it('reads the folder of the settings, and says that it needs one', async () => {
    const own = files({ 'front/ops/course.graphql': COURSE, 'lms.yaml': 'http:\n  operations: front/ops\n', 'trusted.json': '{}' })
    expect(await run(own, '--config', 'lms.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Course /m) })
    // The folder of the gateway is on its server.
    const away = files({ 'mine/course.graphql': COURSE, 'lms.yaml': 'http:\n  operations: /srv/nowhere\n' })
    expect(await run(away, 'mine', '--config', 'lms.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Course /m) })
    expect(await run(away, '--config', 'lms.yaml')).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') })
    expect(await run(own)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'lms-graphql: `check` needs a folder of operations: name it after the command, or set `--operations` or `OPERATIONS`.\n',
    })
  })

  it('takes the settings of a gateway in production, and connects to nothing', async () => {
    let connections = 0
    const server = createServer(() => connections++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const own = files({
      'ops/mine.graphql': '# role: learner\nquery Mine { viewer { id courseProgress(first: 5) { nodes { course { title } } } } }',
      'lms.yaml': [
        'site:',
        `  url: http://127.0.0.1:${port}/wp-json`,
        '  preset: learndash',
        '  user: gateway',
        'access:',
        `  jwtJwksUrl: http://127.0.0.1:${port}/keys`,
        '  jwtIssuer: i',
        '  jwtAudience: a',
        'limits:',
        '  operationsPerMinute: 1',
        'cache:',
        '  maxAge: 60',
        'redis:',
        `  url: redis://127.0.0.1:${port}`,
        'hooks:',
        `  forward: [http://127.0.0.1:${port}/hook]`,
        'observe:',
        '  metrics: 9464',
      ].join('\n'),
    })
    const secret = 'a secret of more than 32 characters'
    const env = { NODE_ENV: 'production', LMS_PASSWORD: 'x', HOOK_SECRET: secret, HOOK_FORWARD_SECRET: `other: ${secret}` }
    const { code, stdout, stderr } = await new Command(['check', 'ops', '--config', 'lms.yaml'], env, [], { cwd: own }).ended
    server.close()
    expect([code, stderr, connections]).toEqual([0, '', 0])
    expect(stdout).toMatch(/^Mine +\d+ +\d+ +\d+$/m)
  })

  it('checks against the subgraph where that is on, and against the rules of the gateway', async () => {
    const own = files({ 'ops/node.graphql': 'query Node { node(id: "Q291cnNlOjEwMDAx") { id } }' })
    expect((await run(own, 'ops')).code).toBe(0)
    const { code, stdout } = await run(own, 'ops', '--subgraph')
    expect([code, stdout]).toEqual([1, expect.stringContaining('Cannot query field "node" on type "Query"')])
    const deep = await run(own, 'ops', '--max-depth', '1')
    expect([deep.code, deep.stdout]).toEqual([1, expect.stringMatching(/^ops\/node\.graphql:1:1: error: .*at most 1 .*allowed/m)])
  })

  it.each([
    [['gone'], /The folder `gone` does not exist/],
    [['ops', '--schema', 'gone.graphql'], /The file `gone.graphql` that `--schema` names does not exist/],
    [['ops', '--schema', 'ops/course.graphql'], /`ops\/course.graphql` that `--schema` names is not a graph in SDL: /],
    [['ops', '--against', 'wrong.graphql'], /`wrong.graphql` that `--against` names is not a graph in SDL: .*Course/],
    [
      ['ops', '--against', 'small.graphql', '--usage', 'small.graphql'],
      /`small.graphql` that `--usage` names is not what `usage --format json` prints/,
    ],
    [
      ['ops', '--url', 'http://127.0.0.1:9/graphql'],
      /`http:\/\/127.0.0.1:9\/graphql` does not answer as a GraphQL server: .*ECONNREFUSED|bad port/,
    ],
    [
      ['ops', '--url', 'http://127.0.0.1:1/', '--headers-file', 'small.graphql'],
      /`small.graphql` that `--headers-file` names must have `Name: value` in each line\.$/,
    ],
    [['ops', '--max-calls', 'x'], /`--max-calls` is `x`/],
  ])('exits with 2 for %j', async (argv, complaint) => {
    const own = files({ 'ops/course.graphql': COURSE, 'small.graphql': SMALL, 'wrong.graphql': 'type Query { course: Course }' })
    const { code, stdout, stderr } = await run(own, ...argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trimEnd()).toMatch(complaint)
  })

  it('prints annotations of GitHub Actions, with their special characters replaced', async () => {
    const own = files({
      'a,b:c/course.graphql': '# variables: {"id": {"50%": 1}}\nquery Course($id: ID!) { course(id: $id) { title } }',
      'small.graphql': SMALL,
    })
    const { code, stdout } = await run(own, '--format', 'github', '--schema', 'small.graphql', 'a,b:c')
    expect(code).toBe(1)
    const [annotation] = stdout.split('\n')
    expect(annotation).toMatch(
      /^::error file=a%2Cb%3Ac\/course\.graphql,line=2,col=14,title=Course::Variable "\$id" (got|has) invalid value.*\{ 50%25: 1 \}/,
    )
  })

  it('prints annotations for the repository when it runs in a folder of it', async () => {
    const own = files({ 'web/ops/course.graphql': COURSE, 'web/small.graphql': SMALL.replace('title', 'heading') })
    const argv = ['check', 'ops', '--format', 'github', '--schema', 'small.graphql']
    const { stdout } = await new Command(argv, { GITHUB_WORKSPACE: own }, [], { cwd: join(own, 'web') }).ended
    expect(stdout).toMatch(/^::error file=web\/ops\/course\.graphql,line=3,/)
  })

  it('prints JSON with all that it found', async () => {
    const own = files({ 'ops/course.graphql': COURSE })
    const { code, stdout } = await run(own, 'ops', '--format=json')
    const { format, findings, operations, unused } = JSON.parse(stdout)
    expect([code, format, findings, unused.Course.includes('title'), unused.Course.includes('slug')]).toEqual([0, 1, [], false, true])
    expect(operations).toEqual([
      { name: 'Course', file: 'ops/course.graphql', line: 2, column: 1, min: 1, expected: 1, max: 1, waves: 1, madeUp: ['id'] },
    ])
  })

  it('says what takes long', async () => {
    const lines: string[] = []
    const texts = Array.from({ length: 30 }, (_, number) => [`o${number}.graphql`, `query O${number} { courses { totalCount } }`] as const)
    const slow = await startGateway({ site: { url: site.url }, http: { port: 0 }, observe: { explainFor: ['everybody'] } })
    const given = optionsOf(['check', files(Object.fromEntries(texts)), '--url', `${slow.url}/graphql`])
    const now = performance.now.bind(performance)
    const startedAt = now()
    // A second in place of each tenth of a millisecond.
    performance.now = () => startedAt + (now() - startedAt) * 10_000
    try {
      await runCheck(given, (line) => lines.push(line))
    } finally {
      performance.now = now
      await slow.close()
    }
    expect(lines.at(-2)).toBe('29/30 O9')
    expect(lines.at(-1)).toBe('')
  })
})

describe('a check', () => {
  it('warns about what is deprecated, with the reason', async () => {
    expect(await findings('query Old { old }')).toEqual(['1:13 warning: The field Query.old is deprecated. Use course.'])
  })

  it('checks the variables of a head', async () => {
    expect(await findings('# variables: {"id": [1]}\nquery C($id: ID!) { course(id: $id) { title } }')).toEqual([
      expect.stringMatching(/^2:9 error: Variable "\$id" (got|has) invalid value.*\[1\]/),
    ])
  })

  it('applies the rules on parts that gateways have', async () => {
    const text = 'query C { course(id: 1) { id @stream } }'
    const [finding] = await findings(text, '--upstream', 'http://127.0.0.1:9')
    expect(finding).toMatch(/^1:30 error: `@stream` needs a list|cannot be used on non-list/)
  })

  it('refuses what is expected to need more calls than `--max-calls`, and names what costs most', async () => {
    const text = 'query Much { courses(first: 50) { nodes { lessons(first: 5) { totalCount } } } }'
    const own = ['--upstream', 'http://127.0.0.1:9']
    expect(await findings(text, ...own, '--max-calls', '51')).toEqual([])
    expect(await findings(text, ...own, '--max-calls', '50')).toEqual([
      expect.stringMatching(
        /^1:1 error: The operation is expected to need 51 REST calls \(1 to 51\), and the budget is 50\. `courses.nodes.lessons` costs most/,
      ),
    ])
    const gateway = await startGateway({ site: { url: site.url }, http: { port: 0 }, observe: { explainFor: ['everybody'] } })
    const url = ['--url', `${gateway.url}/graphql`]
    const of = async (...argv: readonly string[]) => {
      const given = optionsOf(['check', files({ 'o.graphql': text }), '--format', 'json', ...url, ...argv])
      return JSON.parse((await runCheck(given, () => {})).text).findings.map(({ message }: any) => message)
    }
    expect([await of('--max-calls', '51'), await of()]).toEqual([[], []])
    expect(await of('--max-calls', '50')).toEqual([
      'The operation is expected to need 51 REST calls, and the budget is 50. `courses.nodes.lessons` costs most, about 50.',
    ])
    await gateway.close()
  })

  it('estimates for the role of the head where there is an account', async () => {
    const text = (role: string) => `# role: ${role}\nquery Q { courses(first: 20) { nodes { titleRaw viewerCanUpdate } } }`
    const account = ['--upstream', 'https://site.example', '--lms-user', 'gateway', '--open']
    const of = async (role: string) => {
      const given = optionsOf(['check', files({ 'o.graphql': text(role) }), '--format', 'json', ...account], { LMS_PASSWORD: 'x' })
      const { operations } = JSON.parse((await runCheck({ ...given, options: await effectiveOptions(given, true) }, () => {})).text)
      return operations[0].max
    }
    expect(await of('administrator')).not.toBe(await of('visitor'))
  })

  it('says why a gateway has no plan or does not show its graph', async () => {
    const closed = await startGateway({ site: { url: site.url }, http: { port: 0, introspection: false } })
    const open = await startGateway({ site: { url: site.url }, http: { port: 0 } })
    const of = async (url: string) => runCheck(optionsOf(['check', files({ 'o.graphql': COURSE }), '--url', `${url}/graphql`]), () => {})
    await expect(of(closed.url)).rejects.toThrow(/The gateway does not show its graph: .*introspection/)
    expect((await of(open.url)).text).toMatch(/^warning: There are no estimates: You may not have operations explained\.$/m)
    await closed.close()
    await open.close()
  })

  it('runs nothing on a server that explains nothing, and sends the headers to no other', async () => {
    const asked: string[] = []
    const answers: Readonly<Record<string, unknown>> = { '/null': null, '/text': 'x', '/empty': {}, '/odd': { data: {} } }
    const server = createHttpServer(async (request, response) => {
      const { query } = JSON.parse(await text(request))
      asked.push(`${request.url} ${/\w+/.exec(query)}`)
      const target = request.url === '/moved' ? { location: '/target' } : undefined
      response.writeHead(target ? 307 : 200, target)
      const result = await graphql({ schema: graphSchema(), source: query })
      response.end(JSON.stringify(request.url === '/graphql' ? result : answers[`${request.url}`]))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const mutation = '# variables: {"id": 1}\nmutation Delete($id: ID!) { deleteGroup(input: { id: $id }) { __typename } }'
    const folder = files({ 'o.graphql': mutation })
    const of = async (path: string) =>
      runCheck(optionsOf(['check', folder, '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`]), () => {})
    expect((await of('/graphql')).text).toMatch(/^warning: There are no estimates: the server has no explanations\.$/m)
    expect(asked).toEqual(['/graphql query', '/graphql __typename'])
    for (const path of Object.keys(answers))
      await expect(of(path)).rejects.toThrow(/^The gateway does not show its graph: [\s\S]* Use `--schema`/)
    await expect(of('/moved')).rejects.toThrow('does not answer as a GraphQL server: unexpected redirect.')
    expect(asked).not.toContain('/target query')
    server.close()
  })

  it('makes up values for what the head leaves open', async () => {
    const text =
      'mutation M($input: CreateCourseInput!, $ids: [ID!]!, $n: Int) { createCourse(input: $input) { __typename } }\nquery N($where: CourseWhere!, $ids: [ID!]!, $on: Boolean!) { nodes(ids: $ids) { id @include(if: $on) } courses(where: $where) { totalCount } }'
    const given = optionsOf(['check', files({ 'o.graphql': text.replace(', $ids: [ID!]!, $n: Int', '') }), '--format', 'json'])
    const { operations } = JSON.parse((await runCheck({ ...given, options: await effectiveOptions(given, false) }, () => {})).text)
    expect(operations).toEqual([
      expect.objectContaining({ name: 'M', min: 1, madeUp: ['input'] }),
      expect.objectContaining({ name: 'N', madeUp: ['where', 'ids', 'on'] }),
    ])
  })
})

describe('a check against a released graph', () => {
  const released = SMALL.replace('title: String', 'title: String, subtitle: String @deprecated(reason: "Use `title`."), code: Int')

  it('says what was deprecated, and repeats nothing', async () => {
    const own = files({
      'ops/a.graphql': 'query A { course(id: 1) { ...C } }\nquery B { course(id: 2) { ...C } }',
      'ops/c.graphql': 'fragment C on Course { subtitle }',
      'small.graphql': SMALL,
      'released.graphql': released,
    })
    const { code, stdout } = await run(own, 'ops', '--schema', 'small.graphql', '--against', 'released.graphql')
    expect([code, stdout]).toEqual([
      1,
      [
        'ops/c.graphql:1:24: error: Cannot query field "subtitle" on type "Course". Did you mean "title"? It was deprecated: Use `title`. (A)',
        "warning: Field 'code' was removed from object type 'Course'. No operation uses it.",
        '2 operations: 1 error, 1 warning. No operation uses 4 fields of the graph.',
        '',
      ].join('\n'),
    ])
  })

  it('makes the removal of what was used an error, with who used it', async () => {
    const use = (name: string, operations: readonly string[]) => ({
      name,
      count: 3,
      errors: 0,
      refused: 0,
      first: '2026-11-01T00:00:00.000Z',
      last: '2026-11-26T10:00:00.000Z',
      clients: { 'key:shop': 2, anonymous: 1 },
      operations,
    })
    const own = files({
      'ops/a.graphql': 'query A { course(id: 1) { title } }',
      'small.graphql': SMALL.replace(' PAID', ''),
      'released.graphql': released,
      'usage.json': JSON.stringify({
        format: 1,
        lines: { operations: 3, others: 0, dropped: 0 },
        operations: [],
        coordinates: [use('Course.code', ['Shop', 'Kiosk'])],
        unknown: [],
      }),
    })
    const { code, stdout } = await run(own, 'ops', '--schema', 'small.graphql', '--against', 'released.graphql', '--usage', 'usage.json')
    expect([code, stdout.split('\n').slice(0, 3).toSorted()]).toEqual([
      1,
      [
        "error: Field 'code' was removed from object type 'Course'. Shop, Kiosk used it, last 2026-11-26T10:00:00.000Z, for key:shop, anonymous.",
        "warning: Enum value 'PAID' was removed from enum 'Price'. No operation uses it, unless in variables, which the log does not show.",
        "warning: Field 'subtitle' (deprecated) was removed from object type 'Course'. No operation uses it.",
      ],
    ])
  })
})
