import { getOrMake } from '../../maps.js'

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

/** Returns the enum with a name on a builder. Creates it on first use. */
export const enumOnce = (
  builder: Builder,
  name: string,
  description: string,
  members: Readonly<Record<string, { readonly description: string }>>,
) =>
  madeOnce(builder, name, () => {
    const values = Object.entries(members).map(([member, { description }]) => [member, { description }])
    return builder.enumType(name, { description, values: Object.fromEntries(values) })
  })
