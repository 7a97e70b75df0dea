import { readFileSync } from 'node:fs'
import { buildClientSchema, type GraphQLError, type GraphQLSchema, getIntrospectionQuery, isInterfaceType, isObjectType } from 'graphql'
import { subgraphOf } from '../federation/subgraph.js'
import { graphSchema } from '../graph/schema.js'
import { getOrMake, jsonIn } from '../maps.js'
import { isFolder, readCollection, type SavedOperation } from '../operations/collection.js'
import { readGraph, textOf } from '../operations/graph.js'
import { usesIn } from '../operations/uses.js'
import { OptionsError } from '../options/program.js'
import type { CommandOptions } from '../options/read.js'
import type { Options } from '../options/table.js'
import { sdlOptionsOf } from '../server/refusals.js'
import { type Ask, type Calls, callsOf, localGateway, remoteGateway } from './calls.js'
import { changesBetween, type GraphChange, isDefault } from './changes.js'
import { type Against, type Finding, findingsOf, placeOf } from './findings.js'
import { type Cost, reportText } from './report.js'
import { USAGE } from './usage.js'

/** Milliseconds after which progress is shown. */
const PATIENCE = 1_000

/** Checks a folder of operations. `onProgress` is told what takes long, and an empty text at the end. Annotations name files from `root`. */
export async function runCheck({ options, args, directory, named }: CommandOptions, onProgress: (line: string) => void, root = '') {
  const folder = directory ?? options.http.operations
  if (typeof folder !== 'string' || (directory === undefined && !isFolder(folder)))
    throw new OptionsError(['`check` needs a folder of operations: name it after the command, or set `--operations` or `OPERATIONS`.'])
  const { operations, unusedFragments } = readCollection(folder)
  const remote =
    args.url === undefined ? undefined : remoteGateway(args.url, args.headersFile === undefined ? {} : headersIn(args.headersFile))
  const graph = args.schema === undefined ? await graphOf(options, remote) : readGraph(args.schema, '--schema')
  const released = args.against === undefined ? undefined : readGraph(args.against, '--against')
  const against = released && { released, changes: await changesBetween(released, graph), touching: new Set<GraphChange>() }
  const budget = named('limits.maxCalls') === undefined ? undefined : options.limits.maxCalls
  const findings: Finding[] = []
  const ask = remote ? await explaining(remote, findings) : args.schema === undefined ? localGateway(options) : undefined
  const costs: Cost[] = []
  const startedAt = performance.now()
  for (const operation of operations) {
    const { name, document } = operation
    if (performance.now() - startedAt > PATIENCE) onProgress(`${costs.length}/${operations.length} ${name}`)
    const found = findingsOf(operation, graph, against)
    const place = placeOf(document.definitions[0])
    const add = (severity: Finding['severity'], message: string) => found.push({ severity, message, operation: name, ...place })
    const isValid = found.every(({ severity }) => severity === 'warning')
    const refuse = ({ message, extensions = {} }: GraphQLError) =>
      extensions.code === 'LIMIT_EXCEEDED' ? add('error', message) : add('warning', `It has no estimate: ${message}`)
    const calls = ask && isValid ? await callsOf(operation, graph, ask, refuse) : undefined
    const refusal = calls && refusalOf(calls, budget)
    if (refusal !== undefined) add('error', refusal)
    findings.push(...found)
    costs.push({ name, ...place, ...(calls && { ...calls.predicted, madeUp: calls.madeUp }) })
  }
  onProgress('')
  for (const node of unusedFragments)
    findings.push({ severity: 'warning', message: `No operation uses the fragment "${node.name.value}".`, ...placeOf(node) })
  findings.push(...(against ? untouched(against, args.usage === undefined ? [] : usedIn(args.usage)) : []))
  // Operations that share a fragment share what is wrong in it.
  const distinct = new Map<string, Finding>()
  for (const each of findings) getOrMake(distinct, `${each.file}:${each.line}:${each.column} ${each.message}`, () => each)
  const report = { findings: [...distinct.values()], operations: costs, unused: unusedFields(graph, operations) }
  return { text: reportText(report, args.format, args.unused, root), isFailed: findings.some(({ severity }) => severity === 'error') }
}

