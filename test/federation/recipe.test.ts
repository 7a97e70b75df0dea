import { readFileSync } from 'node:fs'
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime'
import { afterAll, expect, it } from 'vitest'
import { Command } from '../support/command.js'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const section = readme.split(/^### As a part of a larger graph$/m)[1]?.split(/^#{2,3} /m)[0] ?? ''
const [lms = '', router = ''] = (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '').trim().split('\n')

const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

it('the two commands of the README compose a supergraph', async () => {
  expect(lms).toMatch(/^npx lms-graphql /)
  const command = new Command([...lms.split(' ').slice(2), '--port', '0'])
  closers.push(() => command.stop())
  const address = await command.address()

  const file = /^npx @graphql-hive\/gateway supergraph (?:node_modules\/lms-graphql\/)?(\S+)/.exec(router)?.[1] ?? ''
  const supergraph = readFileSync(new URL(file, root), 'utf8')
  expect(supergraph).toContain('url: "http://127.0.0.1:4000/graphql"')
  const gateway = createGatewayRuntime({ supergraph: supergraph.replaceAll('http://127.0.0.1:4000', address), logging: false })
  closers.push(async () => gateway[Symbol.asyncDispose]())

  const response = await gateway.fetch('http://router/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ course(id: 10001) { title lessons(first: 1) { nodes { title } } } }' }),
  })
  const { data, errors } = (await response.json()) as { data: any; errors?: unknown }
  expect(errors).toBeUndefined()
  expect(data.course.lessons.nodes[0].title).toEqual(expect.any(String))
})
