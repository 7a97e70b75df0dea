import { readVersion } from './options.js'

/** The uses of directives on a part of the schema: their arguments, by the name of the directive. */
export type Directives = Readonly<Record<string, readonly object[]>>

/** The first minor versions of the specification with a directive, where that is later than 2.3. */
const SINCE: Readonly<Record<string, number>> = { authenticated: 5, cost: 9, listSize: 9 }

/** Whether a version of the specification has a directive. */
export const hasDirective = (version: string, name: string): boolean => (readVersion(version) ?? 0) >= (SINCE[name] ?? 0)

/** The link to the specification that a subgraph with these directives needs. */
export const linkOf = (version: string, names: ReadonlySet<string>): object => ({
  url: `https://specs.apollo.dev/federation/v${version}`,
  import: [...names].sort().map((name) => `@${name}`),
})
