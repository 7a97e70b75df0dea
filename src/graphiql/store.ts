/** A value that several parts of the page show, for `useSyncExternalStore`. */
export class Store<T> {
  private readonly listeners = new Set<() => void>()

  constructor(private value: T) {}

  readonly current = (): T => this.value

  readonly set = (value: T): void => {
    this.value = value
    for (const listener of this.listeners) listener()
  }

  /** Calls the listener after each change. Returns a function that ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}
