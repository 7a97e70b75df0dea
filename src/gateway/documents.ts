import type { DocumentNode } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isObject } from '../rest/errors.js'

const MAX_DOCUMENTS = 1_000
const MAX_TEXT = 20_000
/** What is made of a text takes up to two hundred times its room. */
const MAX_CHARACTERS = 500_000

/**
 * Parsed documents by their text, and which of their operations have been run: those need no checks any more but of their variables. No
 * others are kept, so that a flood of wrong ones leaves nothing behind; a flood of good ones finds bounds.
 */
export class Documents {
  private readonly kept = new LRUCache<string, DocumentNode>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })
  private readonly good = new WeakMap<DocumentNode, Set<string | null | undefined>>()

  get(text: string): DocumentNode | undefined {
    return text.length > MAX_TEXT ? undefined : this.kept.get(text)
  }

  /** For Yoga, which has just parsed it: whether it is good is not known yet. */
  set(): void {}

  /** Notes that an operation has come through all checks. */
  ran(document: DocumentNode, operationName: string | null | undefined): void {
    const text = document.loc?.source.body
    if (text !== undefined && text.length <= MAX_TEXT && this.kept.get(text) !== document) this.kept.set(text, document)
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

/** For Yoga, which would keep what is wrong with texts: to find it again is quick, and each fault is told of by its own request. */
export const NO_ERRORS = { get: (): undefined => undefined, set: (): void => {} }
