import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { globalId } from '../support/global-id.js'

/** Another service of the supergraph: its SDL, and its server. */
export interface Service {
  readonly name: string
  readonly sdl: string
  readonly url: string
  close(): Promise<void>
}

type Row = Readonly<Record<string, any>>

interface ServiceOptions {
  readonly name: string
  readonly sdl: string
  readonly entities: readonly string[]
  readonly resolvers: Readonly<
    Record<string, Readonly<Record<string, (parent: Row, args: Row, context: { readonly request: Request }) => unknown>>>
  >
  /** Resolves a reference. */
  readonly find: (reference: Row) => Row | null
}

const SPECIFICATION =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@external", "@key", "@requires", "@shareable"])'

/** The SDL of a subgraph with the link to the specification. */
export const withSpecification = (sdl: string): string => `${SPECIFICATION}\n${sdl}`

export const USERS = `
  type Query { me: User!  team: [User!]!  latest: [CourseProgress!]! }
  type User @key(fields: "id") { id: ID!  name: String! }
  type CourseProgress @key(fields: "userId courseId") { userId: Int!  courseId: Int  certificate: String }`

export const SHOP = `
  type Query { offers: [Offer!]!  outdated: Offer!  tips: Tips! }
  type Offer { sku: ID!  price: Int!  course: Course! }
  type Tips { lesson: Lesson  quiz: Quiz  group: Group  question: Question  priceType: PriceType }
  type Course @key(fields: "databaseId") {
    databaseId: Int!  offers: [Offer!]!  price: String @external  priceWithTax: String @requires(fields: "price")
  }
  type Lesson @key(fields: "id", resolvable: false) { id: ID! }
  type Quiz @key(fields: "id", resolvable: false) { id: ID! }
  type Question @key(fields: "id", resolvable: false) { id: ID! }
  type Group @key(fields: "databaseId", resolvable: false) { databaseId: Int! }
  type PriceType @key(fields: "slug", resolvable: false) { slug: String! }`

/**
 * A representative part of WPGraphQL for the same WordPress, as a subgraph. It owns users, with the key `databaseId`, and the generic
 * names of a content management system.
 */
export const WORDPRESS = `
  scalar DateTime
  interface Node { id: ID! }
  interface DatabaseIdentifier { databaseId: Int! }
  interface UniformResourceIdentifiable { id: ID!  uri: String }
  interface ContentNode implements Node & DatabaseIdentifier { id: ID!  databaseId: Int!  date: String  modified: String  slug: String  status: String  link: String }
  interface NodeWithTitle { title(format: PostObjectFieldFormatEnum): String }
  interface Edge { cursor: String  node: Node! }
  interface Connection { edges: [Edge!]!  nodes: [Node!]!  pageInfo: WPPageInfo! }
  enum PostObjectFieldFormatEnum { RAW RENDERED }
  enum PostStatusEnum { DRAFT FUTURE PENDING PRIVATE PUBLISH TRASH }
  enum PostIdType { DATABASE_ID ID SLUG URI }
  enum OrderEnum { ASC DESC }
  enum RelationEnum { AND OR }
  type WPPageInfo { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type Post implements Node & ContentNode & DatabaseIdentifier & NodeWithTitle & UniformResourceIdentifiable @key(fields: "id") @key(fields: "databaseId") {
    id: ID!  databaseId: Int!  date: String  modified: String  slug: String  status: String  link: String  uri: String
    title(format: PostObjectFieldFormatEnum): String  content(format: PostObjectFieldFormatEnum): String  author: User  courses: [Course!]!
  }
  type Course @key(fields: "databaseId", resolvable: false) { databaseId: Int! }
  type Page implements Node & ContentNode & DatabaseIdentifier @key(fields: "id") {
    id: ID!  databaseId: Int!  date: String  modified: String  slug: String  status: String  link: String
  }
  type Category implements Node & DatabaseIdentifier @key(fields: "databaseId") { id: ID!  databaseId: Int!  name: String  slug: String }
  type Tag implements Node & DatabaseIdentifier @key(fields: "databaseId") { id: ID!  databaseId: Int!  name: String  slug: String }
  type MediaItem implements Node & DatabaseIdentifier @key(fields: "databaseId") { id: ID!  databaseId: Int!  sourceUrl: String }
  type Comment implements Node & DatabaseIdentifier { id: ID!  databaseId: Int!  content: String }
  type User implements Node & DatabaseIdentifier @key(fields: "databaseId") { id: ID!  databaseId: Int!  name: String  posts: RootQueryToPostConnection }
  type RootQueryToPostConnection { nodes: [Post!]!  edges: [RootQueryToPostConnectionEdge!]!  pageInfo: WPPageInfo! }
  type RootQueryToPostConnectionEdge { cursor: String  node: Post! }
  type Error { message: String! }
  type Link { url: String }
  type Curie { name: String }
  input RootQueryToPostConnectionWhereArgs { search: String  status: PostStatusEnum }
  input CreatePostInput { clientMutationId: String  title: String }
  type CreatePostPayload { clientMutationId: String  post: Post }
  type Query {
    node(id: ID): Node
    viewer: User
    user(id: ID!): User
    post(id: ID!, idType: PostIdType): Post
    page(id: ID!): Page
    category(id: ID!): Category
    tag(id: ID!): Tag
    comment(id: ID!): Comment
    mediaItem(id: ID!): MediaItem
    terms(first: Int): [Tag!]
    posts(first: Int, last: Int, after: String, before: String, where: RootQueryToPostConnectionWhereArgs): RootQueryToPostConnection
    problems: [Error!]
    links: [Link!]
    prefixes: [Curie!]
  }
  type Mutation { createPost(input: CreatePostInput!): CreatePostPayload }`

