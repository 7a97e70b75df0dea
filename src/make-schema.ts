import { writeFileSync } from 'node:fs'
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { graphSchema } from './schema/graph.js'

// Run by the build: `lms-graphql/schema` is texts and data, so that a frontend that imports it gets no gateway with it.
const schema = lexicographicSortSchema(graphSchema())

const values = [
  `export const typeDefs = ${JSON.stringify(printSchema(schema))}`,
  `export const introspection = ${JSON.stringify(introspectionFromSchema(schema, { descriptions: false }))}`,
]
const types = [
  "import type { IntrospectionQuery } from 'graphql'",
  '/** The graph in the schema definition language. */',
  'export declare const typeDefs: string',
  '/** The graph as introspection answers it, without descriptions. */',
  'export declare const introspection: IntrospectionQuery',
]

writeFileSync(new URL('schema.js', import.meta.url), `${values.join('\n')}\n`)
writeFileSync(new URL('types/schema.d.ts', import.meta.url), `${types.join('\n')}\n`)
