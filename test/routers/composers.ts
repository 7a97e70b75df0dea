import { composeServices as composeWithApollo } from '@apollo/composition'
import {
  type CompositionResult,
  composeSchemaContract,
  composeServices,
  transformSupergraphToPublicSchema,
} from '@theguild/federation-composition'
import {
  type FederationResult,
  federateSubgraphs,
  federateSubgraphsContract,
  ROUTER_COMPATIBILITY_VERSION_ONE as version,
} from '@wundergraph/composition'
import { buildASTSchema, type FieldDefinitionNode, type GraphQLSchema, isTypeDefinitionNode, parse, print } from 'graphql'
import type { Service } from './services.js'

/** A subgraph to compose. */
export type Composed = Pick<Service, 'name' | 'url' | 'sdl'>

/** The result of a composition. */
export interface Composition {
  readonly errors: readonly string[]
  /** Hints and warnings. Those of Apollo begin with their code. */
  readonly hints: readonly string[]
  /** The SDL of the supergraph. WunderGraph: the schema of its router, without keys and costs, which are in a configuration. */
  readonly supergraph?: string | undefined
  /** The schema that clients see: without the parts with `@inaccessible`. */
  readonly client?: GraphQLSchema | undefined
  /** WunderGraph: weights of fields and sizes of lists, by their coordinates. */
  readonly costs?: { readonly fieldWeights: ReadonlyMap<string, any>; readonly listSizes: ReadonlyMap<string, any> } | undefined
}

/** The tags of a contract. Parts with an excluded tag are removed, and those without an included tag unless `include` is empty. */
export interface Contract {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export interface Composer {
  readonly name: 'The Guild' | 'WunderGraph' | 'Apollo'
  compose(services: readonly Composed[]): Composition
  /** Composes the part of the graph that a contract selects. Apollo has contracts in its cloud service only. */
  readonly composeContract?: (services: readonly Composed[], contract: Contract) => Composition
}

const messagesOf = (errors: readonly { readonly message: string }[] = []): string[] => errors.map(({ message }) => message)

/** The definitions of subgraphs, as The Guild and Apollo take them. */
const typeDefsOf = (services: readonly Composed[]) => services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }))

/** The definitions of subgraphs, as WunderGraph takes them. */
const definitionsOf = (services: readonly Composed[]) => services.map(({ name, url, sdl }) => ({ name, url, definitions: parse(sdl) }))

const clientSchema = (supergraph: string): GraphQLSchema =>
  buildASTSchema(transformSupergraphToPublicSchema(parse(supergraph)), { assumeValidSDL: true })

const fromGuild = ({ errors, supergraphSdl: supergraph }: CompositionResult): Composition =>
  supergraph === undefined
    ? { errors: messagesOf(errors), hints: [] }
    : { errors: messagesOf(errors), hints: [], supergraph, client: clientSchema(supergraph) }

function fromWunderGraph(result: FederationResult): Composition {
  const hints = messagesOf(result.warnings)
  if (!result.success) return { errors: messagesOf(result.errors), hints }
  const { federatedGraphAST, federatedGraphClientSchema: client, subgraphConfigBySubgraphName } = result
  return { errors: [], hints, supergraph: print(federatedGraphAST), client, costs: subgraphConfigBySubgraphName.get('lms')?.costs }
}

/** Methods of sets that WunderGraph uses in contracts, and that Node has from version 22 on. */
const SET_METHODS = {
  isDisjointFrom(this: Set<unknown>, other: ReadonlySet<unknown>): boolean {
    return ![...this].some((each) => other.has(each))
  },
  intersection(this: Set<unknown>, other: ReadonlySet<unknown>): Set<unknown> {
    return new Set([...this].filter((each) => other.has(each)))
  },
}

/** Runs a function with the methods of sets that this version of Node lacks. */
function withSetMethods<Result>(run: () => Result): Result {
  const missing = Object.entries(SET_METHODS).filter(([name]) => !(name in Set.prototype))
  for (const [name, value] of missing) Object.defineProperty(Set.prototype, name, { value, configurable: true })
  try {
    return run()
  } finally {
    for (const [name] of missing) Reflect.deleteProperty(Set.prototype, name)
  }
}

const guild: Composer = {
  name: 'The Guild',
  compose: (services) => fromGuild(composeServices(typeDefsOf(services))),
  composeContract: (services, { include, exclude }) =>
    fromGuild(composeSchemaContract(typeDefsOf(services), { include: new Set(include), exclude: new Set(exclude) })),
}

const wunderGraph: Composer = {
  name: 'WunderGraph',
  compose: (services) => fromWunderGraph(federateSubgraphs({ subgraphs: definitionsOf(services), version })),
  composeContract(services, { include, exclude }) {
    const contractTagOptions = { tagNamesToInclude: new Set(include), tagNamesToExclude: new Set(exclude) }
    return withSetMethods(() =>
      fromWunderGraph(federateSubgraphsContract({ subgraphs: definitionsOf(services), version, contractTagOptions })),
    )
  },
}

const apollo: Composer = {
  name: 'Apollo',
  compose(services) {
    const { errors, hints = [], supergraphSdl } = composeWithApollo(typeDefsOf(services))
    const result = { errors: messagesOf(errors), hints: hints.map(({ definition, message }) => `${definition.code}: ${message}`) }
    return supergraphSdl === undefined ? result : { ...result, supergraph: supergraphSdl, client: clientSchema(supergraphSdl) }
  },
}

export const COMPOSERS: readonly Composer[] = [guild, wunderGraph, apollo]

/** Composes services with the composer of The Guild. Throws when they do not compose. */
export function supergraphOf(services: readonly Composed[]): string {
  const { errors, supergraph } = guild.compose(services)
  if (supergraph === undefined) throw new Error(errors.join('\n'))
  return supergraph
}

/** The uses of a directive in an SDL, with their arguments, by the coordinates of the parts that have it. */
export function usesOf(sdl: string, name: string): Record<string, string> {
  const uses: Record<string, string> = {}
  const note = (coordinate: string, { directives = [] }: Pick<FieldDefinitionNode, 'directives'>): void => {
    const own = directives.filter((directive) => directive.name.value === name)
    const texts = own.map(({ arguments: args = [] }) => args.map(print).sort().join(', '))
    if (own.length > 0) uses[coordinate] = texts.sort().join('; ')
  }
  for (const definition of parse(sdl).definitions) {
    if (!isTypeDefinitionNode(definition)) continue
    const type = definition.name.value
    note(type, definition)
    for (const field of 'fields' in definition ? (definition.fields ?? []) : []) {
      note(`${type}.${field.name.value}`, field)
      for (const argument of 'arguments' in field ? (field.arguments ?? []) : [])
        note(`${type}.${field.name.value}(${argument.name.value}:)`, argument)
    }
    for (const value of 'values' in definition ? (definition.values ?? []) : []) note(`${type}.${value.name.value}`, value)
  }
  return uses
}
