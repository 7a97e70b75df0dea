import { existsSync, writeFileSync } from 'node:fs'
import { configOf, configText } from './config.js'
import { type Examination, type ExamineOptions, examine } from './examine.js'
import { isBroken, reportText } from './report.js'

export interface RunOptions extends ExamineOptions {
  /** Whether everything is printed as JSON instead of a table. */
  readonly json: boolean
  /** File for the configuration, and whether one that is there may be lost. */
  readonly write: string | null
  readonly force: boolean
}

/** Where a run prints: its report, and for people who wait its progress. */
export interface Outputs {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether lines of progress may be written over each other. */
  readonly rewrites: boolean
}

/** Examines a site and reports. The exit code: 1 when something breaks the graph, 2 when the file may not be written, else 0. */
export async function runDoctor(options: RunOptions, { out, err, rewrites }: Outputs): Promise<number> {
  const { write, force, json } = options
  if (write !== null && !force && existsSync(write)) {
    err('lms-graphql: the file that `--write` names is there already; name another, or add `--force`.\n')
    return 2
  }
  const onProgress: ExamineOptions['onProgress'] = ({ call, most, what }) => {
    const line = `${String(call).padStart(2)}/${most} ${what}`
    err(rewrites ? `\r\u001B[K${line}` : `${line}\n`)
  }
  const examination = await examine({ ...options, onProgress })
  if (rewrites) err('\r\u001B[K')
  out(json ? `${jsonText(examination)}\n` : `${reportText(examination)}\n`)
  const written = write === null || writeFile(write, force, examination, err)
  return isBroken(examination.findings) || !written ? 1 : 0
}

/** Writes the configuration; says so, or why not. */
function writeFile(path: string, force: boolean, examination: Examination, err: Outputs['err']): boolean {
  if (!examination.found) {
    err('lms-graphql: no configuration was written, because the interface was not found.\n')
    return false
  }
  try {
    writeFileSync(path, configText(examination), { flag: force ? 'w' : 'wx' })
  } catch (error) {
    err(`lms-graphql: the configuration can't be written (${(error as NodeJS.ErrnoException).code ?? 'no reason given'}).\n`)
    return false
  }
  err('lms-graphql: the configuration is written; `serve --config` with that file runs with it.\n')
  return true
}

function jsonText(examination: Examination): string {
  const { site, findings, calls } = examination
  return JSON.stringify({ site, findings, calls, config: configOf(examination) }, null, 2)
}
