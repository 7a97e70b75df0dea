import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createGunzip, createGzip } from 'node:zlib'
import { differences } from './differences.js'
import { runAll } from './processes.js'
import type { Operation, Outcome, Sequence } from './run.js'
import type { KindName } from './sites.js'

const USAGE = `npm run golden -- write FILE [--operations 5000] [--seed 39]
npm run golden -- compare FILE [--show 5]

Records what operations show: data, errors, parts, REST calls and estimates. \`compare\` runs the operations of the file again.

  --of FOLDER       a build, such as \`dist\`, instead of the source
  --gateway OPTIONS further options of the gateway as JSON, such as '{"limits": {"maxCalls": 100}}'; \`tuning\` is what only tests set`

/** A line of the file: an operation with its outcome. Operations of one sequence follow each other. */
interface Line {
  readonly sequence: number
  readonly kind: KindName
  readonly operation: Operation
  readonly was: Outcome
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    operations: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '39' },
    show: { type: 'string', default: '5' },
    of: { type: 'string' },
    gateway: { type: 'string' },
  },
})
const [command, file] = positionals
const how = { folder: values.of && pathToFileURL(resolve(values.of)).href, options: values.gateway }
const startedAt = performance.now()
const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`

async function write(path: string): Promise<void> {
  // Loaded here only: what makes operations changes more often than what runs them.
  const { sequencesOf } = await import('./operations.js')
  const sequences = await sequencesOf(Number(values.seed), Number(values.operations))
  mkdirSync(dirname(resolve(path)), { recursive: true })
  const lines: string[][] = []
  let count = 0
  await runAll(sequences, how, ({ number, sequence: { kind, operations } }, outcomes) => {
    lines[number] = operations.map((operation, place) => JSON.stringify({ sequence: number, kind, operation, was: outcomes[place] }))
    count += operations.length
  })
  const zip = createGzip()
  const done = finished(zip.pipe(createWriteStream(path)))
  for (const line of lines.flat()) zip.write(`${line}\n`)
  zip.end()
  await done
  console.log(`${count} operations written in ${seconds()}`)
}

async function compare(path: string): Promise<void> {
  const recorded: Line[][] = []
  for await (const text of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    const line = JSON.parse(text) as Line
    recorded[line.sequence] = [...(recorded[line.sequence] ?? []), line]
  }
  const sequences = recorded.map(
    (lines): Sequence => ({ kind: (lines[0] as Line).kind, operations: lines.map(({ operation }) => operation) }),
  )
  const failures: { readonly line: Line; readonly found: readonly string[] }[] = []
  let passed = 0
  await runAll(sequences, how, ({ number }, outcomes) => {
    for (const [place, line] of (recorded[number] as Line[]).entries()) {
      const found = [...differences(line.was, outcomes[place])]
      if (found.length === 0) passed++
      else failures.push({ line, found })
    }
  })
  failures.sort((a, b) => a.line.sequence - b.line.sequence)
  for (const { line, found } of failures.slice(0, Number(values.show))) console.log(told(line, found))
  const inOrder = failures.filter(({ found }) => found.every((each) => /^[\w.]+: in another order/.test(each))).length
  console.log(
    `${passed} passed, ${failures.length} failed${inOrder > 0 ? ` (${inOrder} only by the order of REST calls)` : ''} in ${seconds()}`,
  )
  process.exitCode = failures.length > 0 ? 1 : 0
}

function told(
  { kind, operation: { name, query, variables = {}, as = 'nobody', parts }, sequence }: Line,
  found: readonly string[],
): string {
  const head = `${name} (sequence ${sequence}), in front of ${kind}, as ${as}${parts ? ', in parts' : ''}`
  const more = found.length > 10 ? [`  and ${found.length - 10} more`] : []
  return [head, query.trim(), JSON.stringify(variables), ...found.slice(0, 10).map((each) => `  ${each}`), ...more, ''].join('\n')
}

if (command === 'write' && file) await write(file)
else if (command === 'compare' && file) await compare(file)
else {
  console.error(USAGE)
  process.exitCode = 2
}
