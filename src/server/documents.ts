import type { DocumentNode } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isObject } from '../upstream/errors.js'

const MAX_DOCUMENTS = 1_000
const MAX_TEXT = 20_000
/** What is made of a text takes up to two hundred times its room. */
const MAX_CHARACTERS = 500_000

const BOUNDS = { max: MAX_DOCUMENTS, maxSize: MAX_CHARACTERS, sizeCalculation: (_: unknown, text: string): number => text.length + 1 }

/**
 * Parsed documents by their text, and which of their operations have been run: those need no checks any more but of their variables. Kept
 * are those whose text has run before: a flood of wrong ones, or of such as nobody sends twice, leaves no documents behind and turns
 * none out; a flood of good ones finds bounds.
 */
export class Documents {
  private readonly kept = new LRUCache<string, DocumentNode>(BOUNDS)
  /** Texts that have run once so far. */
  private readonly once = new LRUCache<string, true>(BOUNDS)
  private readonly good = new WeakMap<DocumentNode, Set<string | null | undefined>>()

  get(text: string): DocumentNode | undefined {
    return text.length > MAX_TEXT ? undefined : this.kept.get(text)
  }

  /** For Yoga, which has just parsed it: whether it is good is not known yet. */
  set(): void {}

  /** Notes that an operation has come through all checks. */
  ran(document: DocumentNode, operationName: string | null | undefined): void {
    const text = document.loc?.source.body
    if (text === undefined || text.length > MAX_TEXT) return
    // Of several that came at once the first one is kept.
    const known = this.kept.get(text)
    if (known) return void this.good.get(known)?.add(operationName)
    if (!this.once.delete(text)) return void this.once.set(text, true)
    this.kept.set(text, document)
    this.good.set(document, new Set([operationName]))
  }

  /** Whether an operation of it has come through all checks. */
  isGood(document: DocumentNode): boolean {
    return this.good.has(document)
  }

  /** The document of a request that asks for nothing but an operation known to be good. */
  find(params: GraphQLParams): DocumentNode | undefined {
    const { query, variables, operationName, ...others } = params
    if (typeof query !== 'string' || (variables != null && !isObject(variables)) || Object.keys(others).length > 0) return undefined
    const document = this.get(query)
    return document && this.good.get(document)?.has(operationName) ? document : undefined
  }
}

/** A cache that never has anything. */
export const NOTHING_KEPT = { get: (): undefined => undefined, set: (): void => {} }
