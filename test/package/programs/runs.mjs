// Run in a project with the installed package: all entries, in one process, with the project's `graphql`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { GraphQLSchema, parse, validate } from 'graphql'
import { createGateway, graphSchema } from 'lms-graphql'
import { GroupsAndCoursesDocument } from 'lms-graphql/documents'
import { defineResource } from 'lms-graphql/kit'
import { startLms } from 'lms-graphql/lms'
import { introspection, typeDefs } from 'lms-graphql/schema'

assert(graphSchema() instanceof GraphQLSchema, 'The package and the project have the same graphql.')
assert.deepEqual(validate(graphSchema(), GroupsAndCoursesDocument), [])
assert.match(typeDefs, /type Course /)
assert(introspection.__schema.types.length > 50)

const { resolve } = createRequire(import.meta.url)
assert.equal(JSON.parse(readFileSync(resolve('lms-graphql/package.json'), 'utf8')).name, 'lms-graphql')
for (const file of ['schema', 'semantic', 'subgraph', 'supergraph']) parse(readFileSync(resolve(`lms-graphql/${file}.graphql`), 'utf8'))

// `fetch` of the program is that of Node.js: with the dispatcher of undici 7, Node.js 20 refuses the header.
const server = createServer((request, response) => request.pipe(response))
await once(server.listen(0, '127.0.0.1'), 'listening')
const headers = { 'content-length': '3' }
const echo = await fetch(`http://127.0.0.1:${server.address().port}`, { method: 'POST', headers, body: new TextEncoder().encode('abc') })
assert.equal(await echo.text(), 'abc')
server.close()
server.closeAllConnections()

// The entries share the builder of the graph: a resource of the kit is in the graph of the gateway.
const motto = defineResource('motto', (builder) =>
  builder.queryField('motto', (t) => t.string({ description: 'A text.', nullable: true, resolve: () => 'learn' })),
)
const lms = await startLms()
const gateway = createGateway({ site: { url: lms.url }, resources: [motto] })
const body = JSON.stringify({ query: '{ motto courses(first: 1) { nodes { title lessons(first: 1) { nodes { title } } } } }' })
const response = await gateway.fetch('http://gateway.test/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})
const { data, errors } = await response.json()
assert.equal(errors, undefined)
assert.equal(data.motto, 'learn')
assert(data.courses.nodes[0].lessons.nodes[0].title)
await gateway.close()
await lms.close()
console.log('all entries run')
