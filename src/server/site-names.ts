import { type GraphQLSchema, isObjectType } from 'graphql'
import { getOrMake } from '../maps.js'
import { marksOf } from '../model/marks.js'
import { didYouMean, nearestName } from '../nearest-name.js'
import type { Columns } from '../upstream/codec/columns.js'
import type { ListRoute } from '../upstream/routes.js'
import type { Site } from '../upstream/site/site.js'

/** The lists of a site that name parts of the graph and of the interface. */
export type NameLists = Pick<
  Site,
  'unfilteredRoutes' | 'viewOnly' | 'unbatched' | 'ignoredFilters' | 'droppedFilters' | 'missingColumns' | 'unusableColumns'
>

/** A name in the description of a site that the graph does not know. */
export interface UnknownName {
  /** The property of the site that has it. */
  readonly property: keyof NameLists
  /** The name, why it is wrong, and what it could be instead: the end of a sentence. */
  readonly found: string
}

/** Query parameters of batches by id, which need not be filters. */
const BY_ID = ['include', 'exclude']

/** The names that a graph knows. */
class KnownNames {
  /** Paths of routes that are read. */
  readonly routes = new Set<string>()
  /** Query parameters by the path of a list. */
  readonly filters = new Map<string, Set<string>>()
  /** Columns by the name of their shape. */
  readonly columns = new Map<string, Set<string>>()
  /** Types whose records can be read by `include`. */
  readonly batched = new Set<string>()

  constructor(schema: GraphQLSchema) {
    for (const type of Object.values(schema.getTypeMap())) {
      const { shape, entity } = marksOf(type)
      if (shape) this.addColumns(shape.name, shape.columns)
      if (entity?.byKey) {
        const { one, many, table } = entity.byKey
        this.routes.add(one.path)
        if (many) this.addList(many.route, BY_ID)
        if (table) this.addList(table)
        if (many) this.batched.add(entity.name)
      }
      if (!isObjectType(type)) continue
      for (const field of Object.values(type.getFields())) {
        const { edge } = marksOf(field)
        if (edge?.kind !== 'list') continue
        this.addList(edge.route)
        this.addColumns(edge.shape.name, edge.shape.columns)
      }
    }
  }

  private addList({ path, filters }: ListRoute, more: readonly string[] = []): void {
    this.routes.add(path)
    const params = getOrMake(this.filters, path, () => new Set())
    for (const { param, notIn } of Object.values(filters)) for (const name of [param, notIn]) if (name !== undefined) params.add(name)
    for (const name of more) params.add(name)
  }

  private addColumns(shape: string, columns: Columns): void {
    const names = getOrMake(this.columns, shape, () => new Set())
    for (const [name, { members }] of Object.entries(columns)) {
      names.add(name)
      if (members) this.addColumns(members.name, members.columns)
    }
  }
}

const quoted = (names: Iterable<string>): string => [...names].map((name) => `\`${name}\``).join(', ')

/** Complains about a name: what it is not, and the nearest name or all of them. */
function complaint(given: string, what: string, names: Iterable<string>, all = `${what}s are`): string | undefined {
  const known = [...names]
  if (known.includes(given)) return undefined
  return `\`${given}\`, which is not a ${what}${didYouMean(given, known, `; ${all} ${quoted(known)}.`)}`
}

/** Complains about a filter: a route and a parameter. */
function aboutFilter(given: string, { filters }: KnownNames): string | undefined {
  const [path = '', param = ''] = given.split(' ')
  const params = filters.get(path)
  if (params?.has(param)) return undefined
  const all = [...filters].flatMap(([route, names]) => [...names].map((name) => `${route} ${name}`))
  // A wrong parameter of a known route is compared with those of that route only.
  const near = params ? nearestName(param, [...params]) : nearestName(given, all)
  const instead = near === undefined ? undefined : `did you mean \`${params ? `${path} ${near}` : near}\`?`
  const listed = params?.size
    ? `filters of \`${path}\` are ${quoted(params)}.`
    : `routes with filters are ${quoted([...filters].filter(([, names]) => names.size > 0).map(([route]) => route))}.`
  return `\`${given}\`, which is not a filter of a list; ${instead ?? listed}`
}

/** Complains about a column: a type and its name. */
function aboutColumn(given: string, { columns }: KnownNames): string | undefined {
  const [type = '', name = ''] = given.split('.')
  const known = columns.get(type)
  if (known?.has(name)) return undefined
  const near = known ? nearestName(name, [...known]) : nearestName(type, [...columns.keys()])
  const listed = known ? `columns of \`${type}\` are ${quoted(known)}.` : `types with columns are ${quoted(columns.keys())}.`
  const instead = near === undefined ? listed : `did you mean \`${known ? `${type}.${near}` : `${near}.${name}`}\`?`
  return `\`${given}\`, which is not a column; ${instead}`
}

/** The names in the description of a site that the graph does not know. A misspelled one would have no effect. */
export function unknownNames(schema: GraphQLSchema, site: NameLists): readonly UnknownName[] {
  const known = new KnownNames(schema)
  const found: Readonly<Record<keyof NameLists, readonly (string | undefined)[]>> = {
    unfilteredRoutes: site.unfilteredRoutes.map((path) => complaint(path, 'route', known.routes)),
    viewOnly: site.viewOnly.map((name) => complaint(name, 'type with columns', known.columns.keys(), 'types with columns are')),
    unbatched: site.unbatched.map((name) => complaint(name, 'type that is read by `include`', known.batched, 'these types are:')),
    ignoredFilters: site.ignoredFilters.map((filter) => aboutFilter(filter, known)),
    droppedFilters: site.droppedFilters.map((filter) => aboutFilter(filter, known)),
    missingColumns: site.missingColumns.map((column) => aboutColumn(column, known)),
    unusableColumns: site.unusableColumns.map((column) => aboutColumn(column, known)),
  }
  return Object.entries(found).flatMap(([property, texts]) =>
    texts.flatMap((text) => (text === undefined ? [] : [{ property: property as keyof NameLists, found: text }])),
  )
}
