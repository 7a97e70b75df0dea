import { readFileSync } from 'node:fs'
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime'
import { describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { supergraphOf as compose } from './composers.js'
import { withSpecification } from './services.js'

const LOOPBACK = 'http://127.0.0.1:4000/graphql'

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

it('the supergraph that the command prints is understood by a router in front of the gateway', async () => {
  const gateway = new Command(['--subgraph', '--subgraph-users', 'lmsId:Int', '--port', '0'])
  try {
    const url = `${await gateway.address()}/graphql`
    const { stdout: supergraph } = await new Command(['supergraph', '--url', url, '--subgraph-users', 'lmsId:Int']).ended
    const query = '{ course(id: 10001) { title author { lmsId } lessons(first: 1) { nodes { title } } } }'
    const { data, errors } = await throughRouter(supergraph, query)
    expect(errors).toBeUndefined()
    expect(data.course).toMatchObject({ author: { lmsId: expect.any(Number) }, lessons: { nodes: [{ title: expect.any(String) }] } })
  } finally {
    await gateway.stop()
  }
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
