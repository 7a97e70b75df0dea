import { resolve } from 'node:path'
import { OptionsError, readProgram } from '../../src/options/program.js'
import { type CommandOptions, readOptions } from '../../src/options/read.js'
import { Secret } from '../../src/options/secret.js'
import type { Entry, Options } from '../../src/options/table.js'

type Env = Readonly<Record<string, string>>
export type Files = Readonly<Record<string, string>>

const reading = (files: Files) => (path: string) => {
  const text = files[path] ?? files[resolve(path)]
  if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' })
  return text
}

/** The options of a command line. Throws the complaints. */
export function optionsOf(argv: readonly string[], env: Env = {}, files: Files = {}): CommandOptions {
  const result = readOptions(argv, env, reading(files))
  if (result.kind === 'complaints') throw new OptionsError(result.complaints)
  if (result.kind !== 'options') throw new Error(result.kind)
  return result
}

/** The complaints about a command line. */
export function complaintsOf(argv: readonly string[], env: Env = {}, files: Files = {}): readonly string[] {
  const result = readOptions(argv, env, reading(files))
  return result.kind === 'complaints' ? result.complaints : []
}

/** The complaints about a settings file. */
export const complaintsAbout = (text: string, path = 'lms.yaml', argv: readonly string[] = []): readonly string[] =>
  complaintsOf([...argv, '--config', path], {}, { [path]: text })

/** The options of a settings file. */
export const optionsIn = (text: string, path = 'lms.yaml', argv: readonly string[] = []): Options =>
  optionsOf([...argv, '--config', path], {}, { [path]: text }).options

/** The options of a program. */
export const programOf = (values: object, isServer = true) => readProgram(values, { others: [], isServer }).options

/** The complaints about options of a program. */
export function programComplaints(values: object, isServer = true): readonly string[] {
  try {
    programOf(values, isServer)
    return []
  } catch (error) {
    return (error as OptionsError).complaints
  }
}

/** The value of an entry. */
export const valueAt = ({ options, args }: { options: Options; args?: object }, { area, name }: Pick<Entry, 'area' | 'name'>): unknown =>
  bare(((area === undefined ? args : options[area]) as Readonly<Record<string, unknown>>)[name])

/** A value with its secrets revealed. */
export function bare(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null || value instanceof Map) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bare(each)]))
}
