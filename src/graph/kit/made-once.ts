/** Any Pothos builder. The kit adds types and fields to the builder it is used with. */
export type Builder = PothosSchemaTypes.SchemaBuilder<any>

const made = new WeakMap<Builder, Map<string, object>>()

/** Returns the type with a name on a builder. Creates it on first use, since columns and lists share types such as `OrderDirection`. */
export function madeOnce<T extends object>(builder: Builder, name: string, make: () => T): T {
  let types = made.get(builder)
  if (!types) {
    types = new Map()
    made.set(builder, types)
  }
  let type = types.get(name)
  if (!type) {
    type = make()
    types.set(name, type)
  }
  return type as T
}
