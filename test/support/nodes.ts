import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Variables of Node with which npm reaches a registry. */
const OF_NETWORK = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_USE_ENV_PROXY', 'NODE_USE_SYSTEM_CA']

/** What this test run sets, and what npm tells its scripts about this project. Other settings of npm are those of the machine. */
const OF_RUN = /^(NODE_|VITEST|TEST$|npm_(?!config_)|npm_config_(engine_strict|prefix|local_prefix|global_prefix)$)/i

/** The environment of a command that a user starts on this machine. */
export const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_NETWORK.includes(name) || !OF_RUN.test(name)))

/** The file of a major version of Node: that of this process, `NODE_<major>` of the environment, or what npm installs in `folder`. */
export function nodeOf(major: number, folder: string): { readonly node: string } | { readonly missing: string } {
  if (process.versions.node.startsWith(`${major}.`)) return { node: process.execPath }
  const given = process.env[`NODE_${major}`]
  if (given) return { node: given }
  const args = ['install', '--prefix', folder, '--no-save', '--prefer-offline', '--no-audit', '--no-fund', `node@${major}`]
  try {
    execFileSync('npm', args, { env: cleanEnv(), stdio: 'pipe', timeout: 180_000 })
    const node = join(folder, 'node_modules/.bin/node')
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' })
    if (!version.startsWith(`v${major}.`)) throw new Error(`npm has installed ${version.trim()}.`)
    return { node }
  } catch (error) {
    const missing = `Node ${major} is not here, and npm cannot install it: set NODE_${major} to its file.`
    if (process.env.CI === 'true') throw new Error(missing, { cause: error })
    return { missing }
  }
}