/** Serves a subgraph over HTTP. */
export async function serve({ name, sdl, entities, resolvers, find }: ServiceOptions): Promise<Service> {
  const entry = `
    directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
    directive @external on FIELD_DEFINITION
    directive @requires(fields: String!) on FIELD_DEFINITION
    scalar _Any
    union _Entity = ${entities.join(' | ')}
    extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`
  const typeDefs = parse(`${sdl}\n${entry}`)
  const Query = { ...resolvers.Query, _entities: (_: unknown, { representations }: Row) => representations.map(find) }
  const schema = createSchema({
    typeDefs,
    resolvers: { ...resolvers, Query, _Entity: { __resolveType: ({ __typename }: Row) => __typename } } as never,
  })
  const server = createServer(createYoga({ schema, logging: false }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    name,
    sdl: withSpecification(sdl),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Owns users: the viewer, and the names of all users. It adds certificates to progress, of which it knows that in `courses`. */
export function startUsers(learner: number, courses: readonly number[] = []): Promise<Service> {
  const user = (id: string): Row => ({ __typename: 'User', id, name: `User ${id}` })
  const progress = (userId: number, courseId: number): Row => ({ userId, courseId, certificate: `${userId}/${courseId}` })
  return serve({
    name: 'users',
    sdl: USERS,
    entities: ['User', 'CourseProgress'],
    resolvers: {
      Query: {
        me: () => user(String(learner)),
        team: () => [user(String(learner)), user('1')],
        latest: () => courses.map((course) => progress(learner, course)),
      },
    },
    find: ({ __typename, id, userId, courseId }) =>
      __typename === 'User' ? user(id) : { __typename: 'CourseProgress', ...progress(userId, courseId) },
  })
}

/** Sells courses, and refers to records of the LMS by either of their keys. */
export function startShop(courses: readonly number[], missing: number): Promise<Service> {
  const offer = (course: number): Row => ({ sku: `C-${course}`, price: course % 100, course: { __typename: 'Course', databaseId: course } })
  const related = (type: string, id: number): Row => ({ __typename: type, id: globalId(type, id) })
  return serve({
    name: 'shop',
    sdl: SHOP,
    entities: ['Course'],
    resolvers: {
      Query: {
        offers: () => courses.map(offer),
        outdated: () => offer(missing),
        tips: () => ({
          lesson: related('Lesson', 100_001),
          quiz: related('Quiz', 300_001),
          question: related('Question', 500_001),
          group: { __typename: 'Group', databaseId: 1009 },
          priceType: { __typename: 'PriceType', slug: 'closed' },
        }),
      },
      Course: {
        offers: ({ databaseId }) => [offer(databaseId)],
        priceWithTax: ({ price }) => (typeof price === 'string' && price !== '' ? `${price} with tax` : null),
      },
    },
    find: (reference) => reference,
  })
}

/** A service of the same WordPress. `courses` are courses of its posts, whose author is `learner`, the viewer. */
export function startWordPress(learner: number, courses: readonly number[]): Promise<Service> {
  const user = (databaseId: number): Row => ({ __typename: 'User', id: `user:${databaseId}`, databaseId, name: `User ${databaseId}` })
  const post = (databaseId: number): Row => ({
    __typename: 'Post',
    id: `post:${databaseId}`,
    databaseId,
    title: `Post ${databaseId}`,
    author: user(learner),
    courses: courses.map((course) => ({ databaseId: course })),
  })
  const named = (__typename: string, databaseId: number): Row => ({
    __typename,
    id: `${__typename}:${databaseId}`,
    databaseId,
    name: `${__typename} ${databaseId}`,
    sourceUrl: `https://example.org/${databaseId}.jpg`,
  })
  return serve({
    name: 'wordpress',
    sdl: WORDPRESS,
    entities: ['Post', 'User', 'Category', 'Tag', 'MediaItem'],
    resolvers: {
      Query: { viewer: () => user(learner), post: () => post(1), posts: () => ({ nodes: [post(1), post(2)], edges: [], pageInfo: {} }) },
    },
    find: ({ __typename, databaseId }) =>
      __typename === 'User' ? user(databaseId) : __typename === 'Post' ? post(databaseId) : named(__typename, databaseId),
  })
}
