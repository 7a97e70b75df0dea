import type { Query, Row } from '../upstream/client.js'
import type { Filter } from '../upstream/filters.js'
import type { ListRoute } from '../upstream/routes.js'
import { type Site, wireName } from '../upstream/site/site.js'
import { wireAt } from './seen.js'
import { NOBODY } from './survey.js'

/**
 * One query and what its answer proves: rows that `keeps` calls true must be in the answer, rows it calls false must not, and the rest
 * prove nothing.
 */
export interface Trial {
  readonly query: Query
  readonly keeps: (row: Row) => boolean | undefined
}

/** A query parameter of a list: the filter it belongs to, and whether it leaves out what it names. */
export interface Parameter {
  /** As `where` names it, such as `parent` and `parent.notIn`. */
  readonly name: string
  readonly param: string
  readonly filter: Filter
  readonly excludes: boolean
}

/** The query parameters by which a list can be narrowed on their own. */
export const parametersOf = ({ filters }: ListRoute): Parameter[] =>
  Object.entries(filters).flatMap(([name, filter]) => [
    { name, param: filter.param, filter, excludes: false },
    ...(filter.notIn === undefined ? [] : [{ name: `${name}.notIn`, param: filter.notIn, filter, excludes: true }]),
  ])

type QueryFor = (value: string | number) => Query

/** How a kind of filter is tried. */
interface Rule {
  /** Field of a row, as the specification names it, that tells whether the filter keeps the row. */
  readonly field: string
  /** Trials with a value that some of the rows have and others do not. None when there is no such value. */
  readonly telling: (rows: readonly Row[], queryFor: QueryFor, site: Site) => readonly Trial[]
  /** Trials with a value that no row has, and, where there is one, with a value that rows have. */
  readonly fallback: (rows: readonly Row[], queryFor: QueryFor, site: Site) => readonly Trial[]
}

const DAY = 86_400_000
const millisecondsOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(`${value}Z`) : Number.NaN)
const dateText = (time: number): string => new Date(time).toISOString().slice(0, 19)

/** The first value with which `trialOf` keeps some of the rows and leaves out others. */
function telling<T>(rows: readonly Row[], values: readonly T[], trialOf: (value: T) => Trial): Trial[] {
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

/** A filter by values of a field, which holds one or a list of them. */
function byValue(field: string, excludes: boolean, absent: string | number = NOBODY): Rule {
  const valuesAt = (row: Row, site: Site): (string | number)[] | undefined => {
    const raw = wireAt(row, wireName(site, field))
    return raw === undefined ? undefined : valuesIn(raw)
  }
  const trialOf = (value: string | number, queryFor: QueryFor, site: Site): Trial => ({
    query: queryFor(value),
    keeps: (row) => {
      const values = valuesAt(row, site)
      // A row without the field has no value, but may not show the one that it has.
      if (value !== absent && values === undefined) return undefined
      return (values ?? []).includes(value) !== excludes
    },
  })
  const valuesOf = (rows: readonly Row[], site: Site): (string | number)[] => rows.flatMap((row) => valuesAt(row, site) ?? [])
  return {
    field,
    telling: (rows, queryFor, site) => telling(rows, valuesOf(rows, site), (value) => trialOf(value, queryFor, site)),
    fallback: (rows, queryFor, site) => [absent, ...valuesOf(rows, site).slice(0, 1)].map((value) => trialOf(value, queryFor, site)),
  }
}

/** A filter by a moment before or after which the field must be. Sites differ in time zones, so rows near the moment prove nothing. */
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
    telling: (rows, queryFor) => {
      const times = rows.map((row) => millisecondsOf(row[field])).filter((time) => !Number.isNaN(time))
      const sorted = [...new Set(times)].sort((a, b) => a - b)
      const between = sorted.slice(1).map((time, place) => (time + (sorted[place] as number)) / 2)
      return telling(rows, between, (moment) => trialOf(moment, queryFor))
    },
    fallback: (_, queryFor) => [Date.UTC(1980), Date.UTC(2199)].map((moment) => trialOf(moment, queryFor)),
  }
}

/** Published rows are the ones that sites show whatever is asked for. */
const byStatus: Rule = {
  field: 'status',
  telling: (rows, queryFor) =>
    telling(
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

/** A search looks at more than rows show: a made-up word must leave out everything, and a word of a title must keep its record. */
const bySearch: Rule = {
  field: 'title.rendered',
  telling: (rows, queryFor) => {
    const row = rows.find((each) => wordsOf(each).length > 0)
    const word = row && wordsOf(row).sort((a, b) => b.length - a.length)[0]
    if (word === undefined) return []
    return [
      { query: queryFor(MADE_UP), keeps: () => false },
      { query: queryFor(word), keeps: (each) => (each === row ? true : undefined) },
    ]
  },
  fallback: (_, queryFor) => [{ query: queryFor(MADE_UP), keeps: () => false }],
}

const MADE_UP = 'qzxjvkwqpyhz'

/** The rule for a parameter; none for filters that only change others. `key` is the field by which rows are named. */
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
      return byValue(filter.param, false, MADE_UP)
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

/** What an answer to a trial proves. */
export interface Proof {
  /** Rows that the filter must leave out were left out, or came. */
  readonly leftOut: boolean
  readonly letThrough: boolean
  /** Rows that the filter must keep came, or none of them did. */
  readonly kept: boolean
  readonly lost: boolean
}

/** Compares the answer to a trial with the rows that came without the filter. */
export function proofOf({ keeps }: Trial, rows: readonly Row[], answer: readonly Row[], keyOf: (row: Row) => unknown): Proof {
  const came = new Set(answer.map(keyOf))
  const mustStay = rows.filter((row) => keeps(row) === true)
  const mustGo = rows.filter((row) => keeps(row) === false)
  const letThrough = mustGo.some((row) => came.has(keyOf(row)))
  const kept = mustStay.some((row) => came.has(keyOf(row)))
  return { letThrough, kept, leftOut: mustGo.length > 0 && !letThrough, lost: mustStay.length > 0 && !kept }
}

/** A filter as settings name it. */
export const settingOf = ({ path }: ListRoute, param: string): string => `${path} ${param}`

/** A setting's list after what was proven: settings that are `found` are on it, honoured ones are not, and the rest stays. */
export function learned(
  before: readonly string[],
  proofs: readonly { readonly setting: string; readonly is: string }[],
  found: string,
): string[] {
  const honoured = new Set(proofs.filter(({ is }) => is === 'honoured').map(({ setting }) => setting))
  const added = proofs.filter(({ is }) => is === found).map(({ setting }) => setting)
  return [...new Set([...before.filter((setting) => !honoured.has(setting)), ...added])]
}
