import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { afterEach, describe, expect, it } from 'vitest'
import { semanticSdl } from '../src/graph/kit/semantic-nullability.js'
import { graphSchema, subgraphOf } from '../src/index.js'
import { startLms } from '../src/lms/index.js'
import { helpText } from '../src/options/help.js'
import { Command } from './support/command.js'
import { FakeSite, json } from './support/site.js'
import { authorizationOf } from './support/world.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  const command = new Command(argv, env)
  closers.push(() => command.stop('SIGKILL'))
  return command
}

/** The embedded LMS in production. */
const EMBEDDED = { NODE_ENV: 'production', LMS_EMBEDDED: 'true' }

const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => start(argv, env).ended

async function query(address: string, text: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: text }),
  })
  return { status: response.status, ...((await response.json()) as { data?: any; errors?: any; extensions?: any }) }
}

async function fakeSite(): Promise<FakeSite> {
  const site = await FakeSite.start()
  closers.push(() => site.close())
  return site
}

/** A settings file in a folder of its own. */
function settingsFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
  closers.push(async () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** A site that answers on request of the test only. */
async function slowSite() {
  const site = await fakeSite()
  const held: (() => void)[] = []
  const asked = new Promise<void>((resolve) => {
    site.handler = (_, response) => {
      held.push(() => json(response, [{ slug: 'free', name: 'Free' }]))
      resolve()
    }
  })
  const answer = (): void => {
    for (const each of held) each()
  }
  return { url: site.url, asked, answer }
}

describe('the command line', () => {
  it('prints help and version', async () => {
    const [help, all, doctor, version] = await Promise.all(
      [['--help'], ['--help', 'all'], ['doctor', '-h'], ['--version']].map((argv) => run(argv)),
    )
    for (const ended of [help, all, doctor, version]) expect([ended?.code, ended?.stderr]).toEqual([0, ''])
    expect([help?.stdout, all?.stdout, doctor?.stdout]).toEqual(
      [helpText(undefined, false), helpText(undefined, true), helpText('doctor', false)].map((text) => `${text}\n`),
    )
    const { version: wanted } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
    expect(version?.stdout).toBe(`${wanted}\n`)
  })

  it.each<[string, Record<string, string>, number]>([
    ['everybody', {}, 200],
    ['nobody', { NODE_ENV: 'production' }, 403],
    ['everybody', { NODE_ENV: 'production', EXPLAIN_FOR: 'everybody' }, 200],
    ['nobody', { EXPLAIN_FOR: 'none' }, 403],
  ])('explains operations to %s with %j', async (_, env, status) => {
    const address = await start(['--port', '0', '--upstream', (await fakeSite()).url], env).address()
    const headers = { 'x-lms-explain': 'plan', accept: 'application/graphql-response+json' }
    expect((await query(address, '{ courses { totalCount } }', headers)).status).toBe(status)
  })

  it.each<[boolean, boolean, Record<string, string>]>([
    [true, true, {}],
    [true, false, { ...EMBEDDED, EXPLAIN_FOR: 'everybody' }],
    [false, false, {}],
  ])(
    'in front of the embedded LMS: %s, explanations include data about other callers for everybody: %s, with %j',
    async (embedded, included, env) => {
      const upstream = embedded ? [] : ['--upstream', (await fakeSite()).url]
      const address = await start(['--port', '0', ...upstream], env).address()
      const { extensions } = await query(address, '{ courses { totalCount } }', { 'x-lms-explain': 'run' })
      const { actual, calls } = extensions.explain
      expect(calls).toHaveLength(1)
      expect(['shared' in actual, 'shared' in calls[0], 'queued' in calls[0]]).toEqual([included, included, included])
    },
  )

  it('does not start in front of the embedded LMS in production unless that is said', async () => {
    const needs = 'lms-graphql: `serve` needs a site in production: set `--upstream` or `LMS_URL`, or `--embedded` for the embedded LMS.\n'
    const production = { NODE_ENV: 'production' }
    const misspelt = 'lms-graphql: `LMS_UPSTREAM` is not a setting; did you mean `LMS_URL`?\n'
    for (const [env, hint] of [
      [production, ''],
      [{ ...production, LMS_EMBEDDED: 'false' }, ''],
      [{ ...production, LMS_UPSTREAM: 'http://127.0.0.1:1' }, misspelt],
    ] as const)
      expect(await run(['--port', '0'], env)).toEqual({ code: 2, stdout: '', stderr: needs + hint })
    const file = settingsFile('lms.yaml', 'lms:\n  inProduction: true\nhttp:\n  port: 0\n')
    for (const [argv, env] of [
      [['--port', '0', '--embedded'], production],
      [['--port', '0'], EMBEDDED],
      [['--config', file], production],
      [['--port', '0'], { NODE_ENV: 'development' }],
    ] as const)
      expect((await query(await start(argv, env).address(), '{ course(id: 10001) { databaseId } }')).data).toEqual({
        course: { databaseId: 10_001 },
      })
    // Other commands need no site.
    expect((await run(['schema'], production)).code).toBe(0)
    const both = await run(['--embedded', '--upstream', 'http://127.0.0.1:1'], production)
    expect([both.code, both.stderr]).toEqual([
      2,
      'lms-graphql: `--embedded` has no effect with `--upstream`: it is for the embedded LMS; drop one of them.\n',
    ])
  })

  it('warns about variables that are probably misspelt settings, without their values', async () => {
    const misspelt = { LMS_URl: 'hush', LMS_UPSTREAM: 'hush', LMS_PRSET: 'hush', GATEWAY_KEYS: 'hush' }
    const others = {
      LMS_FRONT_BIND: 'x',
      LMS_EGRESS_LOG: 'x',
      LMS_PORT: 'tcp://x',
      LMS_SERVICE_HOST: 'x',
      LMSTAT: 'x',
      HOSTNAME: 'x',
    }
    const command = start(['--port', '0', '--upstream', (await fakeSite()).url], { ...misspelt, ...others })
    await command.address()
    const { code, stderr } = await command.stop()
    expect([code, stderr.split('\n').sort().slice(1)]).toEqual([
      0,
      [
        'lms-graphql: `GATEWAY_KEYS` is not a setting; did you mean `GATEWAY_API_KEYS`?',
        'lms-graphql: `LMS_PRSET` is not a setting; did you mean `LMS_PRESET`?',
        'lms-graphql: `LMS_UPSTREAM` is not a setting; did you mean `LMS_URL`?',
        'lms-graphql: `LMS_URl` is not a setting; did you mean `LMS_URL`?',
      ],
    ])
  })

  it('limits the cost of operations', async () => {
    const site = await fakeSite()
    const flags = ['--max-calls', '10', '--max-rows', '5']
    const address = await start(['--port', '0', '--upstream', site.url, ...flags]).address()
    const ask = (first: number) => query(address, `{ courses(first: ${first}) { nodes { prerequisites { lessons { totalCount } } } } }`)
    expect((await ask(5)).errors[0]).toMatchObject({
      message: expect.stringMatching(/expected to need 12 REST calls \(1 to \d+\), and the budget is 10/),
      extensions: { maxCalls: 10 },
    })
    expect(site.requests).toHaveLength(0)
    expect((await ask(1)).errors).toBeUndefined()
  })

  it('prints the schema', async () => {
    const { code, stdout, stderr } = await run(['schema'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`${printSchema(lexicographicSortSchema(graphSchema()))}\n`)
  })

  it('prints the schema for clients that handle errors', async () => {
    const { code, stdout, stderr } = await run(['schema', '--semantic-nullability'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout === `${semanticSdl(graphSchema())}\n`).toBe(true)
  })

  it('prints the subgraph schema for the configured owner of users', async () => {
    const { code, stdout, stderr } = await run(['schema', '--subgraph', '--subgraph-users', 'lmsId:Int'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout === `${subgraphOf(graphSchema(), { users: 'lmsId:Int' }).sdl}\n`).toBe(true)
  })

  it('exits with 2 and lists every error of the arguments', async () => {
    const { code, stdout, stderr } = await run(['serve', '--port', 'x', '--wrong', '--max-rows=0'], { MAX_IN_FLIGHT: '0', HOST: 'a b' })
    expect([code, stdout]).toEqual([2, ''])
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    for (const line of lines) expect(line).toMatch(/^lms-graphql: `/)
    for (const name of ['--port', '--wrong', '--max-rows', 'MAX_IN_FLIGHT', 'HOST']) expect(stderr).toContain(`\`${name}\``)
  })

  it('exits with 2 and lists every error of a settings file, without secrets', async () => {
    const file = settingsFile('lms.json', '{\n  "site": { "password": "s3cret\\n" },\n  "prot": 1\n}\n')
    const { code, stdout, stderr } = await run(['--config', file, '--lms-user=admin', '--open'], { PORT: 'x' })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`\`prot\` (${file}, line 3) is not an option`),
      `lms-graphql: \`site.password\` (${file}, line 2) is wrong; it must be a text of one line.`,
      'lms-graphql: `PORT` is `x`; it must be a whole number from 0 to 65535.',
    ])
    expect(stderr).not.toContain('s3cret')
  })

  it('exits with 2 for names that the graph does not have', async () => {
    const text = 'site:\n  preset: learndash\n  missingColumns: [GroupCourse.material]\n  unfilteredRoutes: [v2/price-types]\n'
    const file = settingsFile('names.yaml', text)
    const flags = ['--ignored-filters', 'v2/group/:id/courses include']
    const { code, stdout, stderr } = await run(['--config', file, '--port', '0', ...flags], { DROPPED_FILTERS: 'v2/sfwd-lessons curse' })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trimEnd().split('\n')).toEqual([
      'lms-graphql: `--ignored-filters` has `v2/group/:id/courses include`, which is not a filter of a list; did you mean `v2/groups/:id/courses include`?',
      'lms-graphql: `DROPPED_FILTERS` has `v2/sfwd-lessons curse`, which is not a filter of a list; did you mean `v2/sfwd-lessons course`?',
      `lms-graphql: \`site.missingColumns\` (${file}, line 3) has \`GroupCourse.material\`, which is not a column; did you mean \`GroupCourse.materials\`?`,
    ])
  })
})

