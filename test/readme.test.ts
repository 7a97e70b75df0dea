import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Config, graphSchema, readConfig } from '../src/index.js'
import { DEMO_USERS } from '../src/lms/index.js'
import type { Setting } from '../src/settings/setting.js'
import { SETTINGS } from '../src/settings/settings.js'
import { siteOf } from '../src/settings/site.js'
import { World } from './support/world.js'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const readme = read('README.md')

/** The text below a heading, up to the next one. */
const section = (heading: string): string => readme.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^#+ /m)[0] ?? ''

/** Cells of the tables of a section, without their heads. */
const rows = (heading: string): string[][] =>
  section(heading)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '))

const block = (language: string, of: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(of)?.[1] ?? ''

describe('the README', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })
  afterAll(() => world.close())

  it('shows a query with its response and number of calls', async () => {
    const text = section('A query and its answer')
    const { data, errors, calls } = await world.query(block('graphql', text))
    expect(errors).toEqual([])
    expect(JSON.parse(block('json', text))).toEqual({ data })
    expect(text).toContain('Six REST calls')
    expect(calls).toHaveLength(6)
  })

  it('shows a mutation that works', async () => {
    const { data, errors, calls } = await world.query(block('graphql', section('Mutations')), { as: 'admin' })
    expect(errors).toEqual([])
    expect(data.updateCourse).toMatchObject({ course: { title: 'Algebra', points: 2.5 } })
    expect(calls).toHaveLength(2)
  })

  it('shows the cost of an operation as the gateway explains it', async () => {
    const text = section('What an operation costs')
    const [plan, run] = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json as string))
    const fresh = await World.start({ explainFor: ['everybody'] })
    const ask = async (explain: string): Promise<any> => {
      return (await fresh.gateway.post({ query: block('graphql', text), extensions: { explain } })).json()
    }
    try {
      const query = '{ groups(first: 10) { nodes { courses(first: 50) { nodes { lessons { totalCount } } } } } }'
      expect(text).toContain(`> ${(await fresh.query(query)).errors[0]?.message}`)
      expect(await ask('plan')).toEqual(plan)
      expect(fresh.calls).toEqual([])
      const { actual, calls } = (await ask('run')).extensions.explain
      const timeless = ({ start, duration, ...others }: any) => ({ ...others, times: [typeof start, typeof duration] })
      expect(timeless(actual)).toEqual(timeless(run.actual))
      expect(calls.map(timeless)).toContainEqual(timeless(run.calls[0]))
    } finally {
      await fresh.close()
    }
  })

  it('lists every setting with its flag, variable and default', () => {
    const settings = (Object.values(SETTINGS) as Setting[]).map(({ flag, value, env, otherwise, description }) => [
      flag === undefined ? 'none' : `\`--${value === undefined ? flag : `${flag} ${value}`}\``,
      `\`${env}\``,
      otherwise,
      description,
    ])
    const tables = [
      'Settings',
      'Settings of the site',
      'Settings of who may enter',
      'Settings that protect the site',
      'Settings for strangers',
      'Limits',
      'Settings of the log',
      'Settings of hosting',
    ]
    expect(tables.flatMap(rows)).toEqual(settings)
  })

  it('shows a valid settings file', () => {
    const text = block('yaml', section('A file of settings'))
    const result = readConfig(['--config', 'lms.yaml'], {}, (path) => (path === 'lms.yaml' ? text : 'x'.repeat(20)))
    expect(result).toMatchObject({ kind: 'config', config: { preset: 'learndash' } })
    expect(siteOf((result as { config: Config }).config).url).toBe('https://example.org/wp-json')
  })

  it('lists the demo users with their passwords', () => {
    const listed = rows('The embedded LMS').map(([login, password]) => [login, password])
    expect(listed).toEqual(DEMO_USERS.map(({ login, password }) => [`\`${login}\``, `\`${password}\``]))
  })

  it('lists the cost of every root field and relation with calls', () => {
    const named = new Set([...section('What it costs in REST calls').matchAll(/`(?:\w+\.)?(\w+)`/g)].map(([, name]) => name))
    const edges = Object.values(graphSchema().getTypeMap()).flatMap((type) => ('getFields' in type ? Object.values(type.getFields()) : []))
    const unnamed = edges.filter((field) => (field.extensions.lms as { edge?: object } | undefined)?.edge).map(({ name }) => name)
    expect(unnamed.length).toBeGreaterThan(20)
    expect([...new Set(unnamed)].filter((name) => !named.has(name))).toEqual([])
  })

  it.each([
    ['npm', 'start', {}],
    ['npx', 'lms-graphql', { LMS_URL: 'https://example.org/wp-json' }],
  ] as const)('gives a command that starts the gateway: %s %s', async (program, argument, env) => {
    expect(readme).toContain(`${program} ${argument}`)
    const root = fileURLToPath(new URL('..', import.meta.url))
    const child = spawn(program, [argument], {
      cwd: root,
      // Without scripts: npx would build the package again, under the suites that use the build.
      env: { ...process.env, ...env, PORT: '0', npm_config_ignore_scripts: 'true' },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      let printed = ''
      for await (const text of child.stdout.setEncoding('utf8')) {
        printed += text
        if (printed.includes('/graphql')) break
      }
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0]
      const answer = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      })
      expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
    } finally {
      // The command starts further processes in the same process group.
      process.kill(-(child.pid as number))
    }
  })

  it('names only files and scripts that exist', () => {
    const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)
    for (const [, script] of `${readme}${read('CONTRIBUTING.md')}`.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toContain(script)
    for (const [, path] of readme.matchAll(/\]\(([\w./-]+)\)/g)) expect(existsSync(new URL(`../${path}`, import.meta.url)), path).toBe(true)
  })
})
