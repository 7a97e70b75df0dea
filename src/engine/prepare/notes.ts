/** Something of which others keep what they make of it, by who they are. */
export interface Noted {
  notes?: Map<object, unknown> | undefined
}

/**
 * What is made of each of some things, kept with the thing itself and no longer. A `WeakMap` would do the same but for the collector: once
 * its table is old, its values live through young collections, and with them all they lead to, whether their keys are alive or not.
 */
export class Notes<K extends Noted, V> {
  get(thing: K): V | undefined {
    return thing.notes?.get(this) as V | undefined
  }

  set(thing: K, value: V): void {
    thing.notes ??= new Map()
    thing.notes.set(this, value)
  }
}