describe('config', () => {
  it('prints the options of `serve` with their sources, as a settings file that gives the same ones', async () => {
    const env = { LMS_PASSWORD: 's3cret-0123456789', GATEWAY_API_KEYS: 's3cret-0123456789', HOOK_SECRET: 's3cret'.padEnd(32, '-') }
    const argv = ['--upstream', 'https://lms.example.org/wp-json', '--lms-user', 'Ada #1', '--cache', 'Course=60']
    const { code, stdout, stderr } = await run(['config', ...argv], env)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('  url: "https://lms.example.org/wp-json"  # --upstream\n')
    expect(stdout).toContain('  # secret: hidden  # HOOK_SECRET\n')
    // What the preset, and the lack of NODE_ENV=production, determine.
    for (const line of ['pageCap: 100', 'fieldFilter: "_filter"', 'graphiql: true', 'explainFor: ["callers"]'])
      expect(stdout).toContain(`  ${line}  # default\n`)
    for (const secret of ['s3cret', 'Ada']) expect(stdout).not.toContain(secret)
    const again = await run(['config', '--config', settingsFile('lms.yaml', stdout)])
    const values = (text: string) => text.replace(/ {2}# .*$/gm, '').replace(/# (user|password|apiKeys|secret): .*/g, '')
    expect([again.code, values(again.stdout)]).toEqual([0, values(stdout)])
  })

  it('exits with 2 for names that the graph does not have, and for documents that cannot be read', async () => {
    const wrong = await run(['config', '--cache', 'Curse=60'])
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^lms-graphql: `--cache` has `Curse`, but the graph has no/),
    ])
    const missing = await run(['config', '--operations', 'missing.json'])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('`--operations` names does not exist')])
  })
})

