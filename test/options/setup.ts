import { type Config, readConfig } from '../../src/settings/config.js'
import { Secret } from '../../src/settings/secret.js'
import { type Env, RSA } from './settings-table.js'

/** Contents of files by name. */
const FILES: Env = {
  'password.txt': 'abcd efgh ijkl\n',
  'cache.txt': '0123456789abcdef0123456789abcdef\n',
  'redis.txt': 'redis://127.0.0.1:6379\n',
  'keys.txt': 'first-key-0123456789\r\n\nsecond-key-0123456789\n',
  'key.pem': RSA,
  'secret.txt': 'abcdef-0123456789-0123456789-0123\n',
  'secrets.txt': 'new-secret-0123456789-0123456789\r\n\nabcdef-0123456789-0123456789-0123\n',
  'empty.txt': '\n',
  'lines.txt': 's3cret\nsecond\n',
  'short.txt': 's3cret\n',
  'comments.yaml': '# nothing\n',
  'empty.json': '{}',
}

export const readFile = (path: string): string => {
  const text = FILES[path]
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' })
  return text
}

export const configOf = (argv: readonly string[], env: Env = {}): Config => {
  const result = readConfig(argv, env, readFile)
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return result.config
}

export const complaintsOf = (argv: readonly string[], env: Env = {}): readonly string[] => {
  const result = readConfig(argv, env, readFile)
  if (result.kind !== 'complaints') throw new Error(JSON.stringify(result))
  return result.complaints
}

/** A value with its secrets revealed, to compare them. */
export const bare = (value: unknown): unknown => (value instanceof Secret ? value.reveal() : Array.isArray(value) ? value.map(bare) : value)
