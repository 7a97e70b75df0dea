/** Where a part of the gateway reports what happens. `Events` has the arguments of the listeners of each channel that the part reports to. */
export interface Emitter<Events extends Record<keyof Events, unknown[]>> {
  /** Calls the listeners of a channel, in the order of their subscriptions. Throws what a listener throws. */
  emit<Name extends keyof Events>(name: Name, ...event: Events[Name]): boolean
  listenerCount(name: keyof Events): number
}

export interface FaultEvents {
  /** An exception of the gateway itself, with the id of its request when it is known. */
  readonly fault: [fault: unknown, requestId?: string]
}
