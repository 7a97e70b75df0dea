import { composeServices } from '@theguild/federation-composition'
import { type GraphQLSchema, parse } from 'graphql'
import { DEFAULT_VERSION, hasDirective, type SubgraphOptions } from './options.js'
import { subgraphOf } from './subgraph.js'

/** Composes a supergraph of the subgraph alone, for routers. `url` is the address of the gateway. */
export function supergraphOf(graph: GraphQLSchema, { url, ...options }: SubgraphOptions & { readonly url: string }): string {
  const { sdl } = subgraphOf(graph, { ...options, version: composable(options.version) })
  const { errors = [], supergraphSdl } = composeServices([{ name: 'lms', url, typeDefs: parse(sdl) }])
  if (supergraphSdl === undefined) throw new Error(`The supergraph cannot be composed: ${errors.map(({ message }) => message).join(' ')}`)
  return supergraphSdl
}

/** The composer accepts versions up to the default. A supergraph does not depend on the version that its subgraphs link. */
const composable = (version = DEFAULT_VERSION): string => (hasDirective(version, 'cost') ? DEFAULT_VERSION : version)
