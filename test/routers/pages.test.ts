import { readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { graphSchema, type SubgraphOptions, subgraphOf } from '../../src/index.js'
import { COMPOSERS, type Composer, type Composition } from './composers.js'
import { WORDPRESS } from './services.js'

const ROOT = new URL('../../', import.meta.url)
const read = (page: string): string => readFileSync(new URL(page, ROOT), 'utf8')
const PAGES = [
  'docs/federation.md',
  'docs/federation/apollo-router.md',
  'docs/federation/cosmo.md',
  'docs/federation/hive-gateway.md',
  'docs/federation/registries.md',
  'docs/federation/wpgraphql.md',
]

/** The blocks of a language on a page. */
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block as string)

/** Composes the subgraph with the SDL of another service. */
function composed(sdl: string, options: SubgraphOptions = {}, composer = COMPOSERS[0] as Composer): Composition {
  const lms = { name: 'lms', url: 'http://127.0.0.1:4000/graphql', sdl: subgraphOf(graphSchema(), options).sdl }
  const imports = '["@external", "@key", "@provides", "@requires", "@shareable"]'
  const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ${imports})`
  return composer.compose([lms, { name: 'other', url: 'http://127.0.0.1:4001/graphql', sdl: `${link}\n${sdl}` }])
}

/** The fields of a type that clients see. */
const fieldsOf = ({ client }: Composition, type: string): string[] => {
  const found = client?.getType(type)
  return found && 'getFields' in found ? Object.keys(found.getFields()) : []
}

describe('the recipes for other services', () => {
  const [shop = '', computed = '', added = '', provided = ''] = blocks('docs/federation.md', 'graphql')

  it('compose with the subgraph: a reference', () => {
    const result = composed(`type Query { offers: [Offer!]! }\n${shop}`)
    expect(result.errors).toEqual([])
    expect(fieldsOf(result, 'Offer')).toEqual(['price', 'course'])
  })

  it('compose with the subgraph: a field that is computed from ours', () => {
    const result = composed(`type Query { taxes: Boolean }\n${computed}`)
    expect(result.errors).toEqual([])
    expect(fieldsOf(result, 'Course')).toContain('priceWithTax')
    expect(result.supergraph).toContain('requires: "price"')
  })

  it('compose with the subgraph: a field that is added to progress', () => {
    const result = composed(`type Query { certificates: Boolean }\n${added}`)
    expect(result.errors).toEqual([])
    expect(fieldsOf(result, 'CourseProgress')).toEqual(expect.arrayContaining(['status', 'certificate']))
  })

  it.each(COMPOSERS.map((composer) => [composer.name, composer] as const))(
    'compose with the subgraph: a key that a neighbour provides, by %s',
    (name, composer) => {
      expect(composed(provided, { slugKeys: true }, composer).errors).toEqual([])
      // The page says that Apollo allows it for keys only.
      if (name === 'Apollo') expect(composed(provided, {}, composer).errors).not.toEqual([])
    },
  )
})

describe('the page on WPGraphQL', () => {
  const [types = '', query = ''] = blocks('docs/federation/wpgraphql.md', 'graphql')
  const [command = ''] = blocks('docs/federation/wpgraphql.md', 'sh')
  const options = { users: 'databaseId:Int', refersTo: ['MediaItem', 'Category', 'Tag'] } as const

  it('has types that compose with the subgraph of its command', () => {
    expect(command).toContain('--subgraph-users databaseId:Int --subgraph-refers-to MediaItem,Category,Tag')
    const result = composed(`type Query { posts: [Post!]! }\n${types}`, options)
    expect(result.errors).toEqual([])
    expect(fieldsOf(result, 'User')).toEqual(expect.arrayContaining(['name', 'courseProgress']))
    expect(fieldsOf(result, 'Course')).toEqual(expect.arrayContaining(['featuredMedia', 'categories', 'tags']))
  })

  it('has a query that is valid in the larger graph', () => {
    const { errors, client } = composed(WORDPRESS, options)
    expect(errors).toEqual([])
    expect(validate(client as NonNullable<typeof client>, parse(query))).toEqual([])
  })
})

describe('the settings of routers and registries', () => {
  const all = PAGES.flatMap((page) => blocks(page, 'yaml').map((block, index) => [`${page} ${index + 1}`, block] as const))

  it.each(all)('are YAML without repeated keys: %s', (_, block) => {
    const documents = parseAllDocuments(block, { uniqueKeys: true })
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    for (const document of documents) expect(document.toJS()).toEqual(expect.any(Object))
  })

  it.each(['docs/federation/apollo-router.md', 'docs/federation/cosmo.md'])(
    'pass on credentials and traces, and compose both services: %s',
    (page) => {
      const text = blocks(page, 'yaml').join('\n')
      for (const header of ['authorization', 'traceparent', 'tracestate', 'x-request-id']) expect(text).toContain(header)
      for (const service of ['lms', 'shop']) expect(text).toContain(`./${service}.graphql`)
    },
  )

  it('are on every page of a router', () => {
    expect(all.length).toBeGreaterThan(12)
  })
})
