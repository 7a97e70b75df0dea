/** A source of numbers that always gives the same ones for the same start (mulberry32). */
export class Random {
  #state: number

  constructor(start: number) {
    this.#state = start >>> 0
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!
  }

  /** Different members of a list, in its order. */
  some<T>(list: readonly T[], count: number): T[] {
    let missing = Math.min(count, list.length)
    return list.filter((_, index) => {
      const taken = this.next() * (list.length - index) < missing
      if (taken) missing--
      return taken
    })
  }
}
