import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { z } from 'zod'
import { usageIn as readUsage, USAGE } from '../../src/check/usage.js'
import { CLI, type Ended } from '../support/command.js'

export type Usage = z.infer<typeof USAGE>

/** A line that a gateway writes for an operation. */
export const lineOf = (operation: unknown, others: object = {}): string =>
  JSON.stringify({
    level: 'info',
    time: Date.UTC(2026, 9, 1),
    pid: 7,
    requestId: 'f0c1',
    client: '198.51.100.7',
    caller: 'key:shop',
    operation,
    kind: 'query',
    outcome: 'ok',
    status: 200,
    duration: 4.2,
    calls: 1,
    ...others,
    msg: 'operation',
  })

/** Writes a folder of operations. Returns its path, and what removes it. */
export function folderOf(files: Readonly<Record<string, string>>): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'lms-graphql-operations-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return { path, remove: () => rmSync(path, { recursive: true }) }
}

/** Runs the built command with an input. */
export async function runWith(
  input: Iterable<string | Buffer> | AsyncIterable<string>,
  argv: readonly string[],
  flags: readonly string[] = [],
) {
  const child = spawn(process.execPath, [...flags, CLI, ...argv], { env: { PATH: process.env.PATH } })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text))
  const ended = once(child, 'close')
  // A command that ends early closes its input.
  await pipeline(Readable.from(input, { objectMode: false }), child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const [code] = await ended
  return { code, ...printed } as Ended
}

/** The usage in a log. It fits the schema that `check --usage` reads files with. */
export async function usageIn(log: Iterable<string | Buffer>, folder: string, schema?: string): Promise<Usage> {
  const input = Readable.from(log, { objectMode: false }).setEncoding('utf8')
  return USAGE.parse(JSON.parse(await readUsage(input, folder, { schema, format: 'json' })))
}
