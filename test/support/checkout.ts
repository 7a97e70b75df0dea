import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Copies what Git knows, and what it would add, with the changes that are not committed. Packages and the build in the folder stay. */
export function copySources(folder: string): void {
  const known = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, maxBuffer: 2 ** 26 })
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name !== 'node_modules' && name !== 'dist') rmSync(join(folder, name), { recursive: true })
  }
  for (const path of known.toString().split('\0'))
    if (path && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
}

/** Links the installed packages of a folder of the checkout where the file system can, and copies them elsewhere. */
export function linkPackages(folder: string, name = '.'): void {
  const from = join(ROOT, name, 'node_modules')
  const to = join(folder, name, 'node_modules')
  if (!existsSync(from) || existsSync(to)) return
  if (spawnSync('cp', ['-al', from, to], { stdio: 'ignore' }).status === 0) return
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