describe('serve', () => {
  it.each(['http-max-age', 'cache'])('exits with 2 for ages in --%s of types that the graph does not have', async (flag) => {
    const trusted = settingsFile('documents.json', '{"x": "{ courses { totalCount } }"}')
    const { code, stdout, stderr } = await run(['--port', '0', '--operations', trusted, `--${flag}`, 'Curse=60'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`lms-graphql: \`--${flag}\` has \`Curse\`, but the graph has no such object type; did you mean \`Course\`?\n`)
  })

  it('prints a line with its address and answers from the embedded LMS', async () => {
    const command = start(['--port', '0'])
    const address = await command.address()
    expect(await query(address, '{ course(id: 10001) { databaseId title priceType { slug } } }')).toEqual({
      status: 200,
      data: { course: { databaseId: 10001, title: expect.any(String), priceType: { slug: expect.any(String) } } },
    })
    const { errors } = await query(address, '{ question(id: 1) { title } }')
    expect(errors[0].extensions.code).toBe('UNAUTHENTICATED')
    const { users } = (await (await fetch(`${address}/graphiql/config.json`)).json()) as { users: { login: string }[] }
    expect(users.map(({ login }) => login)).toContain('admin')
    const { code, stdout, stderr } = await command.stop()
    expect([code, stderr]).toEqual([0, ''])
    const [first, ...log] = stdout.trimEnd().split('\n')
    expect(first?.replace(/\d+$/, 'PORT')).toBe(
      `lms-graphql: GraphiQL and GraphQL at ${address}/graphql, in front of the embedded LMS at http://127.0.0.1:PORT`,
    )
    expect(log).toEqual([expect.stringContaining(' INFO: query: ok '), expect.stringContaining(' INFO: query: failed UNAUTHENTICATED ')])
  })

  it('says where it serves the metrics that have a port of their own', async () => {
    const command = start(['--port', '0', '--metrics', '0', '--upstream', 'http://127.0.0.1:9/wp-json'])
    const address = await command.address()
    const [, url = ''] = /; metrics at (\S+)\n/.exec(command.printed) ?? []
    expect([(await fetch(url)).status, (await fetch(`${address}/metrics`)).status]).toEqual([200, 404])
    expect(await command.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('uses the site of a flag or variable', async () => {
    const { url, close } = await startLms()
    closers.push(close)
    const authorization = authorizationOf('admin')
    for (const command of [start(['serve', '--upstream', url, '--port', '0']), start([], { LMS_URL: url, PORT: '0' })]) {
      const address = await command.address()
      const { data } = await query(address, '{ groups(first: 1) { totalCount nodes { titleRaw } } }', { authorization })
      expect(data.groups).toEqual({ totalCount: expect.any(Number), nodes: [{ titleRaw: expect.any(String) }] })
      const { users } = (await (await fetch(`${address}/graphiql/config.json`)).json()) as { users: unknown[] }
      expect(users).toEqual([])
      const { code, stdout } = await command.stop()
      expect([code, stdout.includes(url)]).toEqual([0, true])
    }
  })

  /** A site with one record of each kind, and its requests without the names of columns. */
  async function asked(site: FakeSite, queries: readonly string[], argv: readonly string[], env: Record<string, string> = {}) {
    site.handler = ({ url = '' }, response) => {
      const record = { id: 7, slug: 'free', course: 7, _id: 1, _quizId: 2 }
      const isList = !/\/\d+[?&]/.test(url)
      json(response, isList ? [record] : record, { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } })
    }
    const command = start([...argv, '--port', '0'], env)
    const address = await command.address()
    const answers = []
    for (const text of queries) answers.push(await query(address, text))
    await command.stop()
    return { answers, paths: site.paths.map((path) => path.replace(/((_fields|_filter|only)=)[\w,.]+/, '$1…')) }
  }

  it('calls a site by the names of a preset', async () => {
    const site = await fakeSite()
    const { answers, paths } = await asked(
      site,
      [
        '{ courses(first: 2, where: { courseTags: { in: [5] } }) { nodes { databaseId courseTagIds } } }',
        '{ question(id: 9) { quizId quiz { title } } }',
        '{ priceTypes { slug } }',
      ],
      ['--preset', 'learndash', '--upstream', `${site.url}/wp-json`],
    )
    expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined])
    expect(answers[1]?.data).toEqual({ question: { quizId: null, quiz: null } })
    expect(paths).toEqual([
      '/wp-json/ldlms/v1/sfwd-courses?per_page=2&context=view&_fields=…&ld_course_tag=5&posts_per_page=2',
      '/wp-json/ldlms/v1/sfwd-questions/9?_fields=…',
      '/wp-json/ldlms/v2/price-types?context=view',
    ])
  })

  it('calls a site by `rest_route`, with names from a file, which variables and flags override', async () => {
    const site = await fakeSite()
    const file = settingsFile(
      'site.yaml',
      `site:
  url: ${site.url}/sub/?rest_route=/
  preset: learndash
  segments: { users: people }
  pageCap: 4
  fieldFilter: only
`,
    )
    const queries = [
      '{ courses(first: 3) { nodes { title } } }',
      '{ course(id: 7) { lessons(first: 2) { nodes { title } } } }',
      '{ user(id: 3) { courseProgress(first: 2) { nodes { status } } } }',
    ]
    const { answers, paths } = await asked(site, queries, ['--config', file, '--page-cap', '2'], {
      PAGE_CAP: '3',
      SEGMENTS: 'sfwd-courses=courses,sfwd-lessons=lecons,users=leute',
    })
    expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined])
    expect(paths).toEqual([
      '/sub/?rest_route=/ldlms/v1/courses&per_page=2&context=view&only=…&posts_per_page=2',
      '/sub/?rest_route=/ldlms/v1/courses/7&context=view&only=…',
      '/sub/?rest_route=/ldlms/v2/lecons&per_page=2&context=view&only=…&course=7&posts_per_page=2',
      '/sub/?rest_route=/ldlms/v2/leute/3/course-progress&per_page=2&context=view&only=…&posts_per_page=2',
    ])
  })

  it('is live and ready at once, and knows whether the site answers', async () => {
    const site = await fakeSite()
    const address = await start(['--upstream', site.url, '--port', '0']).address()
    const health = async (name: string) => {
      const response = await fetch(`${address}/health/${name}`)
      await response.arrayBuffer()
      return response.status
    }
    expect([await health('live'), await health('ready'), await health('site')]).toEqual([200, 200, 200])
    // The result of a check is cached for a second.
    const nextCheck = () => new Promise((resolve) => setTimeout(resolve, 1_050))
    // A site that requires credentials answers; a site that fails does not.
    for (const [status, wanted] of [
      [401, 200],
      [500, 503],
    ] as const) {
      site.handler = (_, response) => json(response, { code: 'x', message: 'x', data: { status } }, { status })
      await nextCheck()
      expect([status, await health('site')]).toEqual([status, wanted])
    }
    await site.close()
    await nextCheck()
    expect([await health('live'), await health('ready'), await health('site')]).toEqual([200, 200, 503])
  })

  it('exits with 1 when the port is in use', async () => {
    const { port } = new URL((await fakeSite()).url)
    for (const { code, stdout, stderr } of await Promise.all(['serve', 'lms'].map((command) => run([command, '--port', port])))) {
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^lms-graphql: .*\n$/)
      expect(stderr).toContain(`127.0.0.1:${port}`)
      expect(stderr).toContain('the port is already in use: set another one, or 0 for any free one.')
    }
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('answers running requests, then exits with 0 on %s', async (signal) => {
    const site = await slowSite()
    const command = start(['--upstream', site.url, '--port', '0'])
    const address = await command.address()
    const answer = query(address, '{ priceTypes { slug name } }')
    await site.asked
    command.child.kill(signal)
    // It accepts no new connections while a request runs.
    await expect.poll(() => fetch(`${address}/health/live`, { headers: { connection: 'close' } }).catch(() => 'refused')).toBe('refused')
    expect(command.child.exitCode).toBeNull()
    site.answer()
    const answeredAt = performance.now()
    expect(await answer).toEqual({ status: 200, data: { priceTypes: [{ slug: 'free', name: 'Free' }] } })
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
    // It exits before the client closes its idle connection, and before the drain timeout.
    expect(performance.now() - answeredAt).toBeLessThan(6_000)
  })

  it('exits at once on a second signal', async () => {
    const site = await slowSite()
    const command = start(['--upstream', site.url, '--port', '0'])
    const address = await command.address()
    const answer = query(address, '{ priceTypes { slug } }').catch(() => 'broken')
    await site.asked
    command.child.kill('SIGTERM')
    await expect.poll(() => fetch(`${address}/health/live`, { headers: { connection: 'close' } }).catch(() => 'refused')).toBe('refused')
    command.child.kill('SIGTERM')
    expect((await command.ended).code).toBe(1)
    expect(await answer).toBe('broken')
  })
})

describe('lms', () => {
  it('runs only the embedded LMS', async () => {
    const command = start(['lms', '--port', '0'])
    const address = await command.address()
    const course = await fetch(`${address}/lms/v1/sfwd-courses/10001?_filter=id`)
    expect([course.status, await course.json()]).toEqual([200, { id: 10001 }])
    expect(await command.stop('SIGINT')).toEqual({
      code: 0,
      stderr: '',
      stdout: `lms-graphql: the embedded LMS at ${address} (use it as --upstream), with the routes /lms/v1 and /lms/v2\n`,
    })
  })

  it('starts several times at once from the same sample school', async () => {
    const commands = Array.from({ length: 6 }, () => start(['lms', '--port', '0']))
    const addresses = await Promise.all(commands.map((command) => command.address()))
    expect(new Set(addresses).size).toBe(6)
  })
})
