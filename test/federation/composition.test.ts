import { describe, expect, it } from 'vitest'
import type { SubgraphOptions } from '../../src/federation/options.js'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema } from '../../src/index.js'
import { compose } from './larger-graph.js'
import { SHOP, USERS, WORDPRESS, withSpecification } from './services.js'

const lms = (options?: SubgraphOptions) => ({
  name: 'lms',
  url: 'http://127.0.0.1:4000/graphql',
  sdl: subgraphOf(graphSchema(), options).sdl,
})
const service = (name: string, sdl: string) => ({ name, url: `http://${name}.example.org/graphql`, sdl: withSpecification(sdl) })
const users = service('users', USERS)
const shop = service('shop', SHOP)
const typeIn = (supergraph: string, name: string): string => new RegExp(`^type ${name}\\b[^{]*{[^}]*}`, 'm').exec(supergraph)?.[0] ?? ''

describe('the subgraph', () => {
  it('composes alone, and the supergraph is committed', async () => {
    await expect(compose([lms()])).toMatchFileSnapshot('../../schema/supergraph.graphql')
  })

  it('composes with a subgraph that owns users, and one that refers to courses', () => {
    const supergraph = compose([lms(), users, shop])
    const user = typeIn(supergraph, 'User')
    expect(user).toContain('@join__type(graph: LMS, key: "id")')
    expect(user).toContain('@join__type(graph: USERS, key: "id")')
    expect(user).toMatch(/name: String! @join__field\(graph: USERS\)/)
    expect(user).toMatch(/progressIn\([^)]*\): CourseProgress @join__field\(graph: LMS\)/)
    const course = typeIn(supergraph, 'Course')
    for (const key of ['id', 'databaseId']) expect(course).toContain(`@join__type(graph: LMS, key: "${key}")`)
    expect(course).toContain('@join__type(graph: SHOP, key: "databaseId")')
  })

  it.each([
    ['lmsId:Int', 'lmsId: Int!'],
    ['lmsId', 'lmsId: ID!'],
    ['login:String', 'login: String!'],
  ])('composes with an owner that knows users by %s', (userKey, field) => {
    const owner = service('users', `type Query { me: User! } type User @key(fields: "${field.split(':')[0]}") { ${field}  name: String! }`)
    expect(typeIn(compose([lms({ userKey }), owner]), 'User')).toContain(field)
  })

  it('composes with subgraphs that have the same names for pages and errors', () => {
    const other = service(
      'other',
      `type Query { posts: Posts! } type Posts { pageInfo: PageInfo! }
       type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`,
    )
    expect(typeIn(compose([lms(), other]), 'PageInfo')).toContain('@join__type(graph: OTHER)')
  })

  it('composes with WPGraphQL, which owns users and has generic names', () => {
    const wordpress = service('wordpress', WORDPRESS)
    const ours = lms({ userKey: 'databaseId:Int' })
    const supergraph = compose([ours, wordpress])
    for (const name of ['Post', 'Error', 'Link', 'Curie']) {
      expect(typeIn(supergraph, name)).toContain('@join__type(graph: WORDPRESS')
      expect(typeIn(supergraph, name)).not.toContain('graph: LMS')
    }
    const user = typeIn(supergraph, 'User')
    expect(user).toContain('@join__type(graph: LMS, key: "databaseId")')
    expect(user).toMatch(/posts: RootQueryToPostConnection @join__field\(graph: WORDPRESS\)/)
    expect(user).toMatch(/courseProgress\([^)]*\): CourseProgressConnection @join__field\(graph: LMS\)/)
    expect(supergraph).toMatch(/^interface LmsContent\b/m)
    // It does not compose with generic names.
    for (const [name, generic] of [
      ['LmsContent', 'Post'],
      ['LmsError', 'Error'],
      ['RestLink', 'Link'],
    ] as const) {
      const before = { ...ours, sdl: ours.sdl.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), generic) }
      expect(() => compose([before, wordpress])).toThrow(new RegExp(`\\b${generic}\\b`))
    }
  })

  it('does not compose with a different definition of users', () => {
    const wrong = service('users', 'type Query { me: User! } type User @key(fields: "id") { id: Int!  name: String! }')
    expect(() => compose([lms(), wrong])).toThrow(/User\.id/)
    const unshared = lms().sdl.replaceAll('@shareable {', '{')
    const pages = service(
      'other',
      'type Query { p: PageInfo! } type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }',
    )
    expect(() => compose([{ ...lms(), sdl: unshared }, pages])).toThrow(/PageInfo/)
  })
})
