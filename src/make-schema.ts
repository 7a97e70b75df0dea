import { writeFileSync } from 'node:fs'
import { introspectionFromSchema, isAbstractType, isObjectType, lexicographicSortSchema, printSchema } from 'graphql'
import { SCALARS } from './graph/kit/scalars.js'
import { semanticSdl } from './graph/kit/semantic-nullability.js'
import { graphSchema } from './graph/schema.js'
import { PACKAGE_FOLDER } from './package-folder.js'

// Run by the build: `lms-graphql/schema` is texts and data, so that a frontend that imports it gets no gateway with it.
const schema = lexicographicSortSchema(graphSchema())
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))

/** The TypeScript types of the scalars, in the form of the option `scalars` of GraphQL Code Generator. */
const scalars = Object.fromEntries(Object.entries(SCALARS).map(([name, { wire }]) => [name, { input: wire, output: wire }]))

/** The types that each interface and union can be. */
const possibleTypes = Object.fromEntries(
  types.filter(isAbstractType).map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
)

const roots: readonly unknown[] = [schema.getQueryType(), schema.getMutationType()]
const hasId = (type: (typeof types)[number]): boolean => isObjectType(type) && type.getFields().id !== undefined

/** The types without `id`: caches keep their objects within the record that shows them. */
const keyless = types.filter((type) => isObjectType(type) && !roots.includes(type) && !hasId(type)).map(({ name }) => name)

/** The introspection that the cache of urql reads: `Any` stands for all scalars, enumerations and inputs, whose values it keeps as they are. */
function introspection(): string {
  const { __schema } = introspectionFromSchema(schema, { descriptions: false })
  const any = { kind: 'SCALAR', name: 'Any' }
  const isAny = (kind: unknown): boolean => kind === 'SCALAR' || kind === 'ENUM' || kind === 'INPUT_OBJECT'
  const types = __schema.types.filter(({ kind, name }) => !isAny(kind) && !name.startsWith('__'))
  const isUnread = (key: string, value: unknown): boolean => value === null || key === 'isDeprecated' || key === 'defaultValue'
  const read = { queryType: __schema.queryType, mutationType: __schema.mutationType, types: [...types, any] }
  return JSON.stringify({ __schema: read }, (key, value) => (isUnread(key, value) ? undefined : isAny(value.kind) ? any : value))
}

const values = {
  typeDefs: JSON.stringify(printSchema(schema)),
  semanticTypeDefs: JSON.stringify(semanticSdl(schema)),
  introspection: introspection(),
  scalars: JSON.stringify(scalars),
  possibleTypes: JSON.stringify(possibleTypes),
  keys: `/* @__PURE__ */ Object.fromEntries(${JSON.stringify(keyless)}.map((name) => [name, () => null]))`,
}

const literals = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ')
const members = (entries: readonly (readonly [name: string, type: string])[]): string =>
  `{\n${entries.map(([name, type]) => `  readonly ${name}: ${type}\n`).join('')}}`

const declarations = [
  '/** The graph in the schema definition language. */',
  'export declare const typeDefs: string',
  '/** The same with `@semanticNonNull` on the fields that are null only beside an error, for clients that throw errors. */',
  'export declare const semanticTypeDefs: string',
  '/** The graph for the option `schema` of the cache of urql: introspection without descriptions, in which `Any` stands for all scalars, enumerations and inputs. */',
  `export declare const introspection: {
  readonly __schema: {
    readonly queryType: { readonly name: string }
    readonly mutationType: { readonly name: string }
    readonly types: readonly { readonly kind: string; readonly name: string }[]
  }
}`,
  '/** The TypeScript types of the scalars, for the option `scalars` of GraphQL Code Generator. */',
  `export declare const scalars: ${members(
    Object.entries(SCALARS).map(([name, { wire }]) => [name, `{ readonly input: '${wire}'; readonly output: '${wire}' }`]),
  )}`,
  '/** The object types of each interface and union, for the option `possibleTypes` of the cache of Apollo Client. */',
  `export declare const possibleTypes: ${members(Object.entries(possibleTypes).map(([name, of]) => [name, `(${literals(of)})[]`]))}`,
  '/** For the option `keys` of the cache of urql: objects of types without `id` are kept within the record that shows them. */',
  `export declare const keys: { readonly [Type in ${literals(keyless)}]: () => null }`,
]

const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${value}`)
writeFileSync(new URL('dist/schema.js', PACKAGE_FOLDER), `${lines.join('\n')}\n`)
writeFileSync(new URL('dist/types/schema.d.ts', PACKAGE_FOLDER), `${declarations.join('\n')}\n`)
