/** Numbers that all results together may have. */
const CAPACITY = 4_000_000

/** Results of queries by key, as long as the data stay as they are; the least recently used go first. */
export class ResultCache {
  readonly #results = new Map<string, readonly number[]>()
  /** Numbers of all results, with the characters of their keys. */
  #size = 0
  #state = ''

  /** The result under a key, read where it is not there. `state` is another text after each change of the data. */
  get(key: string, state: string, read: () => readonly number[]): readonly number[] {
    if (state !== this.#state) this.#clear(state)
    const known = this.#results.get(key)
    if (known) {
      this.#results.delete(key)
      this.#results.set(key, known)
      return known
    }
    const result = read()
    this.#results.set(key, result)
    this.#size += result.length + key.length
    this.#evict()
    return result
  }

  #clear(state: string): void {
    this.#results.clear()
    this.#size = 0
    this.#state = state
  }

  #evict(): void {
    for (const [key, { length }] of this.#results) {
      if (this.#size <= CAPACITY) return
      this.#results.delete(key)
      this.#size -= length + key.length
    }
  }
}
