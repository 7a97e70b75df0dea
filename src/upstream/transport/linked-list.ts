/** An item of a chain. */
export interface Link<T> {
  before: T | undefined
  after: T | undefined
}

/** Items in the order in which they were added. Those that are taken out lead to nothing any more. */
export class LinkedList<T extends Link<T>> {
  first: T | undefined
  last: T | undefined

  add(item: T): void {
    item.before = this.last
    if (this.last) this.last.after = item
    else this.first = item
    this.last = item
  }

  delete(item: T): void {
    const { before, after } = item
    if (before) before.after = after
    else this.first = after
    if (after) after.before = before
    else this.last = before
    item.before = undefined
    item.after = undefined
  }
}
