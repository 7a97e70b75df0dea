import { getOrMake } from '../rest/maps.js'

const made = new Map<string, object>()

/** The GraphQL type of a name, made where it is first needed. */
export const once = <T extends object>(name: string, make: () => T): T => getOrMake(made, name, make) as T
