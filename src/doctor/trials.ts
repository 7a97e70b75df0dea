import type { Query, Row } from '../upstream/client.js'
import { wireAt } from '../upstream/codec/records.js'
import type { Filter } from '../upstream/filters.js'
import type { ListRoute } from '../upstream/routes.js'
import { type Site, wireName } from '../upstream/site/site.js'
import { UNKNOWN_ID } from './survey.js'

/**
 * A query that tests a filter. `keeps` returns whether the filter must keep a row, or undefined when that is unknown.
 */
export interface Trial {
  readonly query: Query
  readonly keeps: (row: Row) => boolean | undefined
}

/** A query parameter of a filter, and whether it excludes the values. */
export interface Parameter {
  /** Name in `where`, such as `parent` and `parent.notIn`. */
  readonly name: string
  readonly param: string
  readonly filter: Filter
  readonly excludes: boolean
}

/** The query parameters of all filters of a list. */
export const parametersOf = ({ filters }: ListRoute): Parameter[] =>
  Object.entries(filters).flatMap(([name, filter]) => [
    { name, param: filter.param, filter, excludes: false },
    ...(filter.notIn === undefined ? [] : [{ name: `${name}.notIn`, param: filter.notIn, filter, excludes: true }]),
  ])

type QueryFor = (value: string | number) => Query

/** How a kind of filter is tested. */
interface Rule {
  /** Field, as named in the specification, that decides whether the filter keeps a row. */
  readonly field: string
  /** Trials with a value that some rows have and others do not; empty when there is no such value. */
  readonly decisive: (rows: readonly Row[], queryFor: QueryFor, site: Site) => readonly Trial[]
  /** Trials with a value that no row has and, if possible, with a value of a row. */
  readonly fallback: (rows: readonly Row[], queryFor: QueryFor, site: Site) => readonly Trial[]
}

const DAY = 86_400_000
const millisecondsOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(`${value}Z`) : Number.NaN)
const dateText = (time: number): string => new Date(time).toISOString().slice(0, 19)

/** The trial for the first value that keeps some rows and excludes others. */
function decisive<T>(rows: readonly Row[], values: readonly T[], trialOf: (value: T) => Trial): Trial[] {
  for (const value of new Set(values)) {
    const trial = trialOf(value)
    const kept = rows.map(trial.keeps)
    if (kept.includes(true) && kept.includes(false)) return [trial]
  }
  return []
}

const isValue = (value: unknown): value is string | number =>
  (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '')
const valuesIn = (raw: unknown): (string | number)[] => (Array.isArray(raw) ? raw : [raw]).filter(isValue)

/** A filter by the values of a field, which has one value or a list. */
function byValue(field: string, excludes: boolean, absent: string | number = UNKNOWN_ID): Rule {
  const valuesAt = (row: Row, site: Site): (string | number)[] | undefined => {
    const raw = wireAt(row, wireName(site, field))
    return raw === undefined ? undefined : valuesIn(raw)
  }
  const trialOf = (value: string | number, queryFor: QueryFor, site: Site): Trial => ({
    query: queryFor(value),
    keeps: (row) => {
      const values = valuesAt(row, site)
      // A row without the field may have a value that is not shown.
      if (value !== absent && values === undefined) return undefined
      return (values ?? []).includes(value) !== excludes
    },
  })
  const valuesOf = (rows: readonly Row[], site: Site): (string | number)[] => rows.flatMap((row) => valuesAt(row, site) ?? [])
  return {
    field,
    decisive: (rows, queryFor, site) => decisive(rows, valuesOf(rows, site), (value) => trialOf(value, queryFor, site)),
    fallback: (rows, queryFor, site) => [absent, ...valuesOf(rows, site).slice(0, 1)].map((value) => trialOf(value, queryFor, site)),
  }
}

/** A filter by a date. Sites differ in time zones, so rows within a day of the date are not used. */
function byDate(field: string, isAfter: boolean): Rule {
  const trialOf = (moment: number, queryFor: QueryFor): Trial => ({
    query: queryFor(dateText(moment)),
    keeps: (row) => {
      const distance = (millisecondsOf(row[field]) - moment) * (isAfter ? 1 : -1)
      return Number.isNaN(distance) || Math.abs(distance) < DAY ? undefined : distance > 0
    },
  })
  return {
    field,
    decisive: (rows, queryFor) => {
      const times = rows.map((row) => millisecondsOf(row[field])).filter((time) => !Number.isNaN(time))
      const sorted = [...new Set(times)].sort((a, b) => a - b)
      const between = sorted.slice(1).map((time, index) => (time + (sorted[index] as number)) / 2)
      return decisive(rows, between, (moment) => trialOf(moment, queryFor))
    },
    fallback: (_, queryFor) => [Date.UTC(1980), Date.UTC(2199)].map((moment) => trialOf(moment, queryFor)),
  }
}

