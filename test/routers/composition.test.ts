import { readFileSync } from 'node:fs'
import type { GraphQLEnumType, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { afterAll, describe, expect, it } from 'vitest'
import type { SdlOptions } from '../../src/federation/options.js'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema, type SubgraphOptions } from '../../src/index.js'
import { COMPOSERS, type Composed, type Composer, supergraphOf, usesOf } from './composers.js'
import { SHOP, USERS, WORDPRESS, withSpecification } from './services.js'

const graph = graphSchema()
const lms = (options?: SdlOptions): Composed => ({
  name: 'lms',
  url: 'http://127.0.0.1:4000/graphql',
  sdl: subgraphOf(graph, options).sdl,
})
const service = (name: string, sdl: string): Composed => ({ name, url: `http://${name}.example.org/graphql`, sdl: withSpecification(sdl) })
/** A service with further directives of the specification. */
const linked = (name: string, directives: readonly string[], sdl: string): Composed => ({
  ...service(name, ''),
  sdl: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [${directives.map((each) => `"@${each}"`).join(', ')}])\n${sdl}`,
})
const users = service('users', USERS)
const shop = service('shop', SHOP)
const wordpress = service('wordpress', WORDPRESS)
/** Adds to users of WordPress. */
const people = service(
  'people',
  'type Query { staff: [User!]! } type User @key(fields: "databaseId") { databaseId: Int!  phone: String  office: String }',
)
const FOR_WORDPRESS = { users: 'databaseId:Int', refersTo: ['MediaItem', 'Category', 'Tag'] } as const satisfies SubgraphOptions

const typeIn = (supergraph: string, name: string): string => new RegExp(`^type ${name}\\b[^{]*{[^}]*}`, 'm').exec(supergraph)?.[0] ?? ''
const fieldsOf = (schema: GraphQLSchema | undefined, type: string): string[] =>
  Object.keys((schema?.getType(type) as GraphQLObjectType | undefined)?.getFields() ?? {})

/** Tests each composer. */
const describeComposer = (title: string, test: (composer: Composer) => void): void =>
  describe.each(COMPOSERS.map((composer) => [composer.name, composer] as const))(title, (_, composer) => {
    describe('composes', () => test(composer))
  })

/** The graphs, and fields that clients see in them: of each service those of a type that it shares with the LMS. */
const GRAPHS: Readonly<
  Record<string, { readonly services: () => readonly Composed[]; readonly has: Readonly<Record<string, readonly string[]>> }>
> = {
  alone: { services: () => [lms()], has: { Query: ['courses'], User: ['id', 'progressIn'] } },
  'shop and people': {
    services: () => [lms(), users, shop],
    has: { Query: ['courses', 'me', 'offers'], User: ['id', 'name', 'progressIn'], Course: ['title', 'offers'] },
  },
  WPGraphQL: {
    services: () => [lms(FOR_WORDPRESS), wordpress],
    has: {
      Query: ['courses', 'posts'],
      Mutation: ['createCourse', 'createPost'],
      User: ['databaseId', 'name', 'posts', 'progressIn'],
      Course: ['title', 'featuredMedia', 'categories', 'tags'],
      MediaItem: ['databaseId', 'sourceUrl'],
    },
  },
  all: {
    services: () => [lms(FOR_WORDPRESS), shop, wordpress, people],
    has: {
      Query: ['courses', 'posts', 'offers', 'staff'],
      User: ['databaseId', 'name', 'posts', 'progressIn', 'phone'],
      Course: ['title', 'featuredMedia', 'offers'],
      Tag: ['databaseId', 'slug'],
    },
  },
}

const unusedEnum = (name: string): string =>
  `UNUSED_ENUM_TYPE: Enum type "${name}" is defined but unused. It will be included in the supergraph with all the values appearing in any subgraph ("as if" it was only used as an output type).`

/** The hints that compositions with WordPress have. All stem from WordPress: neither the enums nor the interface are in the LMS. */
const HINTS_OF_WORDPRESS: Readonly<Record<Composer['name'], readonly string[]>> = {
  'The Guild': [],
  // No type of WPGraphQL's part in the test implements `Edge`.
  WunderGraph: [
    'Subgraph "wordpress": The Interface "Edge" is used as an output type without at least one Object type implementation defined in the schema.',
  ],
  // No field or argument of WPGraphQL's part in the test has these types.
  Apollo: [unusedEnum('OrderEnum'), unusedEnum('RelationEnum')],
}

const HINTS: Readonly<Record<string, Readonly<Record<Composer['name'], readonly string[]>> | undefined>> = {
  WPGraphQL: HINTS_OF_WORDPRESS,
  all: HINTS_OF_WORDPRESS,
}

const results = new Map<string, string>()
afterAll(() => {
  const rows = Object.keys(GRAPHS).map((title) => [title, ...COMPOSERS.map(({ name }) => results.get(`${title} ${name}`) ?? 'not run')])
  const lines = [['graph', ...COMPOSERS.map(({ name }) => name)], ...rows].map((row) =>
    row
      .map((cell) => cell.padEnd(19))
      .join('')
      .trimEnd(),
  )
  console.log(lines.join('\n'))
})

/** Options that all put something in the SDL. */
const ALL_OPTIONS = {
  users: 'here',
  slugKeys: true,
  refersTo: FOR_WORDPRESS.refersTo,
  authenticated: true,
  tags: true,
  inaccessible: [
    'Course.meta',
    'Query.groups',
    'Query.courses(last:)',
    'CourseWhere.menuOrder',
    'CourseOrderField.MENU_ORDER',
    'SearchSemantics',
    'CourseWhere.searchSemantics',
    'GroupWhere.searchSemantics',
  ],
  maxAge: { Course: 300, Lesson: 60, PriceType: 3600 },
} as const satisfies SdlOptions

const DIRECTIVES = ['cost', 'listSize', 'tag', 'authenticated', 'inaccessible', 'cacheControl'] as const

const OF_INTERFACE = Object.fromEntries(['contentRaw', 'generatedSlug', 'password', 'titleRaw'].map((field) => [`LmsContent.${field}`, '']))

describeComposer('%s', ({ name, compose }) => {
  it.each(Object.entries(GRAPHS))('the graph %s, with hints about other services only', (title, { services, has }) => {
    const { errors, hints, client } = compose(services())
    results.set(`${title} ${name}`, `${errors.length} errors, ${hints.length} hints`)
    expect(errors).toEqual([])
    expect([...hints].sort()).toEqual(HINTS[title]?.[name] ?? [])
    for (const [type, fields] of Object.entries(has)) expect(fieldsOf(client, type)).toEqual(expect.arrayContaining([...fields]))
    // Nothing of the LMS is lost, but `terms`, which WordPress has itself.
    const { schema } = subgraphOf(graph, services().includes(wordpress) ? FOR_WORDPRESS : {})
    expect(fieldsOf(client, 'Query')).toContain('terms')
    for (const type of ['Query', 'Mutation', 'Course', 'Lesson', 'CourseProgress', 'LmsContent'])
      expect(fieldsOf(client, type)).toEqual(expect.arrayContaining(fieldsOf(schema, type).filter((field) => !field.startsWith('_'))))
  })

  it('all options together, with all their directives', () => {
    const ours = lms(ALL_OPTIONS)
    const { errors, hints, supergraph = '', client, costs } = compose([ours])
    expect([errors, hints]).toEqual([[], []])
    for (const directive of DIRECTIVES) {
      const uses = usesOf(ours.sdl, directive)
      expect(Object.keys(uses).length, directive).toBeGreaterThan(2)
      // The router of WunderGraph has costs in its configuration, and no `@cacheControl`.
      if (name === 'WunderGraph' && ['cost', 'listSize', 'cacheControl'].includes(directive)) continue
      // Composers add `@authenticated` to a field of an interface when a field that implements it has it.
      const added = name === 'WunderGraph' || directive !== 'authenticated' ? {} : OF_INTERFACE
      expect([directive, usesOf(supergraph, directive)]).toEqual([directive, { ...uses, ...added }])
    }
    if (costs) {
      const weights = Object.entries(usesOf(ours.sdl, 'cost')).filter(([coordinate]) => coordinate.includes('.'))
      expect([...costs.fieldWeights].map(([coordinate, { weight }]) => [coordinate, `weight: ${weight}`]).sort()).toEqual(weights.sort())
      expect([...costs.listSizes.keys()].sort()).toEqual(Object.keys(usesOf(ours.sdl, 'listSize')).sort())
      expect(costs.listSizes.get('Query.courses')).toMatchObject({
        assumedSize: 10,
        slicingArguments: ['first', 'last'],
        requireOneSlicingArgument: false,
      })
    } else expect(name).not.toBe('WunderGraph')
    // Clients see all but what is inaccessible.
    expect(fieldsOf(client, 'Course').sort()).toEqual(
      fieldsOf(subgraphOf(graph, ALL_OPTIONS).schema, 'Course')
        .filter((field) => field !== 'meta')
        .sort(),
    )
    expect(fieldsOf(client, 'Query')).toEqual(expect.arrayContaining(['courses', 'viewer']))
    expect(fieldsOf(client, 'Query')).not.toContain('groups')
    const Query = client?.getQueryType()?.getFields()
    expect(Query?.courses?.args.map((argument) => argument.name).sort()).toEqual(['after', 'before', 'first', 'offset', 'orderBy', 'where'])
    expect(fieldsOf(client, 'CourseWhere')).toContain('search')
    for (const field of ['menuOrder', 'searchSemantics']) expect(fieldsOf(client, 'CourseWhere')).not.toContain(field)
    const orders = (client?.getType('CourseOrderField') as GraphQLEnumType | undefined)?.getValues().map((value) => value.name)
    expect(orders).toContain('TITLE')
    expect(orders).not.toContain('MENU_ORDER')
    expect(client?.getType('SearchSemantics')).toBeUndefined()
  })

  it('users of ours with a service that refers to them', () => {
    const reviews = service(
      'reviews',
      `type Query { reviews: [Review!]! } type Review { text: String  author: User }
       type User @key(fields: "id", resolvable: false) { id: ID! }`,
    )
    const { errors, hints, client } = compose([lms({ users: 'here' }), reviews])
    expect([errors, hints]).toEqual([[], []])
    expect(fieldsOf(client, 'User')).toEqual(expect.arrayContaining(['id', 'databaseId', 'name', 'courseProgress']))
    expect(fieldsOf(client, 'Query')).toEqual(expect.arrayContaining(['viewer', 'user', 'reviews']))
    // The service needs the owner: without it, no service resolves the name.
    expect(fieldsOf(compose([lms(), reviews]).client, 'User')).not.toContain('name')
  })

  it('a service that adds to progress by its key of two fields', () => {
    const certificates = (fields: string): Composed =>
      service(
        'certificates',
        `type Query { certificates: Int } type CourseProgress @key(fields: "${fields}") { userId: Int!  courseId: Int  certificate: String }`,
      )
    const { errors, hints, client } = compose([lms(), certificates('userId courseId')])
    expect([errors, hints]).toEqual([[], []])
    expect(fieldsOf(client, 'CourseProgress')).toEqual(expect.arrayContaining(['id', 'userId', 'courseId', 'percent', 'certificate']))
    // One of the fields is no key.
    expect(compose([lms(), certificates('userId')]).errors).not.toEqual([])
  })

  it('a service that computes a field from the price of a course', () => {
    const tax = (type: string): Composed =>
      linked(
        'tax',
        ['key', 'external', 'requires'],
        `type Query { rate: Float }
         type Course @key(fields: "databaseId") { databaseId: Int!  price: ${type} @external  priceWithTax: String @requires(fields: "price") }`,
      )
    const { errors, hints, client } = compose([lms(), tax('String')])
    expect([errors, hints]).toEqual([[], []])
    expect(fieldsOf(client, 'Course')).toEqual(expect.arrayContaining(['price', 'priceWithTax']))
    expect(compose([lms(), tax('Int')]).errors).not.toEqual([])
  })

  /** A service whose field returns courses with a further field. */
  const providing = (field: string): Composed =>
    linked(
      'best',
      ['key', 'external', 'provides'],
      `type Query { best: Course @provides(fields: "${field}") }
       type Course @key(fields: "databaseId") { databaseId: Int!  ${field}: String @external }`,
    )

  it('a service that provides a key of ours', () => {
    const { errors, hints, client } = compose([lms({ slugKeys: true }), providing('slug')])
    expect([errors, hints]).toEqual([[], []])
    expect(fieldsOf(client, 'Query')).toContain('best')
  })

  it('a service that provides another field, which Apollo allows for shareable fields only', () => {
    const ours = lms()
    const refused = compose([ours, providing('title')]).errors
    expect(refused).toHaveLength(name === 'Apollo' ? 1 : 0)
    for (const message of refused)
      expect(message).toMatch(/^Non-shareable field "Course.title" .* defined as non-shareable in subgraph "lms"$/)
    const sdl = ours.sdl.replace(/^type Course [\s\S]*?\n {2}title: String(?=\n)/m, '$& @shareable')
    expect(usesOf(sdl, 'shareable')).toEqual({ ...usesOf(ours.sdl, 'shareable'), 'Course.title': '' })
    const { errors, hints } = compose([{ ...ours, sdl }, providing('title')])
    expect([errors, hints]).toEqual([[], []])
  })

  it('a service that takes over a field', () => {
    const titles = (from: string): Composed =>
      linked(
        'titles',
        ['key', 'override'],
        `type Query { titles: Int }
         type Course @key(fields: "databaseId") { databaseId: Int!  title: String ${from} }`,
      )
    const { errors, hints } = compose([lms(), titles('@override(from: "lms")')])
    expect(errors).toEqual([])
    // Apollo notes that our field stays for the interface `LmsContent`.
    expect(hints.map((hint) => hint.replace(/:.*/, ''))).toEqual(name === 'Apollo' ? ['OVERRIDDEN_FIELD_CAN_BE_REMOVED'] : [])
    expect(compose([lms(), titles('')]).errors).not.toEqual([])
  })

  it('types that are inaccessible together with the fields that return them', () => {
    const fields = ['Course.priceType', 'GroupCourse.priceType', 'NotEnrolled.priceType', 'Query.priceType', 'Query.priceTypes']
    const { errors, client } = compose([lms({ inaccessible: ['PriceType', ...fields] })])
    expect(errors).toEqual([])
    expect(client?.getType('PriceType')).toBeUndefined()
    expect(fieldsOf(client, 'Query')).not.toContain('priceTypes')
    // The composer names the fields that are missing; the subgraph is refused before.
    const marked = {
      ...lms(),
      sdl: lms({ inaccessible: ['Query.priceTypes'] }).sdl.replace(/^(type PriceType .*)( {)$/m, '$1 @inaccessible$2'),
    }
    const named = compose([marked]).errors.join('\n')
    for (const field of fields.filter((field) => field !== 'Query.priceTypes')) expect(named).toContain(`"${field}"`)
    expect(() => lms({ inaccessible: ['PriceType'] })).toThrow('`Course.priceType`')
  })

  it('no different definition of users', () => {
    const wrong = service('users', 'type Query { me: User! } type User @key(fields: "id") { id: Int!  name: String! }')
    expect(compose([lms(), wrong]).errors.join('\n')).toMatch(/User\.id|"User"/)
  })
})

describe('the subgraph', () => {
  it('composes alone, and the supergraph is committed', () => {
    const committed = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8')
    expect(`${supergraphOf([lms()])}\n` === committed, 'Run `npm run schema`.').toBe(true)
  })

  it('composes with a subgraph that owns users, and one that refers to courses', () => {
    const supergraph = supergraphOf([lms(), users, shop])
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
    expect(typeIn(supergraphOf([lms({ users: userKey }), owner]), 'User')).toContain(field)
  })

  it('composes with subgraphs that have the same names for pages and errors', () => {
    const other = service(
      'other',
      `type Query { posts: Posts! } type Posts { pageInfo: PageInfo! }
       type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`,
    )
    expect(typeIn(supergraphOf([lms(), other]), 'PageInfo')).toContain('@join__type(graph: OTHER)')
  })

  it('composes with WPGraphQL, which owns users and has generic names', () => {
    const wordpress = service('wordpress', WORDPRESS)
    const ours = lms({ users: 'databaseId:Int' })
    const supergraph = supergraphOf([ours, wordpress])
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
      expect(() => supergraphOf([before, wordpress])).toThrow(new RegExp(`\\b${generic}\\b`))
    }
  })

  it('does not compose with a different definition of users', () => {
    const wrong = service('users', 'type Query { me: User! } type User @key(fields: "id") { id: Int!  name: String! }')
    expect(() => supergraphOf([lms(), wrong])).toThrow(/User\.id/)
    const unshared = lms().sdl.replaceAll('@shareable {', '{')
    const pages = service(
      'other',
      'type Query { p: PageInfo! } type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }',
    )
    expect(() => supergraphOf([{ ...lms(), sdl: unshared }, pages])).toThrow(/PageInfo/)
  })
})
