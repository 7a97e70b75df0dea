import type { GraphQLSchema } from 'graphql'
import { type SdlOptions, WrongSubgraphOption } from '../federation/options.js'
import { unknownTypeIn } from '../federation/refusals.js'
import { subgraphOf } from '../federation/subgraph.js'
import type { ReadOptions } from '../options/program.js'
import type { Options } from '../options/table.js'
import type { Site } from '../upstream/site/site.js'
import { unknownNames } from './site-names.js'

/** The complaints about names in options that the graph or the subgraph does not have. */
export function wrongNames({ options, named }: ReadOptions, site: Site, graph: GraphQLSchema): string[] {
  const { cache, http, subgraph } = options
  const name = (path: string): string => named(path) ?? `\`${path}\``
  const unknownType = cache.maxAge === undefined ? undefined : unknownTypeIn(graph, cache.maxAge)
  const unknownKept = http.maxAge === undefined || subgraph.enabled ? undefined : unknownTypeIn(graph, http.maxAge)
  return [
    ...unknownNames(graph, site).map(({ property, found }) => `${name(`site.${property}`)} has ${found}`),
    ...(unknownType ? [`${name('cache.maxAge')} has ${unknownType('graph')}`] : []),
    ...(unknownKept ? [`${name('http.maxAge')} has ${unknownKept('graph')}`] : []),
    ...(subgraph.enabled ? wrongInSubgraph(options, name, graph) : []),
  ]
}

/** The options of the subgraph as its SDL takes them. */
export const sdlOptionsOf = ({ http, subgraph }: Options): SdlOptions => ({ ...subgraph, maxAge: http.maxAge })

/** The complaint about an option that does not fit the subgraph. */
export function wrongInSubgraph(options: Options, name: (path: string) => string, graph: GraphQLSchema): string[] {
  try {
    subgraphOf(graph, sdlOptionsOf(options))
    return []
  } catch (error) {
    if (!(error instanceof WrongSubgraphOption)) throw error
    return [`${name(error.option === 'maxAge' ? 'http.maxAge' : `subgraph.${error.option}`)} ${error.found}`]
  }
}
