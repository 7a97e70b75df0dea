import { composeServices } from '@theguild/federation-composition'
import { type GraphQLSchema, parse } from 'graphql'
import type { SdlOptions } from './options.js'
import { subgraphOf } from './subgraph.js'

/** Composes a supergraph of the subgraph alone, for routers. `url` is the address of the gateway. */
export function supergraphOf(graph: GraphQLSchema, { url, ...options }: SdlOptions & { readonly url: string }): string {
  const { sdl } = subgraphOf(graph, options)
  const { errors = [], supergraphSdl } = composeServices([{ name: 'lms', url, typeDefs: parse(sdl) }])
  if (supergraphSdl === undefined) throw new Error(`The supergraph cannot be composed: ${errors.map(({ message }) => message).join(' ')}`)
  return supergraphSdl
}
