/** Total size of all results and keys. */
const CAPACITY = 4_000_000

/** Caches results of queries until the data changes. The least recently used results are evicted first. */
export class ResultCache {
  readonly #results = new Map<string, readonly number[]>()
  /** Numbers in all results, plus characters of all keys. */
  #size = 0
  #state = ''

  /** The cached result of a key; `read` is called for a missing one. `state` must differ after each change of the data. */
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
