import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isObject } from '../../maps.js'
import { unreadableFile } from '../../options/files.js'
import { OptionsError, type ReadOptions } from '../../options/program.js'
import { requestError } from '../errors.js'

/** The digits of a hash, without the name of the algorithm that some tools prepend. */
const plainHash = (name: string): string => name.replace(/^sha256:/, '')

/**
 * Reads a manifest of trusted documents: an object with texts by hash, as GraphQL Code Generator and Relay write it, or the format of Apollo,
 * with `operations` that have `id` and `body`. Throws an `Error` for operators.
 */
export function readTrustedDocuments(json: string): ReadonlyMap<string, string> {
  const manifest = parsed(json)
  if (!isObject(manifest)) throw new Error('It must be an object with documents by hash.')
  const entries = Array.isArray(manifest.operations) ? manifest.operations.map(entryOf) : Object.entries(manifest)
  const documents = new Map<string, string>()
  for (const [name, text] of entries) {
    if (typeof name !== 'string' || name === '' || typeof text !== 'string' || text.trim() === '')
      throw new Error(`Each document must be a text with a name; \`${String(name).slice(0, 40)}\` is not.`)
    documents.set(plainHash(name), text)
  }
  if (documents.size === 0) throw new Error('It has no document.')
  return documents
}

/** The trusted documents of the options. Throws an `OptionsError` when their file cannot be used. */
export function documentsOf({ options, named }: ReadOptions): ReadonlyMap<string, string> {
  const { trustedDocuments: given = new Map<string, string>() } = options.http
  if (typeof given !== 'string') return given
  const name = named('http.trustedDocuments') as string
  let text: string
  try {
    text = readFileSync(given, 'utf8')
  } catch (error) {
    throw new OptionsError([unreadableFile(name, given, error)])
  }
  try {
    return readTrustedDocuments(text)
  } catch (error) {
    throw new OptionsError([`The file \`${given}\` that ${name} names cannot be used. ${(error as Error).message}`])
  }
}

const entryOf = (operation: unknown): [unknown, unknown] => (isObject(operation) ? [operation.id, operation.body] : [operation, undefined])

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Error('It is not JSON.')
  }
}

export interface PersistedOptions {
  /** Texts of documents by name; tools use the hexadecimal SHA-256 of the text. */
  readonly trusted: ReadonlyMap<string, string>
  /** Whether other documents are refused. */
  readonly onlyTrusted: boolean
}

const MAX_ENTRIES = 1_000
const MAX_BYTES = 10_000_000
/** Bytes of a character of a text with any character outside of Latin-1. */
const PER_CHARACTER = 2

/**
 * Finds documents by hash, and stores documents that clients send together with their hash ("automatic persisted queries" of Apollo). They stay in the memory of the process: everybody
 * may send them, so they must not take the place of anything that gateways share.
 */
export class PersistedDocuments {
  private readonly trustedTexts: ReadonlySet<string>
  private readonly stored = new LRUCache<string, string>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: (text, name) => PER_CHARACTER * text.length + name.length,
  })
  /** Hashes under which the documents of running requests will be stored. */
  private readonly names = new WeakMap<GraphQLParams, string>()

  constructor(private readonly options: PersistedOptions) {
    this.trustedTexts = new Set(options.trusted.values())
  }

  /**
   * The parameters of a request with the text of its document in place of the hash. Throws `GraphQLError` for an unknown hash, for a hash that
   * does not match the text, and for a document that is not trusted when only those may run.
   */
  resolve(params: GraphQLParams): GraphQLParams {
    if (params.extensions == null && !this.options.onlyTrusted) return params
    const { persistedQuery, ...extensions } = isObject(params.extensions) ? params.extensions : {}
    const found = persistedQuery === undefined ? params : this.named(params, persistedQuery, extensions)
    if (this.options.onlyTrusted && typeof found.query === 'string' && !this.isTrusted(found.query)) throw notTrusted()
    return found
  }

  /** Whether a document is one of the trusted ones. */
  isTrusted(text: string): boolean {
    return this.trustedTexts.has(text)
  }

  /** Stores the document of a request that came with its hash. Call it after all checks. */
  keep(params: GraphQLParams): void {
    const name = this.names.get(params)
    if (name !== undefined) this.stored.set(name, params.query as string)
  }

  private named(params: GraphQLParams, asked: unknown, extensions: Readonly<Record<string, unknown>>): GraphQLParams {
    const { trusted, onlyTrusted } = this.options
    const name = nameIn(asked)
    const known = trusted.get(name) ?? this.stored.get(name)
    const { query = known, extensions: _, ...others } = params
    if (query === undefined || query === null) throw onlyTrusted ? notTrusted() : notFound()
    if (query !== known && sha256(String(query)) !== name)
      throw requestError(400, '`extensions.persistedQuery.sha256Hash` is not the hash of `query`.')
    const found: GraphQLParams = { ...others, query, ...(Object.keys(extensions).length > 0 && { extensions }) }
    if (query !== known) this.names.set(found, name)
    return found
  }
}

const sha256 = (text: string): string => hash('sha256', text)

function nameIn(asked: unknown): string {
  const { version, sha256Hash } = isObject(asked) ? asked : {}
  if (version !== 1) throw requestError(400, '`extensions.persistedQuery.version` must be 1.')
  if (typeof sha256Hash === 'string' && /^[\w:.-]{1,200}$/.test(sha256Hash)) return plainHash(sha256Hash)
  throw requestError(400, '`extensions.persistedQuery.sha256Hash` must be the SHA-256 of `query`, in hexadecimal digits.')
}

const refusal = (message: string, extensions: { readonly code: string }): GraphQLError =>
  new GraphQLError(message, { extensions: { ...extensions, http: { status: 400, spec: true } } })

// Apollo clients recognise this error by its message.
const notFound = (): GraphQLError => refusal('PersistedQueryNotFound', { code: 'PERSISTED_QUERY_NOT_FOUND' })
const notTrusted = (): GraphQLError =>
  refusal('This gateway runs trusted documents only, and this document is not trusted.', { code: 'DOCUMENT_NOT_TRUSTED' })
