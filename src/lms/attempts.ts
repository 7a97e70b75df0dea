/** Milliseconds in which attempts are counted. */
const WINDOW = 60_000

/** Wrong passwords of one client in that time. */
const MOST = 10

/** Clients that are remembered. */
const MAX_CLIENTS = 1000

/** Counts the wrong passwords of clients, by address, to slow down guessing. */
export class Attempts {
  readonly #clients = new Map<string, { count: number; readonly end: number }>()

  /** Seconds until the client may try again; 0 when it may try now. */
  secondsLeft(client: string): number {
    const known = this.#clients.get(client)
    return known && known.count >= MOST ? Math.max(0, Math.ceil((known.end - Date.now()) / 1000)) : 0
  }

  /** Counts a wrong password. */
  add(client: string): void {
    const now = Date.now()
    const known = this.#clients.get(client)
    if (known && known.end > now) known.count++
    else {
      // Removed first, so that clients are in the order in which their time began.
      this.#clients.delete(client)
      this.#clients.set(client, { count: 1, end: now + WINDOW })
    }
    if (this.#clients.size > MAX_CLIENTS) this.#clients.delete(this.#clients.keys().next().value!)
  }
}
