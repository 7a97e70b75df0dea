/** Lets some requests be worked on at a time; the others wait in the order they came. */
export class Workers {
  /** How many at a time; 0 is all of them. */
  #limit = 0
  #busy = 0
  readonly #waiting: (() => void)[] = []

  set limit(limit: number) {
    this.#limit = limit
    this.#wake()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isFree) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#busy++
    try {
      return await work()
    } finally {
      this.#busy--
      this.#wake()
    }
  }

  get #isFree(): boolean {
    return this.#limit === 0 || this.#busy < this.#limit
  }

  /** Who is woken is busy from that moment, so that nobody who comes meanwhile gets before them. */
  #wake(): void {
    while (this.#waiting.length && this.#isFree) {
      this.#busy++
      this.#waiting.shift()!()
    }
  }
}
