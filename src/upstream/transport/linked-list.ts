/** An item of a linked list. */
export interface Link<T> {
  previous?: T | undefined
  next?: T | undefined
}

/** A doubly linked list. Removed items keep no references. */
export class LinkedList<T extends Link<T>> {
  first: T | undefined
  last: T | undefined

  add(item: T): void {
    item.previous = this.last
    if (this.last) this.last.next = item
    else this.first = item
    this.last = item
  }

  delete(item: T): void {
    const { previous, next } = item
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.last = previous
    item.previous = undefined
    item.next = undefined
  }
}
