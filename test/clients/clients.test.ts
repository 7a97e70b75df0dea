import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gql } from '@apollo/client'
import type { DocumentNode } from 'graphql'
import { print } from 'graphql'
import { CatalogueDocument } from 'lms-graphql/documents'
import { type ConcreteRequest, commitMutation, createOperationDescriptor, fetchQuery, getRequest } from 'relay-runtime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/operations/manifest.js'
import { WITH_WORDPRESS } from '../support/profile.js'
import { OPERATIONS_FOLDER, SAVED_OPERATIONS } from '../support/saved-operations.js'
import { authorizationOf, World } from '../support/world.js'
import relayDocuments from './__generated__/documents.json' with { type: 'json' }
import coursesRequest from './__generated__/relayOperationsCoursesQuery.graphql.js'
import nodeRequest from './__generated__/relayOperationsNodeQuery.graphql.js'
import renameRequest from './__generated__/relayOperationsRenameMutation.graphql.js'
import { COURSES, NODE, RENAME } from './operations.js'
import * as apollo from './recipes/apollo.js'
import * as request from './recipes/graphql-request.js'
import * as relay from './recipes/relay.js'
import * as urql from './recipes/urql.js'
import { type Recorder, record } from './recorder.js'

/** The documents by hash, as operators configure them. */
const DOCUMENTS = Object.fromEntries(
  [COURSES, NODE, RENAME, CatalogueDocument].map(print).map((text) => [createHash('sha256').update(text).digest('hex'), text]),
)

/** The operations that every client runs. `cached` reads without a request. */
interface Session {
  /** Loads a page of courses. Returns all courses loaded so far. */
  page(after: string | null): Promise<{ shown: readonly { id: string; title: string }[]; endCursor: string }>
  /** All loaded courses, without a request; undefined for a client without a cache. */
  cached(): readonly { id: string; title: string }[] | undefined
  node(id: string): Promise<any>
  rename(input: object): Promise<any>
}

const nodesOf = (connection: any): any[] => connection.edges.map(({ node }: any) => ({ id: node.id, title: node.title }))

function urqlSession(url: string, authorization: string): Session {
  const client = urql.connect(url, authorization)
  const read = (after: string | null, requestPolicy: 'network-only' | 'cache-only' | 'cache-first') =>
    client.query(COURSES, { after }, { requestPolicy }).toPromise()
  return {
    page: async (after) => {
      const { data, error } = await read(after, 'cache-first')
      if (error) throw error
      return { shown: nodesOf(data.courses), endCursor: data.courses.pageInfo.endCursor }
    },
    cached: () => nodesOf(client.readQuery(COURSES, { after: null })?.data.courses),
    node: async (id) => (await client.query(NODE, { id }, { requestPolicy: 'network-only' }).toPromise()).data.node,
    rename: async (input) => (await client.mutation(RENAME, { input }).toPromise()).data.updateCourse,
  }
}

function apolloSession(url: string, authorization: string): Session {
  const client = apollo.connect(url, authorization)
  return {
    page: async (after) => {
      const { data } = await client.query<any>({
        query: COURSES,
        variables: { after },
        fetchPolicy: after === null ? 'cache-first' : 'network-only',
      })
      const shown = client.readQuery<any>({ query: COURSES })
      return { shown: nodesOf(shown.courses), endCursor: data.courses.pageInfo.endCursor }
    },
    cached: () => nodesOf(client.readQuery<any>({ query: COURSES }).courses),
    node: async (id) => (await client.query<any>({ query: NODE, variables: { id }, fetchPolicy: 'network-only' })).data.node,
    rename: async (input) => (await client.mutate<any>({ mutation: RENAME, variables: { input } })).data.updateCourse,
  }
}

function relaySession(url: string, authorization: string): Session {
  const environment = relay.connect(url, authorization)
  const read = <T>(node: ConcreteRequest, variables: object): Promise<T> =>
    fetchQuery(environment, node as never, variables as never, { fetchPolicy: 'network-only' }).toPromise() as Promise<T>
  const shown = (): any => {
    const operation = createOperationDescriptor(getRequest(coursesRequest as never), {})
    environment.retain(operation)
    return environment.lookup(operation.fragment).data
  }
  return {
    page: async (after) => {
      await read(coursesRequest as never, { after })
      const { courses } = shown()
      return { shown: nodesOf(courses), endCursor: courses.pageInfo.endCursor }
    },
    cached: () => nodesOf(shown().courses),
    node: async (id) => (await read<any>(nodeRequest as never, { id })).node,
    rename: (input) =>
      new Promise((resolve, reject) => {
        commitMutation(environment, {
          mutation: renameRequest as never,
          variables: { input } as never,
          onCompleted: (data: any) => resolve(data.updateCourse),
          onError: reject,
        })
      }),
  }
}

