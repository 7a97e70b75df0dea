import { readFileSync } from 'node:fs'
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime'
import { describe, expect, it } from 'vitest'
import { supergraphOf } from '../../src/federation/supergraph.js'
import { graphSchema } from '../../src/index.js'
import { Command } from '../support/command.js'
import { supergraphOf as compose } from '../routers/composers.js'
import { withSpecification } from '../routers/services.js'

const LOOPBACK = 'http://127.0.0.1:4000/graphql'
const committed = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8')

const run = (argv: readonly string[], env = {}) => new Command(['supergraph', ...argv], env).ended

/** Runs an operation through a router with this supergraph. */
async function throughRouter(supergraph: string, query: string): Promise<{ data: any; errors?: unknown }> {
  const router = createGatewayRuntime({ supergraph, logging: false })
  const response = await router.fetch('http://router/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const body = (await response.json()) as { data: any; errors?: unknown }
  await router[Symbol.asyncDispose]()
  return body
}

describe('lms-graphql supergraph', () => {
  it('prints the committed supergraph for the loopback address', async () => {
    const { code, stdout, stderr } = await run(['--url', LOOPBACK])
    expect([code, stderr, stdout === `${committed}\n`]).toEqual([0, '', true])
  })

  it('differs for another address in nothing else', async () => {
    const url = 'https://lms.example.org/api/lms'
    const { code, stdout } = await run([], { SUBGRAPH_URL: url })
    expect([code, stdout === `${committed.replaceAll(LOOPBACK, url)}\n`]).toEqual([0, true])
    expect(stdout).toContain(`LMS @join__graph(name: "lms", url: "${url}")`)
  })

  it('has the key of users', async () => {
    const { code, stdout } = await run(['--url', LOOPBACK, '--subgraph-user-key', 'lmsId:Int'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^type User\b[^{]*@join__type\(graph: LMS, key: "lmsId"\)[^{]*\{[^}]*\blmsId: Int!/m)
    expect(stdout).toBe(`${supergraphOf(graphSchema(), { url: LOOPBACK, userKey: 'lmsId:Int' })}\n`)
  })

  it.each([
    [[], '`supergraph` needs the address at which routers reach the gateway: set `--url` or `SUBGRAPH_URL`.'],
    [
      ['--url', 'lms.example.org'],
      '`--url` is `lms.example.org`; it must be an http or https address without user and password. Did you mean `https://lms.example.org`?',
    ],
    [
      ['--url', 'https://me:secret@lms.example.org/'],
      '`--url` is `https://…@lms.example.org/`; it must be an http or https address without user and password.',
    ],
    [
      ['--url', LOOPBACK, '--subgraph-user-key', 'no key'],
      '`--subgraph-user-key` is `no key`; it must be the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`.',
    ],
    [['--url', LOOPBACK, '--port', '1'], '`--port` is a flag of `serve` and `lms`, not of `supergraph`.'],
  ])('refuses %j with exit code 2', async (argv, complaint) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `lms-graphql: ${complaint}\n` })
  })

  it('does not depend on the version that subgraphs link', async () => {
    const { code, stdout } = await run(['--url', LOOPBACK, '--subgraph-version', '2.14'])
    expect([code, stdout === `${committed}\n`]).toEqual([0, true])
  })

  it.each([
    [
      ['--subgraph-inaccessible', 'Course.metas'],
      '`--subgraph-inaccessible` has `Course.metas`, but the subgraph has no such type, field, argument or value; did you mean `Course.meta`?',
    ],
    [['--subgraph-max-age', 'Post=60'], '`--subgraph-max-age` has `Post`, but the subgraph has no such object type.'],
    [
      ['--subgraph-authenticated', '--subgraph-version', '2.4'],
      '`--subgraph-authenticated` needs version 2.5 or later of the specification, not 2.4.',
    ],
    [['--subgraph-user-key', 'progressIn'], '`--subgraph-user-key` must not be `progressIn`: a relation has this name.'],
  ])('refuses %j in each command, with exit code 2', async (flags, complaint) => {
    const wrong = { code: 2, stdout: '', stderr: `lms-graphql: ${complaint}\n` }
    for (const argv of [
      ['supergraph', '--url', LOOPBACK],
      ['schema', '--subgraph'],
      ['--subgraph', '--port', '0'],
    ])
      expect(await new Command([...argv, ...flags]).ended).toEqual(wrong)
  })

  it('is understood by a router in front of the gateway', async () => {
    const gateway = new Command(['--subgraph', '--subgraph-user-key', 'lmsId:Int', '--port', '0'])
    try {
      const url = `${await gateway.address()}/graphql`
      const { stdout: supergraph } = await run(['--url', url, '--subgraph-user-key', 'lmsId:Int'])
      const query = '{ course(id: 10001) { title author { lmsId } lessons(first: 1) { nodes { title } } } }'
      const { data, errors } = await throughRouter(supergraph, query)
      expect(errors).toBeUndefined()
      expect(data.course).toMatchObject({ author: { lmsId: expect.any(Number) }, lessons: { nodes: [{ title: expect.any(String) }] } })
    } finally {
      await gateway.stop()
    }
  })
})

describe('the page on federation', () => {
  const page = readFileSync(new URL('../../docs/federation.md', import.meta.url), 'utf8')
  const blocks = (language: string): string[] =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block as string)
  const [start = '', print = '', keyed = ''] = blocks('sh')

  /** The flags of a line that runs the command. */
  const flagsIn = (line: string): string[] => {
    const [, flags = ''] = /^lms-graphql (.*?)(?: > [\w.]+)?$/.exec(line) ?? []
    expect(flags).not.toBe('')
    return flags.split(' ')
  }

  it.each([
    ['the first commands', () => start, '{ course(id: 10001) { title lessons(first: 1) { nodes { title } } } }'],
    [
      'the commands with another key of users',
      () => keyed,
      '{ course(id: 10001) { title author { lmsId } lessons(first: 1) { nodes { title } } } }',
    ],
  ])('shows commands that work together: %s', async (_, block, query) => {
    const [serve = '', supergraph = ''] = block().split('\n')
    // Without a site the gateway is in front of the embedded LMS.
    const gateway = new Command([...flagsIn(serve.replace(/ --upstream \S+/, '')), '--port', '0'])
    try {
      const address = await gateway.address()
      const { code, stdout } = await new Command(flagsIn(supergraph.replace('http://127.0.0.1:4000', address))).ended
      expect(code).toBe(0)
      const { data, errors } = await throughRouter(stdout, query)
      expect(errors).toBeUndefined()
      expect(data.course.lessons.nodes[0].title).toEqual(expect.any(String))
    } finally {
      await gateway.stop()
    }
  })

  it('shows the command that prints the subgraph', async () => {
    const { code, stdout } = await new Command(flagsIn(print.trim())).ended
    expect([code, stdout]).toEqual([0, readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8')])
  })

  it('shows types of another service that compose with the subgraph', () => {
    const [shop = ''] = blocks('graphql')
    const lms = { name: 'lms', url: LOOPBACK, sdl: readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8') }
    const sdl = withSpecification(`type Query { offers: [Offer!]! }\n${shop}`)
    const supergraph = compose([lms, { name: 'shop', url: 'http://127.0.0.1:4001/graphql', sdl }])
    expect(supergraph).toContain('@join__type(graph: SHOP, key: "databaseId", resolvable: false)')
  })
})
