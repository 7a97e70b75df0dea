import type { Audience } from './server/core.js'
import type { GraphiQLUser } from './server/http/plugins/use-graphiql.js'
import type { Limits } from './server/limits/limits.js'
import type { Site } from './upstream/site/site.js'
import type { Protection } from './upstream/transport/protection.js'

/**
 * What the command and tests set beside the options. It is not public: tests need other constants, such as short pauses, and gateways without an
 * accelerator.
 */
export interface Tuning {
  /** Whether compiled response writers answer queries, instead of the executor of graphql-js. True by default. */
  readonly compile?: boolean
  /** Whether `handle` answers JSON posts without Yoga. True by default. */
  readonly shortPath?: boolean
  /** The site, instead of that of the options. */
  readonly site?: Site | undefined
  /** Users of the embedded LMS that GraphiQL offers to sign in as. None by default. */
  readonly users?: readonly GraphiQLUser[] | undefined
  /** Callers whose explanations include data about other callers. `administrator` by default, without an account `keys`. */
  readonly explainOthersFor?: readonly Audience[] | undefined
  readonly protection?: Partial<Protection>
  readonly limits?: Partial<Limits> & { readonly maxUnpaged?: number }
  readonly sockets?: {
    readonly headersTimeout?: number
    readonly idleTimeout?: number
    readonly maxConnectionsPerAddress?: number
    /** Milliseconds after which a connection counts as idle when the gateway ends. */
    readonly linger?: number
    /** Milliseconds a client may stop reading its response. */
    readonly writeTimeout?: number
  }
  readonly redis?: { readonly timeout?: number; readonly prefix?: string }
  /** Whether the gateway is about to end; `/health/ready` is 503 then. */
  readonly isLeaving?: () => boolean
}
