import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGateway, graphSchema } from '../../src/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import { ENTRIES } from '../../src/options/table.js'
import { Command } from '../support/command.js'
import { until } from '../support/hosted.js'
import { World } from '../support/world.js'
import { ALL_PAGES } from './page.js'

// What pages say in tables and sentences, not in blocks.

const pageOf = (path: string) => {
  const page = ALL_PAGES.find((each) => each.path === path)
  if (!page) throw new Error(`There is no page ${path}.`)
  return page
}

/** The text below a heading, up to the next one. */
const section = (path: string, heading: string): string => {
  const text = pageOf(path).source.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]
  if (text === undefined) throw new Error(`${path} has no heading ${heading}.`)
  return text.split(/^#+ /m)[0] as string
}

/** Cells of the tables of a section, without their heads. */
const rows = (path: string, heading: string): string[][] =>
  section(path, heading)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '))

describe('docs/getting-started.md', () => {
  it('lists the demo users with their passwords', () => {
    const listed = rows('docs/getting-started.md', 'Sign in').map(([login, password]) => [login, password])
    expect(listed).toEqual(DEMO_USERS.map(({ login, password }) => [`\`${login}\``, `\`${password}\``]))
  })
})

describe('docs/cost.md', () => {
  it('lists every root field and relation that costs calls', () => {
    const named = new Set([...section('docs/cost.md', 'Calls per field').matchAll(/`(?:\w+\.)?(\w+)`/g)].map(([, name]) => name))
    const fields = Object.values(graphSchema().getTypeMap()).flatMap((type) => ('getFields' in type ? Object.values(type.getFields()) : []))
    const edges = fields.filter((field) => (field.extensions.lms as { edge?: object } | undefined)?.edge).map(({ name }) => name)
    expect(edges.length).toBeGreaterThan(20)
    expect([...new Set(edges)].filter((name) => !named.has(name))).toEqual([])
  })

  it('has the message of an operation above the budget', async () => {
    const world = await World.start({}, { profile: 'lms' })
    try {
      const text = section('docs/cost.md', 'The budget')
      const query = /```graphql\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
      const { errors, calls } = await world.query(query)
      expect(text).toContain(`> ${errors[0]?.message}\n`)
      expect(calls).toEqual([])
    } finally {
      await world.close()
    }
  })
})

describe('docs/observing.md', () => {
  it('lists the metrics', async () => {
    const gateway = createGateway({ site: { url: 'http://127.0.0.1:9' }, observe: { metrics: true } })
    const printed = await gateway.metrics()
    await gateway.close()
    const metrics = [...printed.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }))
    const own = metrics.filter(({ name }) => name.startsWith('lms_'))
    const listed = rows('docs/observing.md', 'Metrics')
    expect(listed.map(([name]) => name).sort()).toEqual(own.map(({ name }) => `\`${name}\``).sort())
    for (const { name, type } of own)
      expect([name, listed.find(([each]) => each === `\`${name}\``)?.[2]?.startsWith('Histogram ')]).toEqual([name, type === 'histogram'])
    expect(metrics.filter(({ name }) => !/^(lms|process|nodejs)_/.test(name))).toEqual([])
  })
})

describe('docs/deploying.md', () => {
  it('lists the options that need a restart', { timeout: 60_000 }, async () => {
    const listed = rows('docs/deploying.md', 'Changing settings').flatMap(([area = '', names = '']) =>
      names.startsWith('all of them')
        ? OPTIONS_OF_SERVE.filter(({ path }) => path.startsWith(`${area.replaceAll('`', '')}.`)).map(({ path }) => path)
        : [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${area.replaceAll('`', '')}.${name}`),
    )
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-reload-'))
    const file = join(folder, 'lms.json')
    writeFileSync(file, JSON.stringify({ http: { port: 0 } }))
    const command = new Command(['--config', file])
    try {
      await command.address()
      writeFileSync(file, JSON.stringify(everyOtherValue()))
      command.child.kill('SIGHUP')
      await until(() => command.printed.includes('A restart is needed'))
      const [, named = ''] = /A restart is needed for (.*)\.\n/.exec(command.printed) ?? []
      expect([...named.matchAll(/`([\w.]+)`/g)].map(([, path]) => path).sort()).toEqual(listed.sort())
    } finally {
      await command.stop()
      rmSync(folder, { recursive: true })
    }
  })
})

const OPTIONS_OF_SERVE = ENTRIES.filter(({ commands, fills }) => commands.includes('serve') && fills === undefined)

/** A settings file in which each option differs from its default, apart from those that cannot be together, or need a secret or another program. */
function everyOtherValue(): object {
  const others: Readonly<Record<string, unknown>> = {
    'http.host': '127.0.0.2',
    'http.corsOrigins': ['https://app.example.org'],
    'http.trustedProxies': ['10.0.0.0/8'],
    'http.port': 4001,
    'observe.metrics': true,
    'observe.logLevel': 'debug',
    'observe.logFormat': 'json',
    'observe.explainFor': ['keys'],
    'lms.data': 'school.sqlite',
    'lms.profile': 'learndash',
    'lms.switches': ['workers=2'],
    'cache.maxAge': 60,
    'site.preset': 'learndash',
  }
  const left = ['http.onlyTrusted', 'redis.cluster']
  const areas: Record<string, Record<string, unknown>> = {}
  for (const { area = '', name, path, kind, default: usual, schema } of OPTIONS_OF_SERVE) {
    const number = [Number(usual ?? 0) + 1, 100_000].find((each) => schema.safeParse(each).success)
    const value = others[path] ?? (kind === 'boolean' ? usual !== true : kind === 'number' ? number : undefined)
    if (value !== undefined && !left.includes(path)) areas[area] = { ...areas[area], [name]: value }
  }
  return areas
}
