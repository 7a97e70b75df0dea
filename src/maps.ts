/** Whether a value is an object other than an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value that a text of JSON stands for. Undefined for other texts. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether reading something, such as the text of a key, does not throw. */
export function works(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

interface MapLike<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** Returns the value of a key. Creates it on first use. */
export function getOrMake<K, V extends object | string>(map: MapLike<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
