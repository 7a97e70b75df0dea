import { z } from 'zod'
import { graphSchema } from '../graph/schema.js'
import { getOrMake, jsonIn } from '../maps.js'
import { readCollection } from '../operations/collection.js'
import { readGraph } from '../operations/graph.js'
import { usesIn } from '../operations/uses.js'
import type { Arguments } from '../options/arguments.js'
import { OptionsError } from '../options/program.js'
import { table } from './table.js'

const count = z.int().min(0)
const time = z.iso.datetime().nullable()
const clients = z.record(z.string(), count)
/** How often something was used, when, and by whom. Refused operations did not run: only `refused` counts them. */
const USE = z.object({ name: z.string(), count, errors: count, refused: count, first: time, last: time, clients })
type Use = z.infer<typeof USE>

/** What `usage --format json` prints and `check --usage` reads. */
export const USAGE = z.object({
  format: z.literal(1),
  /** Lines by what they are. Those that gateways dropped are not in the log. */
  lines: z.object({ operations: count, others: count, dropped: count }),
  operations: z.array(USE),
  /** What the operations that ran use of the graph, by coordinate. */
  coordinates: z.array(USE.extend({ operations: z.array(z.string()) })),
  /** The operations that the folder does not have. */
  unknown: z.array(USE),
})

/** Characters of the longest line that is read. */
const LONGEST = 1_000_000
/** Clients, and names that the folder does not have, that are counted by themselves: anybody can send any name. */
const MOST = 100
const OTHERS = '(others)'
const NAME = /^[_A-Za-z]\w{0,99}$/
/** The name of an API key, else the kind of a caller without the name, which is personal data. */
const CLIENT = /^(?:key:[\w.-]{1,40}|key|token|login|bearer|cookie|anonymous)(?=[: ]|$)/

/** The line of an operation. Odd values are left out: other programs may write to the same log. */
const OPERATION = z
  .object({
    outcome: z.enum(['ok', 'partial', 'failed', 'refused', 'cancelled']),
    operation: z.string().regex(NAME).catch('(unnamed)'),
    caller: z.string().catch(''),
    // Before the year 10000.
    time: z.number().positive().lt(253_402_300_800_000).nullable().catch(null),
  })
  .transform(({ operation: name, outcome, caller, time }): Use => {
    if (outcome === 'refused') return { ...unused(name), refused: 1 }
    const errors = outcome === 'partial' || outcome === 'failed' ? 1 : 0
    const at = time === null ? null : new Date(time).toISOString()
    return { name, count: 1, errors, refused: 0, first: at, last: at, clients: { [CLIENT.exec(caller)?.[0] ?? 'unknown']: 1 } }
  })

const unused = (name: string): Use => ({ name, count: 0, errors: 0, refused: 0, first: null, last: null, clients: {} })

function add(sum: Use, { first, last, clients, ...use }: Use): void {
  for (const figure of ['count', 'errors', 'refused'] as const) sum[figure] += use[figure]
  if (first !== null && first < (sum.first ?? 'Z')) sum.first = first
  if (last !== null && last > (sum.last ?? '')) sum.last = last
  for (const [client, times] of Object.entries(clients)) {
    const name = client in sum.clients || Object.keys(sum.clients).length < MOST ? client : OTHERS
    sum.clients[name] = (sum.clients[name] ?? 0) + times
  }
}

/** Counts in a log of JSON lines how often the operations of a folder were used, and hence what they use of the graph. */
async function usageOf(log: AsyncIterable<string>, directory: string, schema: string | undefined): Promise<z.infer<typeof USAGE>> {
  const saved = readCollection(directory).operations
  const graph = schema === undefined ? graphSchema() : readGraph(schema, '--schema')
  const uses = new Map(saved.map(({ name }) => [name, unused(name)]))
  const lines = { operations: 0, others: 0, dropped: 0 }
  const read = (line: string): void => {
    // Programs that collect logs write prefixes.
    const entry = Object(jsonIn(line.slice(line.indexOf('{'))))
    const { data: use } = entry.msg === 'operation' ? OPERATION.safeParse(entry) : {}
    if (use) lines.operations++
    else if (line.trim() !== '') lines.others++
    if (Number.isSafeInteger(entry.droppedLines)) lines.dropped += entry.droppedLines
    if (!use) return
    const name = uses.has(use.name) || uses.size < saved.length + MOST ? use.name : OTHERS
    const sum = getOrMake(uses, name, () => unused(name))
    add(sum, use)
  }
  let line = ''
  for await (const chunk of log)
    for (const [index, part] of chunk.split('\n').entries()) {
      if (index > 0) read(line)
      line = index > 0 ? part : `${line}${part}`
      // Of a line that is too long, nothing is held but a beginning that is not JSON.
      if (line.length > LONGEST) line = '{{'
    }
  read(line)
  if (lines.operations === 0) throw new OptionsError([NOTHING])
  const coordinates = new Map<string, Use & { readonly operations: string[] }>()
  for (const { name, document, variables } of saved) {
    const use = uses.get(name) as Use
    const used = use.count === 0 ? [] : usesIn(document, graph, variables).map(({ coordinate }) => coordinate)
    for (const coordinate of new Set(used)) {
      const sum = getOrMake(coordinates, coordinate, () => ({ ...unused(coordinate), operations: [] }))
      add(sum, use)
      sum.operations.push(name)
    }
  }
  const [operations, unknown] = [[...uses.values()].slice(0, saved.length), [...uses.values()].slice(saved.length)]
  return { format: 1, lines, operations, coordinates: [...coordinates.values()], unknown }
}

const NOTHING =
  'The log has no operation. A gateway writes their lines with `LOG_FORMAT=json` and `LOG_LEVEL=info`; `zcat` decompresses files.'
const NAMES = 'The log has names of operations, not documents: anybody can send any document with any name, unless `--only-trusted` is set.'
const COLUMNS = ['RUNS', 'ERRORS', 'REFUSED', 'FIRST (UTC)', 'LAST (UTC)', 'CLIENTS']

function rowOf({ name, count, errors, refused, first, last, clients }: Use): string[] {
  const times = [first, last].map((time) => time?.slice(0, 16).replace('T', ' ') ?? '-')
  const byClient = Object.entries(clients).map((each) => each.join(' '))
  return [name, ...[count, errors, refused].map(String), ...times, byClient.join(', ')]
}

/** The usage in a log, as text or JSON. */
export async function usageIn(log: AsyncIterable<string>, directory: string, { schema, format }: Pick<Arguments, 'schema' | 'format'>) {
  const usage = await usageOf(log, directory, schema)
  if (format === 'json') return JSON.stringify(usage, null, 2)
  const { lines, operations, coordinates, unknown } = usage
  const tables = Object.entries({ OPERATION: operations, 'USED OF THE GRAPH': coordinates, 'NOT IN THE FOLDER': unknown })
  return [
    ...table(tables.flatMap(([title, uses]) => (uses.length === 0 ? [] : [[title, ...COLUMNS], ...uses.map(rowOf), []]))),
    ...(unknown.length > 0 ? [NAMES] : []),
    `Lines: ${lines.operations} of operations, ${lines.others} of other kinds, ${lines.dropped} dropped by the gateway.`,
  ].join('\n')
}
