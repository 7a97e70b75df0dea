/** A mean that forgets: of the last few dozen values mostly. */
export class Mean {
  value = 0
  private count = 0

  add(value: number): void {
    if (this.count < MEMORY) this.count++
    this.value += (value - this.value) / this.count
  }
}

const MEMORY = 64

/** What comes of so many: a share of them, which differs with their number. Kept by powers of two. */
class Curve {
  private readonly means: Mean[] = []

  add(of: number, result: number): void {
    if (of < 1) return
    const place = Math.round(Math.log2(of))
    this.means[place] ??= new Mean()
    this.means[place].add(result / of)
  }

  /** As many as there are while nothing is known. */
  at(of: number): number {
    const place = of <= 1 ? 0 : Math.log2(of)
    const below = this.nearest(Math.floor(place), -1)
    const above = this.nearest(Math.floor(place) + 1, 1)
    if (below === undefined || above === undefined) return of * this.share(below ?? above)
    const [low, high] = [this.share(below), this.share(above)]
    return of * (low + ((high - low) * (place - below)) / (above - below))
  }

  private share(place: number | undefined): number {
    return place === undefined ? 1 : (this.means[place] as Mean).value
  }

  private nearest(place: number, step: 1 | -1): number | undefined {
    for (let at = place; at >= 0 && (step < 0 || at < this.means.length); at += step) if (this.means[at]) return at
    return undefined
  }
}

/** How many come of so many, and whether any. */
export class Tally {
  readonly count = new Curve()
  /** As many as there were, or none. */
  readonly any = new Curve()

  add(of: number, result: number): void {
    this.count.add(of, result)
    this.any.add(of, result > 0 ? of : 0)
  }
}

/** How long lists are: the share of each length, by steps of about a third. */
export class Lengths {
  private readonly buckets: { readonly place: number; share: number; readonly mean: Mean }[] = []

  get known(): boolean {
    return this.buckets.length > 0
  }

  add(length: number): void {
    const place = length < 1 ? 0 : 1 + Math.round(3 * Math.log2(length))
    for (const bucket of this.buckets) bucket.share *= 1 - 1 / MEMORY
    let bucket = this.buckets.find((each) => each.place === place)
    if (!bucket) {
      const rare = this.buckets.findIndex(({ share }) => share < LEAST_SHARE)
      if (rare >= 0) this.buckets.splice(rare, 1)
      bucket = { place, share: 0, mean: new Mean() }
      this.buckets.push(bucket)
    }
    bucket.share++
    bucket.mean.add(length)
  }

  /** Each length, with its share of all of them. */
  each(visit: (length: number, share: number) => void): void {
    let all = 0
    for (const { share } of this.buckets) all += share
    for (const { share, mean } of this.buckets) visit(mean.value, share / all)
  }
}

const LEAST_SHARE = 1e-2