/** Sites always show published rows, so other statuses are tested first. */
const byStatus: Rule = {
  field: 'status',
  decisive: (rows, queryFor) =>
    decisive(
      rows,
      rows.map(({ status }) => status).filter((status): status is string => typeof status === 'string' && status !== PUBLISHED),
      (status) => ({ query: queryFor(status), keeps: (row) => row.status === status }),
    ),
  fallback: (_, queryFor) => [
    { query: queryFor('draft'), keeps: (row) => (row.status === PUBLISHED ? false : undefined) },
    { query: queryFor(PUBLISHED), keeps: (row) => (row.status === PUBLISHED ? true : undefined) },
  ],
}

const PUBLISHED = 'publish'

const wordsOf = (row: Row): string[] =>
  String(wireAt(row, 'title.rendered') ?? '')
    .replace(/&[^;\s]{1,20};|<[^<>]*>/g, ' ')
    .match(/[a-z]{4,}/gi) ?? []

/** Search uses more text than rows show. An invented word must exclude all rows; a word of a title must keep its row. */
const bySearch: Rule = {
  field: 'title.rendered',
  decisive: (rows, queryFor) => {
    const row = rows.find((other) => wordsOf(other).length > 0)
    const word = row && wordsOf(row).sort((a, b) => b.length - a.length)[0]
    if (word === undefined) return []
    return [
      { query: queryFor(INVENTED_WORD), keeps: () => false },
      { query: queryFor(word), keeps: (other) => (other === row ? true : undefined) },
    ]
  },
  fallback: (_, queryFor) => [{ query: queryFor(INVENTED_WORD), keeps: () => false }],
}

const INVENTED_WORD = 'qzxjvkwqpyhz'

/** The rule for a parameter; undefined for filters that only modify others. `key` is the field that identifies a row. */
export function ruleOf({ filter, param, excludes }: Parameter, key: string): Rule | undefined {
  if (filter.needs !== undefined) return undefined
  switch (filter.kind) {
    case 'ids':
      return byValue(filter.param === 'include' ? key : filter.param, excludes)
    case 'terms':
      return byValue(filter.param, excludes)
    case 'integer':
      return byValue(filter.param, false)
    case 'texts':
      return byValue(filter.param, false, INVENTED_WORD)
    case 'dateTime':
      return byDate(param.startsWith('modified') ? 'modified' : 'date', param.endsWith('after'))
    case 'enumerations':
      return param === 'status' ? byStatus : undefined
    case 'text':
      return bySearch
    default:
      return undefined
  }
}

/** The result of a trial. */
export interface Proof {
  /** Whether all rows that the filter must exclude were absent, or some of them present. */
  readonly excludedAll: boolean
  readonly includedExcluded: boolean
  /** Whether some rows that the filter must keep were present, or all of them absent. */
  readonly kept: boolean
  readonly lost: boolean
}

/** Compares the answer to a trial with the rows without the filter. */
export function proofOf({ keeps }: Trial, rows: readonly Row[], answer: readonly Row[], keyOf: (row: Row) => unknown): Proof {
  const present = new Set(answer.map(keyOf))
  const mustStay = rows.filter((row) => keeps(row) === true)
  const mustGo = rows.filter((row) => keeps(row) === false)
  const includedExcluded = mustGo.some((row) => present.has(keyOf(row)))
  const kept = mustStay.some((row) => present.has(keyOf(row)))
  return { includedExcluded, kept, excludedAll: mustGo.length > 0 && !includedExcluded, lost: mustStay.length > 0 && !kept }
}

/** A filter in the notation of settings. */
export const settingOf = ({ path }: ListRoute, param: string): string => `${path} ${param}`

/** Updates the list of a setting: adds filters with the result `found`, removes honoured ones, keeps the others. */
export function updatedSetting(
  before: readonly string[],
  proofs: readonly { readonly setting: string; readonly result: string }[],
  found: string,
): string[] {
  const honoured = new Set(proofs.filter(({ result }) => result === 'honoured').map(({ setting }) => setting))
  const added = proofs.filter(({ result }) => result === found).map(({ setting }) => setting)
  return [...new Set([...before.filter((setting) => !honoured.has(setting)), ...added])]
}
