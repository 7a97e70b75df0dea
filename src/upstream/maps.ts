interface MapLike<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value of a key, made where it is first asked for. */
export function getOrMake<K, V extends object>(map: MapLike<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
