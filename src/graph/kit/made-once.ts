import { getOrMake } from '../../upstream/maps.js'

/** Any Pothos builder. The kit adds types and fields to the builder it is used with. */
export type Builder = PothosSchemaTypes.SchemaBuilder<any>

const made = new WeakMap<Builder, Map<string, object>>()

/** Returns the type with a name on a builder. Creates it on first use, since columns and lists share types such as `OrderDirection`. */
export const madeOnce = <T extends object>(builder: Builder, name: string, make: () => T): T =>
  getOrMake<string, object>(
    getOrMake(made, builder, () => new Map()),
    name,
    make,
  ) as T
