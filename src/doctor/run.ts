import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Arguments } from '../options/arguments.js'
import type { Values } from '../options/option.js'
import { QUIRKS, type SITE } from '../options/site.js'
import { siteOf } from '../upstream/site/presets.js'
import { configOf, configText } from './config.js'
import { type Examination, type ExamineOptions, examine } from './examine.js'
import { listing } from './finding.js'
import { differences } from './names.js'
import { isBroken, limitIn, reportText } from './report.js'

export interface RunOptions extends Omit<ExamineOptions, 'given'> {
  /** The options of the site, which are checked, and the name of the settings file that has some of them. */
  readonly site: Values<typeof SITE>
  readonly file: string | undefined
  readonly format: Arguments['format']
  /** Whether an existing file may be overwritten. */
  readonly force: boolean
}

/** Output of the report and of the progress. */
export interface Outputs {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether lines of progress may overwrite each other. */
  readonly rewrites: boolean
}

/** Exit code when the rights of the account do not suffice to examine the whole site. */
const INCOMPLETE = 3

/**
 * Examines a site and prints the report. Returns the exit code: 1 when queries break, 2 when the file exists or cannot be written, 3 when the report is
 * incomplete, else 0.
 */
export async function runDoctor(options: RunOptions, { out, err, rewrites }: Outputs): Promise<number> {
  const { write, force, format, site, file } = options
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
  const isGiven = ([name, value]: [string, unknown]): boolean => value !== undefined && (name === 'preset' || Object.hasOwn(QUIRKS, name))
  const examination = await examine({ ...options, given: Object.fromEntries(Object.entries(site).filter(isGiven)), onProgress })
  if (rewrites) err('\r\u001B[K')
  const { findings, calls } = examination
  const json = { site: examination.site, findings, calls, config: configOf(examination) }
  out(`${format === 'json' ? JSON.stringify(json, null, 2) : reportText(examination)}\n`)
  const written = write === undefined || writeFile(write, force, examination, err)
  if (write === undefined && file !== undefined) err(`lms-graphql: ${compared(site, file, examination)}\n`)
  if (isBroken(findings) || !written) return 1
  return limitIn(findings) ? INCOMPLETE : 0
}

/** Compares the settings in a file with those that the doctor has found. */
function compared(options: RunOptions['site'], file: string, { found, site }: Examination): string {
  if (!found) return `\`${file}\` was not checked, because the interface was not found.`
  const names = Object.keys(differences(site, siteOf(options)))
  if (names.length === 0) return `\`${file}\` has the settings that the site needs.`
  return `\`${file}\` differs from the site in ${listing(names)}; \`--write FILE\` writes the settings that the site needs.`
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
      ? `lms-graphql: \`${path}\` was written, but some queries fail with it: first solve the findings with the state \`breaks\`.\n`
      : `lms-graphql: \`${path}\` was written; start the gateway with it: \`lms-graphql --config ${path}\`.\n`,
  )
  return true
}
