import type { LmsError } from '../errors.js'
import type { CallWatcher } from '../session.js'
import type { Cancellable, Deadline } from './deadline.js'

/** One call and all who wait for it. One who goes away ends only their own wait; the call itself ends with its last user. */
export abstract class SharedCall<T> {
  /** Whether everybody has gone away. */
  protected abandoned = false
  private readonly users = new Set<User<T>>()
  /** Whoever is to be told how it goes over the wire. */
  protected watchers: CallWatcher[] | undefined

  /** Waits for the answer, as long as `deadline` lasts. */
  join(deadline: Deadline | undefined, watcher?: CallWatcher): Promise<T> {
    if (watcher) {
      this.watchers ??= []
      this.watchers.push(watcher)
    }
    return new Promise((resolve, reject) => {
      const user = new User(resolve, reject, deadline, this)
      this.users.add(user)
      deadline?.add(user)
    })
  }

  /** When the time of the last user is up. */
  protected get endsAt(): number {
    let last = 0
    for (const { deadline } of this.users) last = Math.max(last, deadline?.endsAt ?? Infinity)
    return last
  }

  leave(user: User<T>, reason: LmsError): void {
    this.users.delete(user)
    user.reject(this.farewell(reason))
    if (this.users.size > 0) return
    this.abandoned = true
    this.onEnd()
    this.onAbandon()
  }

  /** Nobody may join any more; told once. */
  protected abstract onEnd(): void
  /** The last user has gone. */
  protected abstract onAbandon(): void
  /** What a user is told who goes away for a reason. */
  protected abstract farewell(reason: LmsError): LmsError

  protected resolve(value: T): void {
    for (const user of this.settle()) user.resolve(value)
  }

  protected reject(error: LmsError): void {
    for (const user of this.settle()) user.reject(error)
  }

  private settle(): Iterable<User<T>> {
    if (!this.abandoned) this.onEnd()
    const users = [...this.users]
    this.users.clear()
    for (const user of users) user.deadline?.delete(user)
    return users
  }
}

class User<T> implements Cancellable {
  constructor(
    readonly resolve: (value: T) => void,
    readonly reject: (error: LmsError) => void,
    readonly deadline: Deadline | undefined,
    private readonly call: SharedCall<T>,
  ) {}

  leave(reason: LmsError): void {
    this.call.leave(this, reason)
  }
}
