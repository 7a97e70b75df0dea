import { relative } from 'node:path'
import { type ASTNode, getLocation } from 'graphql'
import type { Arguments } from '../options/arguments.js'
import type { Calls } from './calls.js'
import type { Finding } from './findings.js'
import { table } from './table.js'

/** What a check has found. */
export interface Report {
  readonly findings: readonly Finding[]
  readonly operations: readonly { readonly name: string; readonly node: ASTNode | undefined; readonly calls: Calls | undefined }[]
  /** The fields of the graph that no operation uses, by type. */
  readonly unused: Readonly<Record<string, readonly string[]>>
}

/** Where a node is. */
function placeOf(node: ASTNode | undefined) {
  if (!node?.loc) return undefined
  return { file: relative('', node.loc.source.name), ...getLocation(node.loc.source, node.loc.start) }
}

/** The report in a format. */
export function reportText(report: Report, format: Arguments['format'], showsUnused: boolean): string {
  const { findings, operations, unused } = report
  if (format === 'json') {
    const shown = findings.map(({ node, ...finding }) => ({ ...finding, ...placeOf(node) }))
    const costs = operations.map(({ name, node, calls }) => ({ name, ...placeOf(node), ...calls?.predicted, madeUp: calls?.madeUp }))
    return JSON.stringify({ format: 1, findings: shown, operations: costs, unused }, null, 2)
  }
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
  const [errors, warnings] = ['error', 'warning'].map((severity) =>
    counted(findings.filter((each) => each.severity === severity).length, severity),
  )
  return [
    ...findings.map(format === 'github' ? annotation : line),
    ...callsTable(operations),
    ...(showsUnused ? Object.entries(unused).map(([type, fields]) => `unused: ${type}: ${fields.join(', ')}`) : []),
    `${counted(operations.length, 'operation')}: ${errors}, ${warnings}. No operation uses ${counted(Object.values(unused).flat().length, 'field')} of the graph.`,
  ].join('\n')
}

function line({ severity, message, operation, node }: Finding): string {
  const place = placeOf(node)
  return `${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${severity}: ${message}${operation === undefined ? '' : ` (${operation})`}`
}

/** A workflow command of GitHub Actions. */
function annotation({ severity, message, operation = 'lms-graphql check', node }: Finding): string {
  const place = placeOf(node)
  const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const properties = { ...(place && { file: place.file, line: place.line, col: place.column }), title: operation }
  const shown = Object.entries(properties).map(
    ([name, value]) => `${name}=${escaped(`${value}`).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  )
  return `::${severity} ${shown.join(',')}::${escaped(message)}`
}

/** The calls of each operation, where there are estimates. */
function callsTable(operations: Report['operations']): string[] {
  const rows = operations.flatMap(({ name, calls }) => {
    if (!calls) return []
    const {
      predicted: { min, expected, max },
      madeUp,
    } = calls
    return [[name, ...[min, expected, max].map(String), madeUp.length === 0 ? '' : `with made-up ${madeUp.join(', ')}`]]
  })
  return rows.length === 0 ? [] : ['', ...table([['REST CALLS', 'MIN', 'EXPECTED', 'MAX', ''], ...rows]), '']
}
