import { createRequire } from 'node:module'
import type * as HiveRuntime from '@graphql-hive/gateway-runtime'
import type * as GraphQL from 'graphql'
import { expect, it } from 'vitest'

/** A subgraph, as composers take it. */
export interface ComposedService {
  readonly name: string
  readonly url: string
  readonly typeDefs: unknown
}

/** Packages that are not among the dependencies: those of Apollo, because of their licence (Elastic-2.0), and the planner of Hive Router. */
export interface Apart {
  readonly composeServices: (services: readonly ComposedService[]) => {
    readonly errors?: readonly { readonly message: string }[]
    readonly hints?: readonly { readonly message: string; readonly definition: { readonly code: string } }[]
    readonly supergraphSdl?: string
  }
  /** `@apollo/gateway`. */
  readonly gateway: any
  readonly hive: typeof HiveRuntime
  /** `@graphql-hive/router-runtime`: the query planner of Hive Router for Hive Gateway. */
  readonly hiveRouter: { readonly unifiedGraphHandler: any }
  /** The `graphql` of these packages. */
  readonly graphql: typeof GraphQL
}

/** The folder in which they are installed, `…/node_modules`. */
const { FEDERATION_PACKAGES: folder } = process.env

/** Undefined when they are not installed. */
export const apart: Apart | undefined = folder === undefined ? undefined : load(folder)

function load(folder: string): Apart {
  const require = createRequire(`${folder}/`)
  return {
    composeServices: require('@apollo/composition').composeServices,
    gateway: require('@apollo/gateway'),
    hive: require('@graphql-hive/gateway-runtime'),
    hiveRouter: require('@graphql-hive/router-runtime'),
    graphql: require('graphql'),
  }
}

/** A test that fails in CI when they are not installed. Elsewhere the tests with them are skipped. */
export function expectedInCi(): void {
  it.skipIf(process.env.CI !== 'true')('has the packages that are not among the dependencies', () => {
    expect(apart, 'Set FEDERATION_PACKAGES, as .ci/run does.').toBeDefined()
  })
}
