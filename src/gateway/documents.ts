import type { DocumentNode } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isObject } from '../rest/errors.js'

const MAX_DOCUMENTS = 1_000
const MAX_TEXT = 20_000
/** What is made of a text takes up to two hundred times its room. */
const MAX_CHARACTERS = 500_000

/** Keeps what was made of a text: a bounded number of texts, and of characters, so that no flood of new ones can fill the memory. */
export class TextCache<T extends object> {
  private readonly kept = new LRUCache<string, T>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })

  get(text: string): T | undefined {
    return text.length > MAX_TEXT ? undefined : this.kept.get(text)
  }

  set(text: string, value: T): void {
    if (text.length <= MAX_TEXT) this.kept.set(text, value)
  }
}

/** Parsed documents by their text, and which of their operations have been run: those need no checks any more but of their variables. */
export class Documents extends TextCache<DocumentNode> {
  private readonly good = new WeakMap<DocumentNode, Set<string | null | undefined>>()

  /** Notes that an operation has come through all checks. */
  ran(document: DocumentNode, operationName: string | null | undefined): void {
    const names = this.good.get(document)
    if (names) names.add(operationName)
    else this.good.set(document, new Set([operationName]))
  }

  /** The document of a request that asks for nothing but an operation known to be good. */
  find(params: GraphQLParams): DocumentNode | undefined {
    const { query, variables, operationName, ...others } = params
    if (typeof query !== 'string' || (variables != null && !isObject(variables)) || Object.keys(others).length > 0) return undefined
    const document = this.get(query)
    return document && this.good.get(document)?.has(operationName) ? document : undefined
  }
}
