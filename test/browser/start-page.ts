import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSchema, createYoga } from 'graphql-yoga'
import { build } from 'vite'
import { useGraphiQL } from '../../src/gateway/plugins/use-graphiql.js'

const user = (login: string, name: string, role: string) => ({
  login,
  name,
  role,
  authorization: `Basic ${Buffer.from(`${login}:secret`).toString('base64')}`,
})

/** The users whom the page offers. */
export const USERS = [user('admin', 'Ada Admin', 'administrator'), user('learner', 'Lena Learner', 'subscriber')]

const schema = createSchema<{ request: Request }>({
  typeDefs: /* GraphQL */ `
    "Where every query starts."
    type Query {
      "Greets."
      hello(name: String!): String!
      "The caller's Authorization header."
      viewer: String
      "The given number."
      echo(id: Int!): Int!
    }
  `,
  resolvers: {
    Query: {
      hello: (_root, { name }: { name: string }) => `Hello, ${name}!`,
      viewer: (_root, _args, { request }) => request.headers.get('authorization'),
      echo: (_root, { id }: { id: number }) => id,
    },
  },
})

/** Builds the page with the operations of this folder and serves it over a small schema. */
export async function startPage(): Promise<{ url: string; close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'graphiql-'))
  await build({
    configFile: fileURLToPath(new URL('../../src/graphiql/vite.config.ts', import.meta.url)),
    logLevel: 'warn',
    build: { outDir: directory },
    plugins: [
      {
        name: 'test-operations',
        enforce: 'pre',
        transform: (code, id) =>
          id.endsWith('/graphiql/operations.ts') ? code.replace('schema/operations', 'test/browser/operations') : undefined,
      },
    ],
  })
  const yoga = createYoga({
    schema,
    graphiql: false,
    landingPage: false,
    logging: false,
    plugins: [useGraphiQL({ users: USERS, directory })],
  })
  const server = createServer(yoga)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true })
    },
  }
}