function requestSession(url: string, authorization: string): Session {
  const client = request.connect(url, authorization)
  const run = (document: DocumentNode, variables: object): Promise<any> => client.request(document, variables)
  const all: { id: string; title: string }[] = []
  return {
    page: async (after) => {
      const { courses } = await run(COURSES, { after })
      all.push(...nodesOf(courses))
      return { shown: all, endCursor: courses.pageInfo.endCursor }
    },
    cached: () => undefined,
    node: async (id) => (await run(NODE, { id })).node,
    rename: async (input) => (await run(RENAME, { input })).updateCourse,
  }
}

const CLIENTS = { urql: urqlSession, 'Apollo Client': apolloSession, Relay: relaySession, 'graphql-request': requestSession }

describe.each(Object.entries(CLIENTS))('%s', (_, start) => {
  let world: World
  let recorder: Recorder
  let session: Session
  /** A course of the first page. */
  let known = ''
  beforeAll(async () => {
    world = await World.start({ http: { operations: readManifest(JSON.stringify({ ...relayDocuments, ...DOCUMENTS })) } })
    recorder = await record(`${world.gateway.url}/graphql`)
    session = start(recorder.url, authorizationOf('admin'))
  })
  afterAll(async () => {
    await recorder.close()
    await world.close()
  })
  beforeEach(() => {
    world.calls.length = 0
  })

  it('loads pages of a connection, and merges them', async () => {
    const expected = await world.query('{ courses(first: 4) { nodes { id title } } }', { as: 'admin' })
    world.calls.length = 0
    const first = await session.page(null)
    known = first.shown[0]?.id ?? ''
    expect(first.shown).toEqual(expected.data.courses.nodes.slice(0, 2))
    const second = await session.page(first.endCursor)
    // The second request has only the hash of the document.
    const { query, extensions } = recorder.bodies.at(-1)
    expect([query, extensions.persistedQuery]).toEqual([undefined, { version: 1, sha256Hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect([...second.shown].slice(-2)).toEqual(expected.data.courses.nodes.slice(2))
    expect(world.calls).toHaveLength(2)
    const cached = session.cached()
    if (cached) expect(cached).toEqual(expected.data.courses.nodes)
    expect(world.calls).toHaveLength(2)
  })

  it('refetches a record by its global id, and updates it everywhere', async () => {
    const id = known
    const elsewhere = `mutation { updateCourse(input: { id: "${id}", title: "Renamed elsewhere" }) { __typename } }`
    await world.query(elsewhere, { as: 'admin' })
    expect(await session.node(id)).toMatchObject({ id, title: 'Renamed elsewhere', menuOrder: expect.any(Number) })
    const cached = session.cached()
    if (cached) expect(cached.find((course) => course.id === id)).toEqual({ id, title: 'Renamed elsewhere' })
  })

  it('runs a mutation, and distinguishes its results', async () => {
    const id = known
    expect(await session.rename({ id, title: 'Renamed' })).toMatchObject({
      __typename: 'UpdateCourseSuccess',
      course: { id, title: 'Renamed' },
    })
    const cached = session.cached()
    if (cached) expect(cached.find((course) => course.id === id)).toEqual({ id, title: 'Renamed' })
    expect(await session.rename({ id, featuredMediaId: -1 })).toMatchObject({
      __typename: 'InvalidInputError',
      code: 'BAD_USER_INPUT',
      fields: [{ field: 'featuredMediaId' }],
    })
    expect(await session.rename({ id: '99999', title: 'x' })).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' })
  })
})

type Sends = (url: string, authorization: string, document: DocumentNode, variables: object) => Promise<object>

describe('the operations of a folder', () => {
  it.each<[client: string, send: Sends]>([
    [
      'Apollo Client',
      async (url, authorization, query, variables) => {
        const { data } = await apollo.connect(url, authorization).query<any>({ query, variables, fetchPolicy: 'network-only' })
        return data
      },
    ],
    [
      'urql',
      async (url, authorization, query, variables) => {
        const { data, error } = await urql
          .connect(url, authorization)
          .query(query, variables, { requestPolicy: 'network-only' })
          .toPromise()
        if (error) throw error
        return data
      },
    ],
    ['graphql-request', (url, authorization, query, variables) => request.connect(url, authorization).request(query, variables)],
  ])('are known by the hashes that %s sends, so that no text is sent', async (_, send) => {
    const world = await World.start({ http: { operations: OPERATIONS_FOLDER, onlyTrusted: true } }, {}, WITH_WORDPRESS)
    const recorder = await record(`${world.gateway.url}/graphql`)
    for (const { name, kind, query, variables, caller = 'admin' } of SAVED_OPERATIONS) {
      if (kind !== 'query') continue
      recorder.bodies.length = 0
      const data = await send(recorder.url, authorizationOf(caller), gql(query), { ...variables })
      expect([name, Object.keys(data).length > 0]).toEqual([name, true])
      expect([name, recorder.bodies.map((body) => [body.query, body.extensions.persistedQuery.version])]).toEqual([name, [[undefined, 1]]])
    }
    await recorder.close()
    await world.close()
  })
})

describe('the package', () => {
  it('exports typed documents of its examples', async () => {
    const world = await World.start({ http: { operations: readManifest(JSON.stringify(DOCUMENTS)) } }, {}, WITH_WORDPRESS)
    const client = request.connect(`${world.gateway.url}/graphql`, authorizationOf('admin'))
    const data = await client.request(CatalogueDocument, {})
    expect(data.courses?.nodes[0]?.title).toEqual(expect.any(String))
    expect(print(gql(print(CatalogueDocument)))).toBe(print(CatalogueDocument))
    await world.close()
  })

  it('has the current output of the Relay compiler', () => {
    const { status, stderr } = spawnSync('node_modules/.bin/relay-compiler', ['relay.config.json', '--validate'], {
      cwd: new URL('.', import.meta.url),
      encoding: 'utf8',
    })
    expect(status, `Run \`npm run schema\`. ${stderr}`).toBe(0)
  })

  it('has a configuration of the Relay compiler on its page that differs from the tested one in its paths only', () => {
    const page = readFileSync(new URL('../../docs/front-ends/relay.md', import.meta.url), 'utf8')
    const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    const tested = JSON.parse(readFileSync(new URL('relay.config.json', import.meta.url), 'utf8'))
    const withoutPaths = ({ src, excludes, schema, persistConfig, ...others }: any) => [
      others,
      Object.keys(persistConfig),
      persistConfig.algorithm,
    ]
    expect(withoutPaths(shown)).toEqual(withoutPaths(tested))
    expect(shown.schema).toBe('./node_modules/lms-graphql/schema/schema.graphql')
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(manifest.exports['./schema.graphql']).toBe('./schema/schema.graphql')
  })
})

describe('the semantic schema', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-relay-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is accepted by relay-compiler, which generates non-null fields where errors are thrown', () => {
    const query = 'query appQuery @throwOnFieldError { courses(first: 1) { nodes { title } edges { node { slug } } } }'
    writeFileSync(join(folder, 'app.ts'), `import { graphql } from 'relay-runtime'\nexport const query = graphql\`${query}\`\n`)
    const schema = fileURLToPath(new URL('../../schema/semantic.graphql', import.meta.url))
    writeFileSync(join(folder, 'semantic.graphql'), readFileSync(schema, 'utf8'))
    writeFileSync(join(folder, 'relay.config.json'), JSON.stringify({ src: '.', schema: './semantic.graphql', language: 'typescript' }))
    const compiler = fileURLToPath(new URL('node_modules/relay-compiler/cli.js', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [compiler, 'relay.config.json'], { cwd: folder, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const [file] = readdirSync(join(folder, '__generated__'))
    const types = /export type appQuery\$data = (\{.*?\n\});/s.exec(
      readFileSync(join(folder, '__generated__', file as string), 'utf8'),
    )?.[1]
    expect(types?.replace(/\s+/g, ' ')).toBe(
      '{ readonly courses: { readonly edges: ReadonlyArray<{ readonly node: { readonly slug: string | null | undefined; }; }>; readonly nodes: ReadonlyArray<{ readonly title: string | null | undefined; }>; }; }',
    )
  })
})
