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

  constructor(private readonly before?: Parts) {}

  /** Creates a part, or takes it over. `settings` are the options that it is made from, and `needs` the other parts. */
  get<T extends object | undefined>(name: string, settings: unknown, needs: readonly unknown[], create: () => T): T {
    const key = fingerprint(settings)
    const former = this.before?.made.find((each) => each.name === name)
    const isSame = former?.key === key && former.needs.every((need, index) => need === needs[index])
    const part = isSame ? (former.part as T) : create()
    this.made.push({ name, key, needs, part })
    return part
  }

  /** Closes what other parts have not taken over: the part that started last first. */
  async close(others?: Parts): Promise<void> {
    for (const { part } of this.made.toReversed())
      if (!others?.made.some((each) => each.part === part)) await (part as Part | undefined)?.close?.()
  }
}
