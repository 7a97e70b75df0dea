import { fingerprint } from './options/fingerprint.js'

/** A part of a gateway. */
interface Part {
  close?(): Promise<void> | void
}

interface Made {
  readonly name: string
  readonly key: string
  readonly needs: readonly unknown[]
  readonly part: object | undefined
}

/** The parts of a gateway, in the order in which they started. A part whose options and needs are those of the gateway before is taken over. */
export class Parts {
  private readonly made: Made[] = []

  constructor(private before?: Parts) {}

  /** Whether there is a gateway before, whose options were changed. */
  get isChange(): boolean {
    return this.before !== undefined
  }

  /** Creates a part, or takes it over. `settings` are the options that it is made from, and `needs` the other parts. */
  get<T extends object | undefined>(name: string, settings: unknown, needs: readonly unknown[], create: () => T): T {
    const key = fingerprint(settings)
    const former = this.before?.made.find((each) => each.name === name)
    const isSame = former?.key === key && former.needs.every((need, index) => need === needs[index])
    const part = isSame ? (former.part as T) : create()
    this.made.push({ name, key, needs, part })
    return part
  }

  /** Ends the creation of parts, and forgets those before. */
  complete(): void {
    this.before = undefined
  }

  /** Closes what `others` do not reuse: the part that started last first. Closes all of them, and then rejects with the first error. */
  async close(others?: Parts): Promise<void> {
    const errors: unknown[] = []
    for (const { part } of this.made.toReversed()) {
      if (others?.made.some((each) => each.part === part)) continue
      try {
        await (part as Part | undefined)?.close?.()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
