import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { Cors, NO_HEADERS } from '../http/cors.js'
import { SECURITY_HEADERS } from '../http/responses.js'
import { documentCheck, limitExceeded, valuesCheck } from './document.js'
import { type Limits, limitsOf } from './limits.js'
import { PersistedDocuments } from './persisted.js'
import { rulesOnParts } from './rules-on-parts.js'

/** What strangers may send, and what they get to see. */
export interface GuardOptions extends Partial<Limits> {
  /** Largest body of a request to the gateway in bytes, 100,000 by default. */
  readonly maxBodyBytes?: number
  /** Whether the three below are off unless they are switched on: what `NODE_ENV=production` is for the command. False by default. */
  readonly production?: boolean
  /** Whether browsers that open `/graphql` get GraphiQL. */
  readonly graphiql?: boolean | undefined
  /** Whether clients may ask what the graph consists of. */
  readonly introspection?: boolean | undefined
  /** Whether errors suggest names that are like unknown ones. */
  readonly suggestions?: boolean | undefined
  /** Origins whose pages may call the gateway from browsers, such as `https://app.example.org`, or `*` for all. None by default. */
  readonly corsOrigins?: readonly string[]
  /** Documents that clients may name by their hashes; `readTrustedDocuments` reads them from a manifest. */
  readonly trustedDocuments?: ReadonlyMap<string, string>
  /** Whether other documents are refused. False by default. */
  readonly onlyTrusted?: boolean
  /** Whether clients may have documents kept by their hashes ("automatic persisted queries"). True by default. */
  readonly persistedQueries?: boolean
}

/** The checks that all requests go through, whatever path they come on, as plain functions. */
export class Guard {
  readonly limits: Limits
  readonly bodyBytes: number
  readonly cors: Cors
  readonly persisted: PersistedDocuments
  readonly graphiql: boolean
  readonly hideSuggestions: boolean
  private readonly rules: readonly ValidationRule[]
  private readonly tooMuchIn: (document: DocumentNode) => GraphQLError | undefined

  constructor(
    private readonly schema: GraphQLSchema,
    options: GuardOptions & { readonly forwardCookie?: boolean | undefined },
  ) {
    const { production = false, trustedDocuments = new Map(), onlyTrusted = false, persistedQueries = true } = options
    if (onlyTrusted && trustedDocuments.size === 0) throw new Error('`onlyTrusted` needs `trustedDocuments`: nothing could be run without.')
    this.limits = limitsOf(options)
    this.bodyBytes = options.maxBodyBytes ?? 100_000
    this.cors = new Cors({ origins: options.corsOrigins ?? [], credentials: options.forwardCookie ?? false })
    this.persisted = new PersistedDocuments({ trusted: trustedDocuments, onlyTrusted, automatic: persistedQueries })
    this.graphiql = options.graphiql ?? !production
    this.hideSuggestions = !(options.suggestions ?? !production)
    this.rules = [
      ...specifiedRules,
      ...rulesOnParts(),
      ...((options.introspection ?? !production) ? [] : [NoSchemaIntrospectionCustomRule]),
    ]
    this.tooMuchIn = documentCheck(this.limits, schema)
  }

  /** The parameters of a request with the text of its document, which may be known by a hash. Throws what is wrong with them. */
  admit(params: GraphQLParams): GraphQLParams {
    const { limits } = this
    const error = valuesCheck('variables', params.variables, limits) ?? valuesCheck('extensions', params.extensions, limits)
    if (error) throw error
    return this.persisted.resolve(params)
  }

  /** What is wrong with a document, the limits first: what is too large is not looked at any further. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    const error = this.tooMuchIn(document)
    if (error) return [error]
    // One more error says that there are more.
    const options = { maxErrors: Math.max(1, this.limits.maxErrors - 1), hideSuggestions: this.hideSuggestions }
    return validate(this.schema, document, this.rules, options).map((each) => (each.message === ABORTED ? this.tooManyRepeats() : each))
  }

  /** Headers that every answer has besides its own. */
  headersFor(origin: string | null | undefined): Readonly<Record<string, string>> {
    const cors = this.cors.headersFor(origin)
    return cors === NO_HEADERS ? SECURITY_HEADERS : { ...SECURITY_HEADERS, ...cors }
  }

  private tooManyRepeats(): GraphQLError {
    return limitExceeded('The document repeats its fields too often to be checked', 'maxSelections', this.limits)
  }
}

/** What graphql-js says when it has compared fields of the same name for long enough. */
const ABORTED = 'Validation aborted.'
