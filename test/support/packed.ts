import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanEnv } from './nodes.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { files: FILES } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] }

/** The release file, as `npm pack` describes it. */
export interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
  /** The copy of the checkout in which it was packed. */
  readonly checkout: string
}

/**
 * Packs the package, which is built already, into `folder`. It is packed in a copy of what is packed: other suites read the manifest of the
 * checkout meanwhile, which packing changes for a moment.
 */
export function packInto(folder: string): Packed {
  const checkout = join(folder, 'checkout')
  mkdirSync(checkout)
  for (const name of ['package.json', ...FILES.filter((each) => !each.startsWith('!'))])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  const run = (...args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: checkout, encoding: 'utf8', env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] })
  run('pkg', 'set', 'scripts.build=node --version')
  // The scripts print their commands before the JSON.
  const printed = run('pack', '--json', '--pack-destination', folder)
  return { ...JSON.parse(printed.slice(printed.search(/^\[$/m)))[0], checkout }
}
