import { EventEmitter } from 'node:events'
import { isObject } from '../maps.js'
import type { Row } from '../upstream/client.js'
import { type Column, type Enumeration, UNKNOWN } from '../upstream/codec/columns.js'
import { Projections, type RepairEvents, Shape, wireAt } from '../upstream/codec/records.js'
import { type Site, wireName } from '../upstream/site/site.js'
import { EXTRAS, type Resource } from './resources.js'
import type { Survey } from './survey.js'

/** The values of an enumeration in the samples, and the values that the graph does not have. */
export interface SeenWords {
  readonly field: string
  readonly words: readonly string[]
  readonly unknown: readonly string[]
}

/** Columns of a resource by their wire names on the site. Columns with the same wire name are merged. */
function wiresOf({ shape }: Resource, site: Site, editOnly: boolean): Map<string, Column> {
  const columns = Object.values(shape.columns).filter((column) => editOnly || !column.editOnly)
  return new Map(columns.map((column) => [wireName(site, column.wire), column]))
}

/** The wire names of columns that the graph uses on the site. */
function usedWires({ name, shape }: Resource, site: Site, wires: ReadonlyMap<string, Column>): Set<string> {
  const unusable = new Set(
    Object.entries(shape.columns).flatMap(([column, each]) => (site.unusableColumns.includes(`${name}.${column}`) ? each : [])),
  )
  return new Set([...wires].flatMap(([wire, column]) => (unusable.has(column) ? [] : wire)))
}

/** Wire names that no row has. */
const absentIn = (rows: readonly Row[], wires: Iterable<string>): string[] =>
  rows.length === 0 ? [] : [...wires].filter((wire) => rows.every((row) => wireAt(row, wire) === undefined))

/** Wire names of the graph that no row has, that only lists lack, and that only single records lack. */
export function absences(survey: Survey, resource: Resource): { nowhere: string[]; inLists: string[]; inSingles: string[] } {
  const { list, one, edit } = survey.samples.get(resource) ?? { list: [], one: [], edit: false }
  const { site } = survey
  const inList = absentIn(list, usedWires(resource, site, wiresOf(resource, site, false)))
  const inOne = absentIn(one, usedWires(resource, site, wiresOf(resource, site, edit)))
  const [ofList, ofOne] = [new Set(inList), new Set(inOne)]
  const editOnly = (wire: string): boolean => !wiresOf(resource, site, false).has(wire)
  const nowhere = (wire: string): boolean =>
    (list.length === 0 || ofList.has(wire) || editOnly(wire)) && (one.length === 0 || ofOne.has(wire))
  return {
    nowhere: [...new Set([...inList, ...inOne])].filter(nowhere),
    inLists: inList.filter((wire) => !nowhere(wire)),
    inSingles: inOne.filter((wire) => !nowhere(wire)),
  }
}

/** Wire names of columns with values that cannot be decoded, each with the type of the value. */
export function unreadable(survey: Survey, resource: Resource): Map<string, string> {
  const { shape } = resource
  const found = new Map<string, string>()
  for (const row of survey.rowsOf(resource)) {
    const events = new EventEmitter<RepairEvents>()
    events.on('repair', (of, name) => {
      const inside = of !== shape.name
      const holder = Object.values(shape.columns).find(({ members }) => members?.name === of)
      const column = (inside ? holder?.members?.columns : shape.columns)?.[name]
      const wire = wireName(survey.site, column?.wire ?? holder?.wire ?? name)
      if (inside) found.set(`${holder?.wire}: ${wire}`, 'a value of another type')
      else found.set(wire, typeOf(wireAt(row, wire)))
    })
    new Projections(survey.site, events).of(shape, shape.set(shape.names), []).decode(row, {})
  }
  return found
}

/** Describes the type of a value, not the value, which may be private. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null || value === undefined) return 'nothing'
  return { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' }[typeof value as string] ?? typeof value
}

/** The values of each enumeration of a resource. */
export function wordsSeen(survey: Survey, { shape }: Resource, rows: readonly Row[]): SeenWords[] {
  return Object.entries(shape.columns).flatMap(([field, column]) => {
    const values = column.values as Enumeration | undefined
    if (!values) return []
    const raw = rows
      .map((row) => wireAt(row, wireName(survey.site, column.wire)))
      .filter((value) => typeof value !== 'object' && value !== undefined)
    const words = [...new Set(raw.map(String))].filter((word) => word !== '')
    const unknown = [...new Set(raw.filter((value) => column.decode(value) === UNKNOWN).map(String))]
    return words.length === 0 ? [] : [{ field: `${shape.name}.${field}`, words, unknown }]
  })
}

/** Names of fields that the graph does not read. */
export function extras(survey: Survey, resource: Resource): string[] {
  const besides = Object.values(resource.shape.columns).flatMap(({ beside }) => (beside ? wireName(survey.site, beside.wire) : []))
  const known = new Set([...wiresOf(resource, survey.site, true).keys(), ...besides].map((wire) => wire.split('.')[0]))
  const names = survey.rowsOf(resource).flatMap((row) => Object.keys(row))
  return [...new Set(names)].filter((name) => !known.has(name) && !EXTRAS.has(name)).map((name) => name.slice(0, 60))
}

/** Wire names of columns of nested records that none of them has. */
export function absentInside(survey: Survey, resource: Resource): string[] {
  return Object.values(resource.shape.columns).flatMap(({ wire, members }) => {
    if (!members) return []
    const rows = survey.rowsOf(resource).flatMap((row) => (Array.isArray(row[wire]) ? (row[wire] as unknown[]).filter(isObject) : []))
    const inside = { ...resource, shape: new Shape(members.name, members.columns) }
    return absentIn(rows, wiresOf(inside, survey.site, true).keys()).map((member) => `${wire}: ${member}`)
  })
}
