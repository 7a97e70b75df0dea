import { relative } from 'node:path'
import type { Arguments } from '../options/arguments.js'
import type { Calls } from './calls.js'
import type { Finding, placeOf } from './findings.js'
import { table } from './table.js'

/** An operation with the calls that are expected of it, where there is an estimate. */
export type Cost = { readonly name: string } & ReturnType<typeof placeOf> & Partial<Calls['predicted'] & Pick<Calls, 'madeUp'>>

/** What a check has found. */
export interface Report {
  readonly findings: readonly Finding[]
  readonly operations: readonly Cost[]
  /** The fields of the graph that no operation uses, by type. */
  readonly unused: Readonly<Record<string, readonly string[]>>
}

/** The report in a format. Annotations name files from the folder `root`. */
export function reportText(report: Report, format: Arguments['format'], showsUnused: boolean, root: string): string {
  if (format === 'json') return JSON.stringify({ format: 1, ...report }, null, 2)
  const { findings, operations, unused } = report
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
  const found = (['error', 'warning'] as const).map((kind) => counted(findings.filter(({ severity }) => severity === kind).length, kind))
  const rows = operations.flatMap(({ name, min, expected, max, madeUp = [] }) => {
    const note = madeUp.length === 0 ? '' : `with made-up ${madeUp.join(', ')}`
    return min === undefined ? [] : [[name, `${min}`, `${expected}`, `${max}`, note]]
  })
  const shown = findings.map((each) => (format === 'github' ? annotation(each, root) : line(each)))
  return [
    ...shown,
    ...(shown.length > 0 && rows.length > 0 ? [''] : []),
    ...(rows.length === 0 ? [] : [...table([['REST CALLS', 'MIN', 'EXPECTED', 'MAX', ''], ...rows]), '']),
    ...(showsUnused ? Object.entries(unused).map(([type, fields]) => `unused: ${type}: ${fields.join(', ')}`) : []),
    `${counted(operations.length, 'operation')}: ${found.join(', ')}. No operation uses ${counted(Object.values(unused).flat().length, 'field')} of the graph.`,
  ].join('\n')
}

function line({ severity, message, operation, file, line, column }: Finding): string {
  const place = file === undefined ? '' : `${file}:${line}:${column}: `
  return `${place}${severity}: ${message}${operation === undefined ? '' : ` (${operation})`}`.replaceAll(/\p{Cc}+/gu, ' ')
}

/** A workflow command of GitHub Actions, with the path of the file from a folder. */
function annotation({ severity, message, operation: title = 'lms-graphql check', file, line, column: col }: Finding, root: string): string {
  const escaped = (text: unknown, also = ''): string =>
    `${text}`.replaceAll(new RegExp(`[%\r\n${also}]`, 'g'), (each) => encodeURIComponent(each))
  const properties = Object.entries({ file: file && relative(root, file), line, col, title }).filter(([, value]) => value !== undefined)
  return `::${severity} ${properties.map(([name, value]) => `${name}=${escaped(value, ':,')}`).join(',')}::${escaped(message)}`
}
