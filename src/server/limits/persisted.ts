import { hash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isObject } from '../../maps.js'
import { plainHash } from '../../operations/manifest.js'
import type { TrustedDocuments } from '../../operations/trusted.js'
import { requestError } from '../errors.js'

const MAX_ENTRIES = 1_000
const MAX_BYTES = 10_000_000
/** Bytes of a character of a text with any character outside of Latin-1. */
const PER_CHARACTER = 2

/** The parameters of a request, which may name a document as the appendix of GraphQL over HTTP says. */
type Params = GraphQLParams & { readonly documentId?: unknown }

/**
 * Finds documents by hash or name, and stores documents that clients send together with their hash ("automatic persisted queries" of Apollo). They stay in the memory of the process: everybody
 * may send them, so they must not take the place of anything that gateways share.
 */
export class PersistedDocuments {
  private readonly stored = new LRUCache<string, string>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: (text, name) => PER_CHARACTER * text.length + name.length,
  })
  /** Hashes under which the documents of running requests will be stored. */
  private readonly names = new WeakMap<GraphQLParams, string>()

  /** With `onlyTrusted`, other documents are refused. */
  constructor(
    private readonly trusted: Pick<TrustedDocuments, 'byName' | 'texts'>,
    private readonly onlyTrusted: boolean,
  ) {}

  /**
   * The parameters of a request with the text of its document in place of the hash or name. Throws `GraphQLError` for an unknown one, for one that
   * does not match the text, and for a document that is not trusted when only those may run.
   */
  resolve(params: Params): GraphQLParams {
    if (params.extensions == null && params.documentId == null && !this.onlyTrusted) return params
    const { persistedQuery, ...extensions } = isObject(params.extensions) ? params.extensions : {}
    const { documentId, ...others } = params
    const asked = documentId != null ? nameIn('documentId', documentId) : persistedQuery === undefined ? undefined : nameOf(persistedQuery)
    const found = asked === undefined ? params : this.named(others, asked, extensions)
    if (this.onlyTrusted && typeof found.query === 'string' && !this.trusted.texts.has(found.query)) throw notTrusted()
    return found
  }

  /** Stores the document of a request that came with its hash. Call it after all checks. */
  keep(params: GraphQLParams): void {
    const name = this.names.get(params)
    if (name !== undefined) this.stored.set(name, params.query as string)
  }

  private named(params: GraphQLParams, name: string, extensions: Readonly<Record<string, unknown>>): GraphQLParams {
    const known = this.trusted.byName.get(name) ?? this.stored.get(name)
    const { query: text, extensions: _, ...others } = params
    const query = text ?? known
    if (query === undefined) throw this.onlyTrusted ? notTrusted() : notFound()
    if (query !== known && hash('sha256', String(query)) !== name)
      throw requestError(400, 'The hash or name that the request gives is not that of `query`.')
    const found: GraphQLParams = { ...others, query, ...(Object.keys(extensions).length > 0 && { extensions }) }
    if (query !== known) this.names.set(found, name)
    return found
  }
}

function nameOf(persistedQuery: unknown): string {
  const { version, sha256Hash } = isObject(persistedQuery) ? persistedQuery : {}
  if (version !== 1) throw requestError(400, '`extensions.persistedQuery.version` must be 1.')
  return nameIn('extensions.persistedQuery.sha256Hash', sha256Hash)
}

function nameIn(from: string, given: unknown): string {
  if (typeof given === 'string' && /^[\w:.~-]{1,200}$/.test(given)) return plainHash(given)
  throw requestError(400, `\`${from}\` must be the SHA-256 of \`query\`, in hexadecimal digits, or the name of a trusted document.`)
}

const refusal = (message: string, extensions: { readonly code: string }): GraphQLError =>
  new GraphQLError(message, { extensions: { ...extensions, http: { status: 400, spec: true } } })

// Apollo clients recognise this error by its message.
const notFound = (): GraphQLError => refusal('PersistedQueryNotFound', { code: 'PERSISTED_QUERY_NOT_FOUND' })
const notTrusted = (): GraphQLError =>
  refusal('This gateway runs trusted documents only, and this document is not trusted.', { code: 'DOCUMENT_NOT_TRUSTED' })
