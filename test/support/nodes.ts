import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The environment of a command that a user starts: without the settings that npm passes to its scripts. */
export const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST|TEST$)/i.test(name)))

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
