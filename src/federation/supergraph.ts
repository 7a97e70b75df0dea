import { composeServices } from '@theguild/federation-composition'
import { type GraphQLSchema, parse } from 'graphql'
import { type SubgraphOptions, subgraphOf } from './subgraph.js'

/** Composes a supergraph of the subgraph alone, for routers. `url` is the address of the gateway. */
export function supergraphOf(graph: GraphQLSchema, { url, ...options }: SubgraphOptions & { readonly url: string }): string {
  const { errors = [], supergraphSdl } = composeServices([{ name: 'lms', url, typeDefs: parse(subgraphOf(graph, options).sdl) }])
  if (supergraphSdl === undefined) throw new Error(`The supergraph cannot be composed: ${errors.map(({ message }) => message).join(' ')}`)
  return supergraphSdl
}
