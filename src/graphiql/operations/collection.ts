import type { ShownOperation } from '../../operations/trusted.js'
import { Store } from '../store.js'

/** A saved operation as the server sends it. */
export type SavedOperation = ShownOperation

/** The kind of ids that a caller has to choose: no list has these records, or the operation changes them. */
export const CHOOSE = 'choose'

interface Contents {
  readonly operations: readonly SavedOperation[]
  /** Why the last read failed; an empty text when it did not. */
  readonly problem: string
}

/** The saved operations. A read that fails or finds nothing new keeps those of the read before it. */
export class Collection extends Store<Contents> {
  private text = ''
  /** Documents that were saved at earlier reads, and are not any more. */
  readonly replaced = new Set<string | null>()

  constructor(private readonly request: () => Promise<Response>) {
    super({ operations: [], problem: '' })
  }

  /** Reads the operations again. */
  readonly read = async (): Promise<void> => {
    try {
      const text = await (await this.request()).text()
      const { operations, problem } = this.current()
      if (text === this.text && problem === '') return
      const read: Contents['operations'] = JSON.parse(text).operations
      for (const { query } of operations) this.replaced.add(query)
      for (const { query } of read) this.replaced.delete(query)
      this.text = text
      this.set({ operations: read, problem: '' })
    } catch (error) {
      this.set({ ...this.current(), problem: error instanceof Error ? error.message : String(error) })
    }
  }

  /** The saved operation that a document is, maybe changed. */
  find(query: string | null): SavedOperation | undefined {
    const found = nameIn(query)
    return this.current().operations.find(({ name }) => name === found)
  }
}

/** The name of the first operation of a document, which may have errors. */
export const nameIn = (query: string | null): string | undefined =>
  /^[ \t]*(?:query|mutation|subscription)\s+(\w+)\s*[({@]/m.exec(query ?? '')?.[1]