/** The headers in a file, one per line. Complaints show nothing of them. */
function headersIn(path: string): Record<string, string> {
  const lines = textOf(path, '--headers-file').split(/\r?\n/).filter(Boolean)
  const headers = lines.map((line) => /^([\w-]+):\s*(\P{Cc}*)$/u.exec(line)?.slice(1) ?? [])
  if (headers.every(({ length }) => length === 2)) return Object.fromEntries(headers)
  throw new OptionsError([`The file \`${path}\` that \`--headers-file\` names must have \`Name: value\` in each line.`])
}

/** The graph of a gateway, by default of one with the options. */
async function graphOf(options: Options, remote: Ask | undefined): Promise<GraphQLSchema> {
  if (!remote) return options.subgraph.enabled ? subgraphOf(graphSchema(), sdlOptionsOf(options)).schema : graphSchema()
  const { data, errors } = await remote({ query: getIntrospectionQuery({ inputValueDeprecation: true }) })
  if (data?.__schema) return buildClientSchema(data)
  const why = errors?.[0]?.message ?? 'no answer.'
  throw new OptionsError([`The gateway does not show its graph: ${why} Use \`--schema\`, or allow introspection.`])
}

/** A gateway, if it explains what does nothing: other servers would run the operations. */
async function explaining(remote: Ask, findings: Finding[]): Promise<Ask | undefined> {
  const { errors, extensions } = await remote({ query: '{ __typename }', extensions: { explain: 'plan' } })
  if (extensions?.explain) return remote
  findings.push({ severity: 'warning', message: `There are no estimates: ${errors?.[0]?.message ?? 'the server has no explanations.'}` })
}

/** What a log says was used. */
function usedIn(path: string) {
  const { data } = USAGE.safeParse(jsonIn(textOf(path, '--usage', (file) => readFileSync(file, 'utf8'))))
  if (data) return data.coordinates
  throw new OptionsError([`The file \`${path}\` that \`--usage\` names is not what \`usage --format json\` prints.`])
}

/** The breaking changes of what no operation of the folder uses. Those of what a log says was used are errors. */
function untouched({ changes, touching }: Against, used: ReturnType<typeof usedIn>): Finding[] {
  const others = changes.filter((change) => !touching.has(change) && !isDefault(change))
  return others.map(({ type, message, coordinates }) => {
    const use = used.find(({ name }) => coordinates.includes(name))
    const unless = used.length > 0 && /^(INPUT|ENUM)_/.test(type) ? ', unless in variables, which the log does not show' : ''
    if (!use) return { severity: 'warning', message: `${message}. No operation uses it${unless}.` }
    const by = `${use.operations.join(', ')} used it, last ${use.last ?? 'at an unknown time'}, for ${Object.keys(use.clients).join(', ')}`
    return { severity: 'error', message: `${message}. ${by}.` }
  })
}

/** Why an operation would be refused: by the budget of the gateway, or by another one. */
function refusalOf({ predicted: { expected }, refusal, maxCalls, steps }: Calls, budget = maxCalls): string | undefined {
  if (refusal !== undefined || expected <= budget) return refusal
  const [most] = steps.toSorted((one, other) => other.expected - one.expected)
  return `The operation is expected to need ${expected} REST calls, and the budget is ${budget}. \`${most?.paths[0]}\` costs most, about ${most?.expected}.`
}

/** The fields that no operation uses, by type. The use of a field of an interface is one of its objects too. */
function unusedFields(graph: GraphQLSchema, operations: readonly SavedOperation[]): Record<string, string[]> {
  const used = new Set(operations.flatMap(({ document }) => usesIn(document, graph).map(({ coordinate }) => coordinate)))
  const types = Object.values(graph.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
  const unused = types.map((type) => {
    const owners = [type, ...type.getInterfaces()]
    const isUsed = (field: string): boolean => field.startsWith('_') || owners.some(({ name }) => used.has(`${name}.${field}`))
    return [type.name, Object.keys(type.getFields()).filter((field) => !isUsed(field))] as const
  })
  return Object.fromEntries(unused.filter(([name, fields]) => fields.length > 0 && !name.startsWith('_')))
}
