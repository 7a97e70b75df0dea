import { createRequire } from 'node:module'
import { expect, it } from 'vitest'

/** A subgraph, as composers take it. */
export interface ComposedService {
  readonly name: string
  readonly url: string
  readonly typeDefs: unknown
}

/** The parts of Apollo's packages that tests use. */
export interface Apollo {
  readonly composeServices: (services: readonly ComposedService[]) => {
    readonly errors?: readonly { readonly message: string }[]
    readonly hints?: readonly { readonly message: string; readonly definition: { readonly code: string } }[]
    readonly supergraphSdl?: string
  }
  /** `@apollo/gateway`. */
  readonly gateway: any
  /** The `graphql` of these packages. */
  readonly graphql: typeof import('graphql')
}

/** The folder with Apollo's packages, `…/node_modules`. */
const { APOLLO_FEDERATION: folder } = process.env

/**
 * Apollo's composer and gateway, in the folder of the variable `APOLLO_FEDERATION`. They are not among the dependencies, because of their licence
 * (Elastic-2.0). Undefined when they are not installed.
 */
export const apollo: Apollo | undefined = folder === undefined ? undefined : load(folder)

function load(folder: string): Apollo {
  const require = createRequire(`${folder}/`)
  return {
    composeServices: require('@apollo/composition').composeServices,
    gateway: require('@apollo/gateway'),
    graphql: require('graphql'),
  }
}

/** A test that fails where Apollo's packages must be installed and are not. */
export function expectApolloInCi(): void {
  it.skipIf(process.env.CI !== 'true')('has the packages of Apollo in CI', () => {
    expect(apollo, 'Set APOLLO_FEDERATION, as .ci/run does.').toBeDefined()
  })
}
