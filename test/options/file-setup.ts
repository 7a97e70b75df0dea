import { type Config, readConfig } from '../../src/settings/config.js'

export type Env = Readonly<Record<string, string>>
export type Files = Readonly<Record<string, string>>

export const read = (files: Files, argv: readonly string[] = [], env: Env = {}) =>
  readConfig([...argv], env, (path) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' })
    return text
  })

/** The settings of a file, with flags and variables. */
export function configOf(text: string, argv: readonly string[] = [], env: Env = {}, path = 'lms.yaml'): Config {
  const result = read({ [path]: text }, argv, { CONFIG_FILE: path, ...env })
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return result.config
}

export function complaintsOf(text: string, path = 'lms.yaml', argv: readonly string[] = []): readonly string[] {
  const result = read({ [path]: text }, [...argv, '--config', path])
  if (result.kind !== 'complaints') throw new Error(JSON.stringify(result))
  return result.complaints
}
