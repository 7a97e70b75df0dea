const made = new Map<string, unknown>()

/** The GraphQL type of a name, made where it is first needed. */
export function once<T>(name: string, make: () => T): T {
  if (!made.has(name)) made.set(name, make())
  return made.get(name) as T
}
