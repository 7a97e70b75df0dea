import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { configOf, configText } from './config.js'
import { type Examination, type ExamineOptions, examine } from './examine.js'
import { isBroken, reportText } from './report.js'

export interface RunOptions extends ExamineOptions {
  /** Whether to print JSON instead of a table. */
  readonly json: boolean
  /** File for the configuration, and whether an existing file may be overwritten. */
  readonly write: string | undefined
  readonly force: boolean
}

/** Output of the report and of the progress. */
export interface Outputs {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether lines of progress may overwrite each other. */
  readonly rewrites: boolean
}

/** Examines a site and prints the report. Returns the exit code: 1 when queries break, 2 when the file exists or cannot be written, else 0. */
export async function runDoctor(options: RunOptions, { out, err, rewrites }: Outputs): Promise<number> {
  const { write, force, json } = options
  if (write !== undefined && !force && existsSync(write)) {
    err('lms-graphql: the file of `--write` exists already; use another name, or add `--force`.\n')
    return 2
  }
  const unwritable = write === undefined ? undefined : whyUnwritable(write)
  if (unwritable !== undefined) {
    err(`lms-graphql: the configuration cannot be written to the file of \`--write\` (${unwritable}).\n`)
    return 2
  }
  const onProgress: ExamineOptions['onProgress'] = ({ call, most, what }) => {
    const line = `${String(call).padStart(2)}/${most} ${what}`
    err(rewrites ? `\r\u001B[K${line}` : `${line}\n`)
  }
  const examination = await examine({ ...options, onProgress })
  if (rewrites) err('\r\u001B[K')
  out(json ? `${jsonText(examination)}\n` : `${reportText(examination)}\n`)
  const written = write === undefined || writeFile(write, force, examination, err)
  return isBroken(examination.findings) || !written ? 1 : 0
}

/** The code of the error of a file, or else of its folder, that cannot be written. */
function whyUnwritable(path: string): string | undefined {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error'
  }
}

/** Writes the configuration file, and prints the result. */
function writeFile(path: string, force: boolean, examination: Examination, err: Outputs['err']): boolean {
  if (!examination.found) {
    err('lms-graphql: no configuration was written, because the interface was not found.\n')
    return false
  }
  try {
    writeFileSync(path, configText(examination), { flag: force ? 'w' : 'wx' })
  } catch (error) {
    err(`lms-graphql: the configuration cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).\n`)
    return false
  }
  err(
    isBroken(examination.findings)
      ? 'lms-graphql: the configuration was written, but some queries fail with it: first solve the findings with the state `breaks`.\n'
      : 'lms-graphql: the configuration was written; start the gateway with it by `serve --config FILE`.\n',
  )
  return true
}

function jsonText(examination: Examination): string {
  const { site, findings, calls } = examination
  return JSON.stringify({ site, findings, calls, config: configOf(examination) }, null, 2)
}
